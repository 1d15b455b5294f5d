// An exchange as a tree. Pure.
import { type Cited, type Exchange, inOrder } from '../shared/exchange';
import { pieces } from '../shared/markdown';
import type { Candidate, Citation, Claim } from '../shared/wire';
import { count, span, spent } from '../shared/words';
import { coloured } from './colours';
import { type Branch, h, type Tree } from './tree';

/** What a person has unfolded or folded, by key; what is not in it is as it was first shown. */
export interface Folds {
  isOpen(key: string, atFirst: boolean): boolean;
}

export interface Here {
  folds: Folds;
  /** The citation that was opened last, if it is of this exchange. */
  current?: string | undefined;
}

export function exchange(of: Exchange, here: Here): Branch {
  return h(
    'section',
    { class: 'exchange', 'data-exchange': of.key, 'aria-label': of.question },
    h('h2', {}, of.question),
    h(
      'div',
      { role: 'list', 'aria-label': 'Claims' },
      of.claims.map((claim, index) => oneClaim(of, claim, index, here)),
    ),
    of.state === 'running' && h('p', { class: 'doing' }, of.message),
    of.state === 'stopped' && h('p', { class: 'doing' }, 'Stopped.'),
    trouble(of),
    looked(of, here),
    footer(of),
  );
}

function oneClaim(of: Exchange, claim: Claim, index: number, here: Here): Branch {
  const key = `${of.key}/${claim.id}`;
  const cited = claim.citations.flatMap((id) => of.citations[id] ?? []);
  const open = here.folds.isOpen(key, index === 0);
  const current = cited.some((one) => one.given.id === here.current);
  return h(
    'div',
    { role: 'listitem', class: open || current ? 'claim on' : 'claim' },
    h(
      'div',
      { class: 'said' },
      h('p', {}, words(claim.text)),
      h(
        'div',
        { class: 'chips' },
        cited.map((one) => chip(of, one, one.given.id === here.current)),
      ),
      h(
        'button',
        {
          class: 'fold',
          type: 'button',
          'data-fold': key,
          'data-focus': `fold ${key}`,
          'aria-expanded': String(open),
          title: open ? 'Hide the lines' : 'Show the lines',
          'aria-label': open ? 'Hide the cited lines' : 'Show the cited lines',
        },
        open ? '▾' : '▸',
      ),
    ),
    open && cited.map((one) => evidence(one)),
  );
}

function words(markdown: string): Tree[] {
  return pieces(markdown).map((piece) => (piece.code ? h('code', {}, piece.text) : piece.text));
}

const LABELS = { verified: 'verified', moved: 'moved', changed: 'changed since', gone: 'gone' } as const;

/** A citation's mark: how its lines stand. */
export function mark(cited: Cited): string {
  const by = cited.lines.start - cited.given.lines.start;
  switch (cited.standing) {
    case 'verified':
      return '✓';
    case 'moved':
      return by === 0 ? '→' : `${by > 0 ? '↓' : '↑'} ${Math.abs(by)}`;
    case 'changed':
      return '≠ changed';
    case 'gone':
      return 'gone';
  }
}

function chip(of: Exchange, cited: Cited, current: boolean): Branch {
  const { given, standing, lines } = cited;
  const place = `${given.path}:${span(lines)}`;
  return h(
    'button',
    {
      class: `chip ${standing}${current ? ' current' : ''}`,
      type: 'button',
      title: `${place}, ${LABELS[standing]}`,
      'aria-label': `${place}, ${LABELS[standing]}`,
      'data-act': 'open',
      'data-exchange': of.key,
      'data-citation': given.id,
      'data-focus': `chip ${of.key} ${given.id}`,
    },
    h('b', {}, mark(cited)),
    h('span', {}, `${shortest(of, given.path)}:${span(lines)}`),
  );
}

/** The file's name, with its folders where another cited file has the same. */
function shortest(of: Exchange, path: string): string {
  const name = (one: string) => one.slice(one.lastIndexOf('/') + 1);
  const twins = inOrder(of).some(({ given }) => given.path !== path && name(given.path) === name(path));
  return twins ? path : name(path);
}

