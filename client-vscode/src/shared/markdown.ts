// A claim's Markdown, which is code spans and escapes, and an answer as Markdown to paste elsewhere. Pure.
import { type Exchange, inOrder } from './exchange';
import type { Citation } from './wire';
import { span } from './words';

export interface Piece {
  text: string;
  code: boolean;
}

const SPAN = /(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)/gs;
const ESCAPED = /\\([!-/:-@[-`{-~])/g;
const PIN_DIGITS = 12;

/** The words of a claim, code apart. Everything else that Markdown could mean is shown as it is written. */
export function pieces(markdown: string): Piece[] {
  const found: Piece[] = [];
  let at = 0;
  const prose = (text: string) => {
    if (text !== '') {
      found.push({ text: text.replace(ESCAPED, '$1'), code: false });
    }
  };
  for (const match of markdown.matchAll(SPAN)) {
    prose(markdown.slice(at, match.index));
    found.push({ text: unpadded(match[2] ?? ''), code: true });
    at = match.index + match[0].length;
  }
  prose(markdown.slice(at));
  return found;
}

/** CommonMark takes one blank off either side of code that has more than blanks. */
function unpadded(code: string): string {
  return code.length > 2 && code.startsWith(' ') && code.endsWith(' ') && code.trim() !== '' ? code.slice(1, -1) : code;
}

/** `path:12-18@3f2a9c0b1d4e`, which can be checked in any clone. */
export function pinned(citation: Citation): string {
  return `${citation.path}:${span(citation.lines)}@${citation.linesSha.slice(0, PIN_DIGITS)}`;
}

/** An exchange as Markdown; `link` gives a citation's address where it has one. */
export function markdownOf(of: Exchange, link: (citation: Citation) => string | undefined = () => undefined): string {
  const lines = [
    `**${of.question
      .replace(/([\\*_`[\]<>])/g, '\\$1')
      .replace(/\s+/g, ' ')
      .trim()}**`,
    '',
  ];
  for (const claim of of.claims) {
    const places = claim.citations.flatMap((id) => {
      const known = of.citations[id];
      return known ? [written({ ...known.given, lines: known.lines }, link)] : [];
    });
    lines.push(`- ${claim.text} (${places.join(', ')})`);
  }
  if (of.claims.length === 0) {
    lines.push(of.answer?.reason?.message ?? of.failure ?? 'No answer.');
  }
  const lost = inOrder(of).filter((one) => one.standing === 'changed' || one.standing === 'gone');
  if (lost.length > 0) {
    lines.push(
      '',
      `Since it was cited: ${lost.map((one) => `${fenced(pinned(one.given))} ${one.standing}`).join(', ')}.`,
    );
  }
  return `${lines.join('\n')}\n`;
}

function written(citation: Citation, link: (citation: Citation) => string | undefined): string {
  const address = link(citation);
  const code = fenced(pinned(citation));
  return address === undefined ? code : `[${code}](<${address}>)`;
}

/** A code span that holds a path with backticks in it too. */
function fenced(text: string): string {
  const runs = new Set([...text.matchAll(/`+/g)].map((run) => run[0].length));
  let length = 1;
  while (runs.has(length)) {
    length += 1;
  }
  const mark = '`'.repeat(length);
  return text.includes('`') ? `${mark} ${text} ${mark}` : `${mark}${text}${mark}`;
}
