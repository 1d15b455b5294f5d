// Rough syntax colours for a few quoted lines, alike for all languages: strings, comments, numbers, words. Pure.

export type Colour = 'comment' | 'string' | 'number' | 'keyword' | 'call' | '';

const KEYWORDS = new Set(
  (
    'abstract and as assert async await begin bool boolean break case catch char class const continue def default defer ' +
    'del delete do done double elif else elsif end enum except export extends extern false False final finally float ' +
    'fn for foreach from func function global go if impl implements import in include instanceof int interface is ' +
    'lambda let local long loop match mod module mut namespace new nil None nonlocal not null object of or override ' +
    'package pass private protected pub public raise readonly ref require rescue return self Self short static struct ' +
    'super switch this throw throws trait true True try type typedef typeof undefined union unless unsafe until use ' +
    'using val var virtual void when where while with yield'
  ).split(' '),
);

// A comment mark counts at a line's start or after a blank, so that `http://` and `C#` are none.
const TOKEN =
  /(?<comment>(?<=^|\s)(?:#|\/\/|--\s).*$|\/\*.*?(?:\*\/|$))|(?<string>"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?|`(?:\\.|[^`\\])*`?)|(?<number>\b\d[\w.]*)|(?<word>[\p{L}_$][\p{L}\p{N}_$]*)(?<paren>\s*\()?/gu;

/** The line in pieces, which joined are the line. */
export function coloured(line: string): { text: string; colour: Colour }[] {
  const found: { text: string; colour: Colour }[] = [];
  let at = 0;
  const put = (text: string, colour: Colour) => {
    const last = found.at(-1);
    if (last && last.colour === colour) {
      last.text += text;
    } else if (text !== '') {
      found.push({ text, colour });
    }
  };
  for (const match of line.matchAll(TOKEN)) {
    put(line.slice(at, match.index), '');
    const { comment, string, number, word = '', paren = '' } = match.groups ?? {};
    if (comment ?? string ?? number) {
      put(match[0], comment ? 'comment' : string ? 'string' : 'number');
    } else {
      put(word, KEYWORDS.has(word) ? 'keyword' : paren ? 'call' : '');
      put(paren, '');
    }
    at = match.index + match[0].length;
  }
  put(line.slice(at), '');
  return found;
}
