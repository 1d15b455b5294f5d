import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Converse, forced, offered } from '../src/shared/converse';
import { found, read, verdicts } from '../src/shared/tool-text';
import { answer, citation } from './doubles';

const tool = (name: string) => ({ name, description: '', inputSchema: {} });
const asked = (mustCall?: string | true, tools = [tool('search_code'), tool('read_range')]): Converse => ({
  messages: [],
  tools,
  ...(mustCall === undefined ? {} : { mustCall }),
});

for (const [name, given, names, required, said] of [
  ['free to answer', asked(), ['search_code', 'read_range'], false, {}],
  ['one by its name', asked('search_code'), ['search_code'], true, {}],
  ['any: the one that reads', asked(true), ['read_range'], true, { forced: 'tool' }],
  ['any, without the one that reads', asked(true, [tool('a'), tool('b')]), ['a'], true, { forced: 'tool' }],
  ['one that is not there', asked('x'), ['search_code', 'read_range'], false, { forced: 'auto' }],
  ['any of none', asked(true, []), [], false, { forced: 'auto' }],
] as const) {
  test(`a model that must call ${name}`, () => {
    const got = offered(given);
    assert.deepEqual(
      got.tools.map((one) => one.name),
      names,
    );
    assert.equal(got.required, required);
    assert.deepEqual(forced(given, got.required), said);
  });
}

test('a search tells places and no text', () => {
  const candidate = {
    ...citation(),
    symbol: { name: 'total', kind: 'function', container: '' },
    signature: 'def total',
    score: 1,
    reasons: ['name'],
  };
  const said = found({ candidates: [candidate], searched: answer().searched });
  assert.match(said, /^src\/shop\/pricing\.py:12-13 function total \(name; sha 5ae3e3b/);
  assert.doesNotMatch(said, /return 3/);
});

test('an index that is not complete says so', () => {
  assert.match(found({ candidates: [], searched: { ...answer().searched, complete: false } }), /not complete yet/);
});

test('lines that were read have numbers and their pinned citation', () => {
  const { path, sha, linesSha } = citation();
  const said = read({
    path,
    sha,
    linesSha,
    start: 12,
    end: 13,
    totalLines: 40,
    text: 'def total(self):\n    return 3\n',
  });
  const lines = said.split('\n');
  assert.deepEqual(lines.slice(1, 3), ['12: def total(self):', '13:     return 3']);
  assert.match(said, /Cite these lines as src\/shop\/pricing\.py:12-13@3f2a9c0b1d4e\.$/);
});

test('what may not be read is said as the server says it', () => {
  assert.equal(read({ error: 'secret_denied', message: 'No.' }), 'secret_denied: No.');
});

test('each written citation has its verdict', () => {
  const citations = [
    { written: 'a.py:1@aaaaaaaaaaaa', standing: 'verified' as const },
    { written: 'a.py:9@bbbbbbbbbbbb', standing: 'moved' as const, lines: { start: 12, end: 12 } },
  ];
  assert.equal(
    verdicts({ citations, unsupported: [] }),
    'a.py:1@aaaaaaaaaaaa: verified\na.py:9@bbbbbbbbbbbb: moved to 12',
  );
});
