// What is shown, as a tree of plain values: only these elements and attributes, and text that is text. Pure.
import { visible } from '../shared/words';

const TAGS = ['div', 'span', 'p', 'button', 'code', 'pre', 'h2', 'section', 'details', 'summary', 'em', 'b'] as const;
export type Tag = (typeof TAGS)[number];

const ATTRIBUTE = /^(?:class|role|title|type|tabindex|open|disabled|hidden|aria-[a-z]+|data-[a-z]+)$/;

export interface Branch {
  tag: Tag;
  attributes: Record<string, string>;
  children: Tree[];
}
export type Tree = Branch | string;

type Attributes = Record<string, string | number | boolean | undefined>;

/** A branch. Texts are made visible; attributes that could load, link or run anything are refused. */
export function h(tag: Tag, attributes: Attributes = {}, ...children: (Tree | Tree[] | undefined | false)[]): Branch {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(attributes)) {
    if (!ATTRIBUTE.test(name)) {
      throw new Error(`${name} is no attribute of the view`);
    }
    if (value !== undefined && value !== false) {
      kept[name] = value === true ? '' : visible(String(value));
    }
  }
  const flat = children.flat().filter((child): child is Tree => child !== undefined && child !== false);
  return { tag, attributes: kept, children: flat.map((child) => (typeof child === 'string' ? visible(child) : child)) };
}

/** All text in a tree, for tests and for what is read aloud. */
export function textOf(tree: Tree): string {
  return typeof tree === 'string' ? tree : tree.children.map(textOf).join('');
}
