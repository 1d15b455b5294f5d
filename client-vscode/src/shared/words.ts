// Numbers, times and places as people read them; texts of others made safe to look at. Pure.
import type { Lines, Status, Usage } from './wire';

/** `12` or `12-18`. */
export function span(lines: Lines): string {
  return lines.start === lines.end ? `${lines.start}` : `${lines.start}-${lines.end}`;
}

export function count(n: number, one: string, many = `${one}s`): string {
  return `${n.toLocaleString('en-US')} ${n === 1 ? one : many}`;
}

export function size(bytes: number): string {
  return bytes < 1000
    ? `${bytes} B`
    : bytes < 1_000_000
      ? `${(bytes / 1000).toFixed(1)} KB`
      : `${(bytes / 1e6).toFixed(1)} MB`;
}

export function seconds(value: number): string {
  return value < 10 ? `${value.toFixed(2)} s` : `${Math.round(value)} s`;
}

/** What a run spent: the footer of an answer. */
export function spent(usage: Usage, claims: number): string {
  const tokens = usage.inputTokens + usage.outputTokens;
  return [
    claims === 0 ? 'not found' : count(claims, 'claim'),
    ...(usage.turns > 0 ? [count(usage.turns, 'turn')] : []),
    count(usage.reads, 'read'),
    size(usage.bytesRead),
    ...(tokens > 0 ? [count(tokens, 'token')] : []),
    seconds(usage.seconds),
  ].join(' · ');
}

/** How far the index is: the view's headline and the status bar's text. */
export function indexState(status: Status): string {
  const { indexed, total } = status.files;
  switch (status.phase) {
    case 'starting':
      return 'starting';
    case 'indexing':
      return `indexing ${indexed.toLocaleString('en-US')} of ${total.toLocaleString('en-US')}`;
    case 'failed':
      return 'not indexed';
    case 'ready':
      return `${count(indexed, 'file')} · ready`;
  }
}

/** What it would take to index a folder that has too many files to do so unasked; undefined where none has. */
export function costOfIndexing(problems: readonly string[]): string | undefined {
  const problem = problems.find((one) => one.includes('index.max_files'));
  return problem?.replace(/ Go on with .*$/s, '');
}

// Characters that turn text round, hide it or control a terminal, and letters without a shape: as the server has them.
const HIDDEN =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]|\u034f|\u17b4|\u17b5|[\ufe00-\ufe0d]|[\u{e0100}-\u{e01ef}]/gu;

/** A text with every character that could deceive the eye written out, as `\u202e`; tabs and line feeds stay. */
export function visible(text: string): string {
  return text.replace(HIDDEN, (mark) => (mark === '\t' || mark === '\n' ? mark : writtenOut(mark.codePointAt(0) ?? 0)));
}

function writtenOut(value: number): string {
  const [letter, digits] = value < 0x100 ? ['x', 2] : value < 0x10000 ? ['u', 4] : ['U', 8];
  return `\\${letter}${value.toString(16).padStart(Number(digits), '0')}`;
}
