// The commands, but for the server's own life.
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { Asker, Place } from './ask/asker';
import type { AskView } from './ask/view';
import type { EditorModel } from './chat/editor-model';
import { type Citations, orSay } from './citations/citations';
import type { IndexState } from './index-state';
import type { Keys } from './keys';
import { run } from './server/run';
import type { Server } from './server/server';
import * as settings from './settings';
import type { ReplayReport } from './shared/wire';
import { count, indexState, size } from './shared/words';

const DOCTOR_MS = 60_000;

export interface Parts {
  context: vscode.ExtensionContext;
  log: vscode.LogOutputChannel;
  keys: Keys;
  server: Server;
  index: IndexState;
  asker: Asker;
  view: AskView;
  citations: Citations;
  models: EditorModel;
}

export function registerCommands(parts: Parts): vscode.Disposable[] {
  const { server, index, view, citations, keys, log } = parts;
  const commands: Record<string, (...given: unknown[]) => unknown> = {
    ask: (question) =>
      typeof question === 'string' && question.trim() !== '' ? askAtOnce(parts, question) : view.focus(),
    askSelection: () => view.focus(selected()),
    explain: (given) => explain(parts, given),
    nextCitation: () => citations.step(1),
    previousCitation: () => citations.step(-1),
    showCitations: () => citations.showAll(),
    recheck: () => citations.recheck(),
    replay: (given) => replay(parts, given),
    chooseModel: () => chooseModel(parts),
    setKey: async () => {
      if ((await keys.ask()) && server.life !== 'off') {
        await server.restart();
      }
    },
    reindex: async () => {
      const client = await server.ready();
      await client.sendRequest('workspace/executeCommand', { command: 'toolrag.reindex', arguments: [] });
      index.refresh();
    },
    indexStatus: () => indexStatus(parts),
    clearJournals: () => clearJournals(server),
    doctor: () => doctor(parts),
    restart: () => server.restart(),
    showLog: () => log.show(),
    howItWorks: () =>
      vscode.commands.executeCommand('workbench.action.openWalkthrough', `${parts.context.extension.id}#start`, false),
  };
  return Object.entries(commands).map(([name, command]) =>
    vscode.commands.registerCommand(`toolrag.${name}`, (...given: unknown[]) => orSay(async () => command(...given))),
  );
}

async function askAtOnce({ view, asker }: Parts, question: string): Promise<void> {
  await view.reveal();
  await asker.ask(question, {});
}

function selected(): { uri: vscode.Uri; range: vscode.Range } | undefined {
  const editor = vscode.window.activeTextEditor;
  return editor && { uri: editor.document.uri, range: editor.selection };
}

/** The symbol under the cursor, or the one that a hover's link names. */
async function explain({ view, asker }: Parts, given: unknown): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const here = editor && { textDocument: { uri: editor.document.uri.toString() }, position: editor.selection.active };
  const place = isPlace(given) ? given : here;
  if (!place) {
    throw new Error('Put the cursor on a name first.');
  }
  await view.reveal();
  const { line, character } = place.position;
  await asker.explain({ textDocument: { uri: place.textDocument.uri }, position: { line, character } });
}

function isPlace(given: unknown): given is Place {
  const { textDocument, position } = (given ?? {}) as Partial<Place>;
  return (
    typeof textDocument?.uri === 'string' &&
    typeof position?.line === 'number' &&
    typeof position.character === 'number'
  );
}

async function replay({ server, asker }: Parts, given: unknown): Promise<void> {
  let id = typeof given === 'string' ? given : undefined;
  if (id === undefined) {
    const runs = asker.exchanges.flatMap((one) =>
      one.answer?.journal === undefined ? [] : [{ label: one.question, description: one.answer.id, id: one.answer.id }],
    );
    const other = { label: '$(edit) Another run…', description: 'by its id', id: '' };
    const chosen = await vscode.window.showQuickPick([...runs, other], { title: 'Replay a run' });
    id =
      chosen?.id === ''
        ? await vscode.window.showInputBox({ title: 'Id of the run', placeHolder: '16 hex digits' })
        : chosen?.id;
  }
  if (!id) {
    return;
  }
  const client = await server.ready();
  const report = await client.sendRequest<ReplayReport>('toolrag/replay', { run: id.trim(), verify: true });
  const said = report.reproduced
    ? 'The run was replayed from its journal and came to the same answer, byte for byte.'
    : `The run came to another answer${report.divergence ? `: ${report.divergence.message}` : '.'}`;
  void vscode.window.showInformationMessage(`${said} Its journal is ${report.chain}.`);
}

