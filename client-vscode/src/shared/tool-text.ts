// What a tool tells a model, as text. Pure.
import type { Candidate, Searched, Verified } from './wire';
import { span } from './words';

const PIN_DIGITS = 12;

export interface SearchResult {
  candidates: Candidate[];
  searched: Searched;
}

/** Places to read, never their text: a place is no evidence. */
export function found({ candidates, searched }: SearchResult): string {
  const places = candidates.map((one) => {
    const symbol = one.symbol.name === '' ? '' : ` ${one.symbol.kind} ${one.symbol.name}`;
    return `${one.path}:${span(one.lines)}${symbol} (${one.reasons.join(', ')}; sha ${one.sha})`;
  });
  const all = searched.complete ? 'All files were searched.' : 'The index is not complete yet: more may be there.';
  const next =
    places.length > 0 ? 'Read lines with toolrag_read_range before you say anything about them.' : 'Nothing was found.';
  return [...places, '', `${next} ${all}`].join('\n');
}

/** Lines with their numbers and the pinned citation for them; what went wrong as the server says it. */
export function read(given: unknown): string {
  const result = given as { error?: string; message?: string } & Record<'path' | 'text' | 'linesSha' | 'sha', string> &
    Record<'start' | 'end' | 'totalLines', number>;
  if (result.error !== undefined) {
    return `${result.error}: ${result.message}`;
  }
  const { path, start, end } = result;
  const lines = result.text.split(/\r\n|\n|\r/).slice(0, end - start + 1);
  const cite = `${path}:${span({ start, end })}@${result.linesSha.slice(0, PIN_DIGITS)}`;
  const numbered = lines.map((line, index) => `${start + index}: ${line}`);
  return [
    `${cite} of ${result.totalLines} lines, sha ${result.sha}`,
    ...numbered,
    '',
    `Cite these lines as ${cite}.`,
  ].join('\n');
}

/** How each written citation stands. */
export function verdicts({ citations }: Verified): string {
  if (citations.length === 0) {
    return 'No citation is written in the text. Write path:12-18@ and the 12 digits that toolrag_read_range gives.';
  }
  return citations
    .map((one) => {
      const now = one.standing === 'moved' && one.lines ? ` to ${span(one.lines)}` : '';
      return `${one.written}: ${one.standing}${now}${one.message ? ` (${one.message})` : ''}`;
    })
    .join('\n');
}
