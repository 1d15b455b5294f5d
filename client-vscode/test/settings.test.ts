import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chosen, type Inspected, SERVER_SETTINGS } from '../src/shared/settings';

const of = (set: Record<string, Inspected>, trusted = true) => chosen(SERVER_SETTINGS, (name) => set[name], trusted);

test('what nobody set is left to the server’s own file', () => {
  assert.deepEqual(of({ hover: {} }), {});
});

test('names are sent by section', () => {
  const set = { 'budget.turns': { globalValue: 3 }, 'budget.reads': { globalValue: 4 }, hover: { globalValue: false } };
  assert.deepEqual(of(set), { budget: { turns: 3, reads: 4 }, hover: false });
});

test('a folder’s choice wins over the workspace’s and that over the user’s', () => {
  const set = { 'budget.turns': { globalValue: 1, workspaceValue: 2, workspaceFolderValue: 3 } };
  assert.deepEqual(of(set), { budget: { turns: 3 } });
});

test('an untrusted workspace may narrow and nothing else', () => {
  const set = {
    'index.maxFiles': { globalValue: 10, workspaceValue: 1_000_000 },
    journal: { workspaceValue: true },
    deny: { globalValue: ['a'], workspaceValue: ['b'] },
  };
  assert.deepEqual(of(set, false), { deny: ['a', 'b'], index: { maxFiles: 10 } });
});

test('a workspace cannot take back what its user denies', () => {
  assert.deepEqual(of({ deny: { globalValue: ['secret/**'], workspaceValue: [] } }), { deny: ['secret/**'] });
});

test('no model, program or address is among what is sent', () => {
  assert.ok(!SERVER_SETTINGS.some((name) => /model|command|url|region|profile|key/i.test(name)));
});