function evidence(cited: Cited): Branch {
  const { given } = cited;
  // What changed or went has no place now: its numbers are those it was cited with.
  const lines = cited.standing === 'changed' || cited.standing === 'gone' ? given.lines : cited.lines;
  const open = given.source === 'buffer' ? `open${given.version === undefined ? '' : `, v${given.version}`} · ` : '';
  return h(
    'div',
    { class: 'evidence', role: 'group', 'aria-label': `Lines ${span(lines)} of ${given.path}` },
    h(
      'div',
      { class: 'of' },
      h('span', {}, given.path, given.symbol ? ' · ' : '', given.symbol ? h('b', {}, given.symbol) : ''),
      h('span', { class: 'sha', title: given.sha }, `${open}${given.sha.slice(0, 7)}`),
    ),
    h(
      'pre',
      { tabindex: 0 },
      quoted(given).map((line, index) =>
        h(
          'div',
          { class: 'line' },
          h('span', { class: 'n', 'aria-hidden': 'true' }, String(lines.start + index)),
          h(
            'code',
            {},
            coloured(line).map(({ text, colour }): Tree => (colour ? h('span', { class: colour }, text) : text)),
          ),
        ),
      ),
    ),
  );
}

/** The lines without their ends; the last one's end begins no other. */
function quoted({ quote, lines }: Citation): string[] {
  return quote.split(/\r\n|\n|\r/).slice(0, lines.end - lines.start + 1);
}

function trouble(of: Exchange): Branch | undefined {
  const reason = of.answer?.reason;
  const sentence =
    of.failure ?? reason?.message ?? (of.answer && of.claims.length === 0 ? 'Nothing found.' : undefined);
  if (sentence === undefined) {
    return undefined;
  }
  const button = (label: string, command: string) =>
    h(
      'button',
      { class: 'link', type: 'button', 'data-act': 'command', 'data-command': command, 'data-focus': command },
      label,
    );
  const help: Record<string, Branch> = {
    model_error: button('Choose model', 'toolrag.chooseModel'),
    model_refused: button('Choose model', 'toolrag.chooseModel'),
    not_indexed_yet: button('Index status', 'toolrag.indexStatus'),
    nothing_found: button('What is indexed', 'toolrag.indexStatus'),
  };
  const more = of.failure === undefined ? help[reason?.code ?? ''] : button('Show log', 'toolrag.showLog');
  return h('div', { class: 'no' }, h('p', {}, words(sentence)), more);
}

function looked(of: Exchange, here: Here): Branch | undefined {
  const candidates = of.answer?.candidates ?? [];
  if (candidates.length === 0) {
    return undefined;
  }
  const key = `${of.key}/looked`;
  const open = here.folds.isOpen(key, of.claims.length === 0);
  return h(
    'div',
    { class: 'looked' },
    h(
      'button',
      { class: 'unfold', type: 'button', 'data-fold': key, 'data-focus': key, 'aria-expanded': String(open) },
      `${open ? '▾' : '▸'} Where I looked: ${count(candidates.length, 'place')}`,
    ),
    open && candidates.map((one, index) => place(of, one, index)),
  );
}

function place(of: Exchange, one: Candidate, index: number): Branch {
  const name = one.symbol.name ? ` · ${one.symbol.name}` : '';
  return h(
    'button',
    {
      class: 'place',
      type: 'button',
      'data-act': 'look',
      'data-exchange': of.key,
      'data-index': index,
      'data-focus': `look ${of.key} ${index}`,
      title: `${one.path}:${span(one.lines)}`,
    },
    h('span', {}, `${one.path}:${span(one.lines)}${name}`),
    h('em', {}, one.reasons.join(', ')),
  );
}

function footer(of: Exchange): Branch | undefined {
  if (of.state === 'running') {
    return undefined;
  }
  const act = (label: string, kind: string, title: string) =>
    h(
      'button',
      {
        class: 'link',
        type: 'button',
        'data-act': kind,
        'data-exchange': of.key,
        'data-focus': `${kind} ${of.key}`,
        title,
      },
      label,
    );
  const cited = of.claims.length > 0;
  return h(
    'div',
    { class: 'foot' },
    h('span', {}, of.answer ? spent(of.answer.usage, of.claims.length) : ''),
    h(
      'span',
      { class: 'acts' },
      of.answer && cited && act('Re-check', 'recheck', 'Read every cited line again'),
      cited && act('Show all', 'showAll', 'All citations in a peek view'),
      cited && act('Copy', 'copy', 'Copy the answer as Markdown with pinned citations'),
      of.answer && cited && act('Follow up', 'follow', 'Ask a question that follows on this answer'),
      of.answer?.journal !== undefined && act('Replay', 'replay', 'Run it again from its journal'),
      (of.state !== 'done' || of.answer?.reason?.code === 'not_indexed_yet') &&
        act('Ask again', 'again', 'Ask the same question again'),
    ),
  );
}
