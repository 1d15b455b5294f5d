import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fromView, MOST_CHARACTERS } from '../src/shared/view';
import type { Status } from '../src/shared/wire';
import { costOfIndexing, indexState, size, span, spent, visible } from '../src/shared/words';
import { answer } from './doubles';

for (const given of [
  undefined,
  null,
  'ready',
  {},
  { kind: 'nothing' },
  { kind: 'ask' },
  { kind: 'ask', question: '  ' },
  { kind: 'open', exchange: 'e1' },
  { kind: 'look', exchange: 'e1', index: 1.5 },
  { kind: 'look', exchange: 'e1', index: null },
  { kind: 'copy' },
  { kind: 'command', command: 'workbench.action.terminal.new' },
]) {
  test(`${JSON.stringify(given)} is nothing the view says`, () => {
    assert.equal(fromView(given), undefined);
  });
}

test('what the view says keeps only what is known', () => {
  assert.deepEqual(fromView({ kind: 'open', exchange: 'e1', citation: 'r1', uri: 'file:///etc' }), {
    kind: 'open',
    exchange: 'e1',
    citation: 'r1',
  });
  assert.deepEqual(fromView({ kind: 'command', command: 'toolrag.showLog' }), {
    kind: 'command',
    command: 'toolrag.showLog',
  });
  const long = fromView({ kind: 'ask', question: 'x'.repeat(MOST_CHARACTERS + 1) });
  assert.equal(long?.kind === 'ask' && long.question.length, MOST_CHARACTERS);
});

test('lines, sizes and costs as people read them', () => {
  assert.deepEqual([span({ start: 3, end: 3 }), span({ start: 3, end: 9 })], ['3', '3-9']);
  assert.deepEqual([size(999), size(9800), size(2_500_000)], ['999 B', '9.8 KB', '2.5 MB']);
  assert.equal(spent(answer().usage, 3), '3 claims · 6 reads · 9.8 KB · 0.14 s');
  assert.equal(
    spent({ ...answer().usage, turns: 2, inputTokens: 900, outputTokens: 200 }, 0),
    'not found · 2 turns · 6 reads · 9.8 KB · 1,100 tokens · 0.14 s',
  );
});

test('how far the index is', () => {
  const status = (phase: Status['phase']) =>
    indexState({ phase, files: { indexed: 412, total: 1204, skipped: {} } } as Status);
  assert.deepEqual((['starting', 'indexing', 'ready', 'failed'] as const).map(status), [
    'starting',
    'indexing 412 of 1,204',
    '412 files · ready',
    'not indexed',
  ]);
});

test('characters that deceive the eye are written out as the server does', () => {
  assert.equal(visible('a\u202eb\u0007\u{e0001}\u3164'), 'a\\u202eb\\x07\\U000e0001\\u3164');
  assert.equal(visible('é 漢 \t\n😀'), 'é 漢 \t\n😀');
});

test('a folder that is too large says what indexing it takes, without words for a shell', () => {
  const said = 'There are 30,000 files to index, more than 20,000: about 4 minutes and 0.3 GB of cache.';
  const rest = ' Go on with --yes, set index.max_files, or leave folders out with a .toolragignore.';
  assert.equal(costOfIndexing(['Something else.', said + rest]), said);
  assert.equal(costOfIndexing(['Something else.']), undefined);
});
