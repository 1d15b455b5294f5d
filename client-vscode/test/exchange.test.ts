import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answered, begun, failed, inOrder, stood, stopped, told, working } from '../src/shared/exchange';
import { answer, citation } from './doubles';

const claim = (id: string, ...citations: string[]) => ({ id, text: id, citations });

test('claims come one by one, and one that is withdrawn goes', () => {
  let one = begun('e1', 'q');
  one = told(one, { claims: [claim('c1', 'r1')], citations: [citation()], withdrawn: [] });
  one = told(one, { claims: [claim('c2', 'r1')], citations: [], withdrawn: ['c1'] });
  assert.deepEqual(
    one.claims.map((each) => each.id),
    ['c2'],
  );
});

test('a claim that comes again replaces the first', () => {
  let one = told(begun('e1', 'q'), { claims: [claim('c1')], citations: [], withdrawn: [] });
  one = told(one, { claims: [{ ...claim('c1'), text: 'better' }], citations: [], withdrawn: [] });
  assert.deepEqual(
    one.claims.map((each) => each.text),
    ['better'],
  );
});

test('the whole answer replaces what came before', () => {
  const before = told(begun('e1', 'q'), { claims: [claim('c9')], citations: [], withdrawn: [] });
  const one = answered(before, answer());
  assert.deepEqual([one.state, one.claims.length, one.question], ['done', 1, 'q']);
});

test('an edit moves a citation and leaves what was given as it was', () => {
  const place = { uri: 'file:///w/a', range: { start: { line: 14, character: 0 }, end: { line: 15, character: 1 } } };
  const moved = { id: 'r1', standing: 'verified', location: place, lines: { start: 15, end: 16 } } as const;
  const one = stood(answered(begun('e1', 'q'), answer()), [moved, { id: 'nobody', standing: 'gone' }]);
  assert.deepEqual(one.citations.r1?.lines, { start: 15, end: 16 });
  assert.deepEqual(one.citations.r1?.given.lines, { start: 12, end: 13 });
  assert.deepEqual(Object.keys(one.citations), ['r1']);
});

test('a citation that went keeps the place it had', () => {
  const one = stood(answered(begun('e1', 'q'), answer()), [{ id: 'r1', standing: 'gone' }]);
  assert.deepEqual([one.citations.r1?.standing, one.citations.r1?.lines], ['gone', { start: 12, end: 13 }]);
});

test('what is over is not stopped, and progress after it says nothing', () => {
  const done = answered(begun('e1', 'q'), answer());
  assert.equal(stopped(done), done);
  assert.equal(working(done, 'reading a.py'), done);
  assert.equal(failed(begun('e1', 'q'), 'No.').failure, 'No.');
});

test('citations are in the order a reader meets them, each once', () => {
  const claims = [claim('c1', 'r2', 'r1'), claim('c2', 'r1')];
  const one = answered(begun('e1', 'q'), answer({ claims, citations: [citation(), citation({ id: 'r2' })] }));
  assert.deepEqual(
    inOrder(one).map((each) => each.given.id),
    ['r2', 'r1'],
  );
});
