import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Backoff, MOST_ENDS } from '../src/server/backoff';

test('each end in a row doubles the wait, and too many of them end it', () => {
  const backoff = new Backoff();
  const waits = Array.from({ length: MOST_ENDS + 1 }, (_, n) => {
    backoff.started(n * 1000);
    return backoff.ended(n * 1000 + 10);
  });
  assert.deepEqual(waits, [500, 1000, 2000, 4000, 8000, 16000, undefined]);
});

test('a server that ran for long starts the count anew', () => {
  const backoff = new Backoff();
  backoff.started(0);
  backoff.ended(1);
  backoff.started(1000);
  assert.equal(backoff.ended(1000 + 180_000), 500);
});

test('a restart by hand starts the count anew', () => {
  const backoff = new Backoff();
  backoff.started(0);
  backoff.ended(1);
  backoff.ended(2);
  backoff.reset();
  assert.equal(backoff.ended(3), 500);
});