async function chooseModel({ view, keys, server, models }: Parts): Promise<void> {
  const now = settings.model() ?? '';
  const items = [
    { label: 'Extractive', description: 'no model; nothing leaves this machine', value: 'extractive' },
    { label: 'The editor’s model', description: 'the one of VS Code’s chat, asked only when you ask', value: 'editor' },
    { label: 'Amazon Bedrock…', description: 'by its model id', value: 'bedrock:' },
    { label: 'OpenAI-compatible server…', description: 'any that speaks chat completions', value: 'openai:' },
    { label: 'What my settings file says', description: 'config.toml', value: '' },
  ].map((item) => ({ ...item, picked: item.value === now, ...(item.value === now ? { detail: 'chosen now' } : {}) }));
  const chosen = await vscode.window.showQuickPick(items, { title: 'Who answers' });
  let value = chosen?.value;
  if (value === undefined) {
    return;
  }
  if (value.endsWith(':')) {
    const prefix = value;
    const name = await vscode.window.showInputBox({
      title: prefix === 'bedrock:' ? 'Model id, as Bedrock has it' : 'Model, as the server names it',
      value: now.startsWith(prefix) ? now.slice(prefix.length) : '',
      ignoreFocusOut: true,
    });
    if (!name?.trim()) {
      return;
    }
    value = prefix + name.trim();
    if (prefix === 'openai:' && (await keys.openai()) === undefined) {
      const set = 'Set Key';
      const wanted = await vscode.window.showInformationMessage('A server of your own may need no key.', set);
      if (wanted === set && (await keys.ask()) && server.life !== 'off') {
        await server.restart();
      }
    }
  }
  if (value === 'editor' && !(await models.choose())) {
    return;
  }
  await settings.setModel(value);
  view.refresh();
}

async function indexStatus({ server, index, log }: Parts): Promise<void> {
  index.refresh();
  const status = index.status;
  if (!status) {
    const restart = 'Restart Server';
    const said =
      server.problem ??
      (server.life === 'off' ? 'The server starts with the first question.' : 'The server is starting.');
    const buttons = server.life === 'failed' ? [restart] : [];
    if ((await vscode.window.showInformationMessage(`toolrag: ${said}`, ...buttons)) === restart) {
      await server.restart();
    }
    return;
  }
  const kinds = (of: Record<string, number>) =>
    Object.entries(of)
      .sort(([, one], [, other]) => other - one)
      .map(([name, n]) => `${name} ${n.toLocaleString('en-US')}`)
      .join(', ');
  const skipped = Object.values(status.files.skipped).reduce((sum, n) => sum + n, 0);
  const items: (vscode.QuickPickItem & { act?: () => unknown })[] = [
    ...status.problems.map((problem) => ({ label: `$(warning) ${problem}` })),
    {
      label: `$(database) ${indexState(status)}`,
      detail: `${count(status.spans, 'passage')}; ${kinds(status.languages)}`,
    },
    { label: `$(circle-slash) ${count(skipped, 'file')} skipped`, detail: kinds(status.files.skipped) },
    {
      label: `$(symbol-array) Vectors: ${status.dense.engine}`,
      detail: `${status.dense.indexed} of ${status.dense.total}`,
    },
    { label: 'Do', kind: vscode.QuickPickItemKind.Separator },
    { label: '$(refresh) Reindex', act: () => vscode.commands.executeCommand('toolrag.reindex') },
    { label: '$(output) Show Log', act: () => log.show() },
    { label: '$(pulse) Doctor', act: () => vscode.commands.executeCommand('toolrag.doctor') },
  ];
  const chosen = await vscode.window.showQuickPick(items, { title: 'toolrag: index' });
  await chosen?.act?.();
}

async function clearJournals(server: Server): Promise<void> {
  const clear = 'Clear';
  const message = 'Remove the journals of all runs? They cannot be replayed afterwards.';
  if ((await vscode.window.showWarningMessage(message, { modal: true }, clear)) !== clear) {
    return;
  }
  const client = await server.ready();
  const command = { command: 'toolrag.clearJournals', arguments: [] };
  const cleared = await client.sendRequest<{ runs: number; bytes: number }>('workspace/executeCommand', command);
  void vscode.window.showInformationMessage(`${count(cleared.runs, 'run')} removed, ${size(cleared.bytes)}.`);
}

/** What is set up and what is not, by the server's own command, in the log. */
async function doctor({ server, log, context }: Parts): Promise<void> {
  await server.ready();
  const { command } = server;
  if (command?.args.at(-1) !== 'serve') {
    throw new Error('toolrag.server.command does not end in "serve", so its doctor cannot be run.');
  }
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  const root = folder === undefined ? [] : ['--root', path.resolve(folder)];
  const cwd = context.globalStorageUri.fsPath;
  const ended = await run(command.program, [...command.args.slice(0, -1), 'doctor', ...root], {
    cwd,
    timeoutMs: DOCTOR_MS,
  });
  log.info(`Doctor:\n${ended.out}${ended.err}`);
  log.show();
}
