import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { test } from 'node:test';
import { carriedWheel, newEnough, SetupError, serveWith } from '../src/server/environment';

test('a Python of 3.11 or later is new enough', () => {
  assert.deepEqual(['3.10', '3 11', '3.13', '4.0', '2.7', ''].map(newEnough), [false, true, true, true, false, false]);
});

test('the carried wheel names its version', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'wheels-'));
  try {
    await writeFile(path.join(folder, 'other-9.9-py3-none-any.whl'), '');
    await writeFile(path.join(folder, 'toolrag-0.4.2-py3-none-any.whl'), '');
    assert.equal((await carriedWheel(folder)).version, '0.4.2');
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('without a wheel the sentence says what to do', async () => {
  await assert.rejects(carriedWheel(path.join(tmpdir(), 'there-is-no-such-folder')), (error) => {
    assert.ok(error instanceof SetupError);
    assert.match(error.message, /toolrag\.server\.command/);
    assert.equal(error.command, 'pip install toolrag');
    return true;
  });
});

test('the server never imports from the folder it is started in', () => {
  assert.equal(serveWith('python', 'a test').args[0], '-P');
});
