import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answered, begun, type Exchange, failed, stood, told } from '../src/shared/exchange';
import { coloured } from '../src/webview/colours';
import { exchange, type Here } from '../src/webview/render';
import { type Branch, h, type Tree, textOf } from '../src/webview/tree';
import { answer, citation } from './doubles';

const here: Here = { folds: { isOpen: (_, atFirst) => atFirst } };

function all(tree: Tree, found: (branch: Branch) => boolean): Branch[] {
  if (typeof tree === 'string') {
    return [];
  }
  return [...(found(tree) ? [tree] : []), ...tree.children.flatMap((child) => all(child, found))];
}

const byClass = (tree: Tree, name: string) =>
  all(tree, (one) => (one.attributes.class ?? '').split(' ').includes(name));
const shown = (one: Exchange) => exchange(one, here);
const done = (of = answer()) => answered(begun('e1', 'What is a total?'), of);

const HOSTILE = [
  '<img src=x onerror=alert(1)>',
  '[click](command:workbench.action.terminal.new)',
  '![pixel](https://evil.example/p.png)',
  '[file](file:///etc/passwd)',
  '</pre><script>alert(1)</script>',
  'javascript:alert(1)',
  'abc\u202Edcba\u0000\u001b[2J\u200b',
];

for (const text of HOSTILE) {
  test(`${JSON.stringify(text)} anywhere in an answer is text and nothing else`, () => {
    const given = citation({ path: text, symbol: text, quote: text, sha: text });
    const candidate = {
      ...given,
      symbol: { name: text, kind: text, container: text },
      signature: text,
      score: 1,
      reasons: [text],
    };
    const of = answer({
      claims: [{ id: text, text, citations: ['r1'] }],
      citations: [given],
      candidates: [candidate],
      reason: { code: text, message: text },
    });
    const tree = shown({ ...done(of), question: text });
    for (const branch of all(tree, () => true)) {
      assert.ok(
        ['section', 'div', 'span', 'p', 'h2', 'b', 'em', 'button', 'code', 'pre'].includes(branch.tag),
        branch.tag,
      );
      for (const name of Object.keys(branch.attributes)) {
        assert.match(name, /^(class|role|title|type|tabindex|aria-[a-z]+|data-[a-z]+)$/);
      }
    }
    const texts = all(tree, () => true).flatMap((branch) => Object.values(branch.attributes));
    assert.doesNotMatch([textOf(tree), ...texts].join(''), /[\p{Cc}\p{Cf}]/u);
  });
}

test('an attribute that could load or run anything is refused', () => {
  for (const name of ['href', 'src', 'style', 'onclick', 'srcdoc', 'data-x-y', 'formaction']) {
    assert.throws(() => h('div', { [name]: 'x' }), /no attribute/);
  }
});

test('a chip says where and how its lines stand', () => {
  const [chip] = byClass(shown(done()), 'chip');
  assert.equal(chip && textOf(chip), '✓pricing.py:12-13');
  assert.equal(chip?.attributes['aria-label'], 'src/shop/pricing.py:12-13, verified');
});

for (const [standing, start, wanted] of [
  ['moved', 15, '↓ 3pricing.py:15-16'],
  ['moved', 10, '↑ 2pricing.py:10-11'],
  ['verified', 15, '✓pricing.py:15-16'],
  ['changed', 12, '≠ changedpricing.py:12-13'],
  ['gone', 12, 'gonepricing.py:12-13'],
] as const) {
  test(`a citation that is ${standing} at ${start} reads ${wanted}`, () => {
    const now = { id: 'r1', standing, location: citation().location, lines: { start, end: start + 1 } };
    const [chip] = byClass(shown(stood(done(), [now])), 'chip');
    assert.equal(chip && textOf(chip), wanted);
    assert.ok(chip?.attributes.class?.includes(standing));
  });
}

test('two files of one name are told apart by their folders', () => {
  const claims = [{ id: 'c1', text: 'x', citations: ['r1', 'r2'] }];
  const citations = [citation(), citation({ id: 'r2', path: 'test/pricing.py' })];
  const chips = byClass(shown(done(answer({ claims, citations }))), 'chip').map(textOf);
  assert.deepEqual(chips, ['✓src/shop/pricing.py:12-13', '✓test/pricing.py:12-13']);
});

test('the first claim’s lines are shown with their numbers', () => {
  const lines = byClass(shown(done()), 'line').map(textOf);
  assert.deepEqual(lines, ['12def total(self):', '13    return 3']);
});

test('a quote’s last line end begins no line', () => {
  const ended = citation({ quote: 'def total(self):\r\n    return 3\r\n' });
  const lines = byClass(shown(done(answer({ citations: [ended] }))), 'line').map(textOf);
  assert.deepEqual(lines, ['12def total(self):', '13    return 3']);
});

test('what went has the numbers it was cited with', () => {
  const place = { location: citation().location, lines: { start: 40, end: 41 } };
  const tree = shown(
    stood(stood(done(), [{ id: 'r1', standing: 'moved', ...place }]), [{ id: 'r1', standing: 'gone' }]),
  );
  assert.equal(byClass(tree, 'n').map(textOf)[0], '12');
});

test('what a person folded stays folded', () => {
  const folded = exchange(done(), { folds: { isOpen: () => false } });
  assert.equal(byClass(folded, 'evidence').length, 0);
  assert.equal(byClass(folded, 'fold')[0]?.attributes['aria-expanded'], 'false');
});

test('a running question says what is done, and has no footer', () => {
  const one = told(begun('e1', 'q'), { claims: answer().claims, citations: [citation()], withdrawn: [] });
  const tree = shown({ ...one, message: 'reading a.py' });
  assert.equal(byClass(tree, 'doing').map(textOf)[0], 'reading a.py');
  assert.equal(byClass(tree, 'foot').length, 0);
  assert.equal(byClass(tree, 'chip').length, 1);
});

test('not found says so, and unfolds where it looked', () => {
  const candidate = {
    ...citation(),
    symbol: { name: 'C', kind: 'class', container: '' },
    signature: '',
    score: 1,
    reasons: ['name'],
  };
  const reason = { code: 'nothing_found', message: 'Nothing supports an answer.' };
  const tree = shown(done(answer({ outcome: 'notFound', claims: [], citations: [], candidates: [candidate], reason })));
  assert.match(textOf(tree), /Nothing supports an answer\.What is indexed/);
  assert.equal(byClass(tree, 'place').map(textOf)[0], 'src/shop/pricing.py:12-13 · Cname');
});

test('a failure has a sentence and a button', () => {
  const tree = shown(failed(begun('e1', 'q'), 'The server ended.'));
  assert.match(textOf(tree), /The server ended\.Show log.*Ask again/);
});

for (const line of [
  'x = "a # b"  # c',
  "let s = 'it''s' // http://x",
  '\treturn self.f(1.5)',
  '`a` $ {b}',
  '/* open',
  '',
]) {
  test(`${JSON.stringify(line)} in colours is the same line`, () => {
    assert.equal(
      coloured(line)
        .map((piece) => piece.text)
        .join(''),
      line,
    );
  });
}

test('a comment mark inside a string or an address is none', () => {
  assert.deepEqual(
    coloured('u = "http://a#b"').map((piece) => piece.colour),
    ['', 'string'],
  );
});
