import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answered, begun, stood } from '../src/shared/exchange';
import { markdownOf, pieces, pinned } from '../src/shared/markdown';
import { permalink } from '../src/shared/permalink';
import { answer, citation } from './doubles';

test('code spans are code, and escapes are the characters they escape', () => {
  assert.deepEqual(pieces('`a_b` is \\*not\\* ``x`y``'), [
    { text: 'a_b', code: true },
    { text: ' is *not* ', code: false },
    { text: 'x`y', code: true },
  ]);
});

test('code that begins with a backtick has its blanks taken off', () => {
  assert.deepEqual(pieces('`` `x ``'), [{ text: '`x', code: true }]);
});

for (const hostile of ['[x](command:toolrag.x)', '![x](https://a/b.png)', '<img src=x onerror=y>', '<https://a.b>']) {
  test(`${hostile} is shown as it is written`, () => {
    assert.deepEqual(pieces(hostile), [{ text: hostile, code: false }]);
  });
}

test('a citation is pinned with twelve digits of its lines', () => {
  assert.equal(pinned(citation()), 'src/shop/pricing.py:12-13@3f2a9c0b1d4e');
  assert.equal(pinned(citation({ lines: { start: 4, end: 4 } })), 'src/shop/pricing.py:4@3f2a9c0b1d4e');
});

test('an answer is copied with its lines as they stand now', () => {
  const place = citation().location;
  const moved = { id: 'r1', standing: 'verified', location: place, lines: { start: 15, end: 16 } } as const;
  const one = stood(answered(begun('e1', 'What is [it]?'), answer()), [moved]);
  const wanted = '**What is \\[it\\]?**\n\n- `total` returns 3\\. (`src/shop/pricing.py:15-16@3f2a9c0b1d4e`)\n';
  assert.equal(markdownOf(one), wanted);
});

test('what no longer stands is said', () => {
  const one = stood(answered(begun('e1', 'q'), answer()), [{ id: 'r1', standing: 'gone' }]);
  assert.match(markdownOf(one), /Since it was cited: `src\/shop\/pricing\.py:12-13@3f2a9c0b1d4e` gone\./);
});

test('a link is put around a citation that has an address', () => {
  const copied = markdownOf(answered(begun('e1', 'q'), answer()), () => 'https://github.com/a/b');
  assert.match(copied, /\(\[`src[^`]*`\]\(<https:\/\/github\.com\/a\/b>\)\)/);
});

const COMMIT = 'a'.repeat(40);
for (const [remote, wanted] of [
  ['git@github.com:o/r.git', `https://github.com/o/r/blob/${COMMIT}/a%20%23.py#L1-L2`],
  ['https://user:token@github.com/o/r', `https://github.com/o/r/blob/${COMMIT}/a%20%23.py#L1-L2`],
  ['ssh://git@gitlab.com:22/g/s/r.git', `https://gitlab.com/g/s/r/-/blob/${COMMIT}/a%20%23.py#L1-2`],
  ['https://bitbucket.org/o/r.git', `https://bitbucket.org/o/r/src/${COMMIT}/a%20%23.py#lines-1:2`],
  ['https://git.example.org/o/r', undefined],
  ['/srv/git/r.git', undefined],
] as const) {
  test(`the address of lines in ${remote}`, () => {
    assert.equal(permalink(remote, COMMIT, 'a #.py', { start: 1, end: 2 }), wanted);
  });
}

test('what is no commit has no address', () => {
  assert.equal(permalink('git@github.com:o/r.git', 'HEAD', 'a.py', { start: 1, end: 1 }), undefined);
});
