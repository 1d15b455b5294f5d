// Where everything is put together.
import * as vscode from 'vscode';
import { IndexState } from './index-state';
import { Keys } from './keys';
import { Server } from './server/server';
import * as settings from './settings';

let server: Server | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel('toolrag', { log: true });
  const keys = new Keys(context.secrets);
  const running = new Server(
    context,
    log,
    keys,
    () => undefined,
    (token, params, next) => (String(token).startsWith('toolrag/') ? index.refresh() : next(token, params)),
  );
  server = running;
  const index = new IndexState(running);
  context.subscriptions.push(
    log,
    running,
    index,
    vscode.commands.registerCommand('toolrag.restart', () => running.restart().catch(() => undefined)),
    vscode.commands.registerCommand('toolrag.showLog', () => log.show()),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (settings.needsRestart(event) && running.life !== 'off') {
        running.restart().catch(() => undefined);
      }
    }),
  );
  if (settings.onStart() && (vscode.workspace.workspaceFolders?.length ?? 0) > 0) {
    running.ready().catch(() => undefined);
  }
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}
