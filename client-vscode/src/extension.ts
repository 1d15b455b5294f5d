// Where everything is put together.
import * as vscode from 'vscode';
import { Asker } from './ask/asker';
import { AskView } from './ask/view';
import { EditorModel } from './chat/editor-model';
import { registerParticipant } from './chat/participant';
import { registerTools } from './chat/tools';
import { Citations } from './citations/citations';
import { registerCommands } from './commands';
import { IndexState } from './index-state';
import { Keys } from './keys';
import { askBeforeLargeFolders } from './large-folders';
import { Server } from './server/server';
import * as settings from './settings';
import type { Converse } from './shared/converse';
import type { Standings } from './shared/wire';

let running: Server | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel('toolrag', { log: true });
  const keys = new Keys(context.secrets);
  const server = new Server(
    context,
    log,
    keys,
    (client) => {
      client.onNotification('toolrag/standings', (told: Standings) => asker.stood(told));
      client.onRequest('toolrag/converse', (asked: Converse, token) => models.converse(asked, token));
    },
    // Indexing shows in the status bar's own item; a question's progress in its answer.
    (token, params, next) => (String(token).startsWith('toolrag/') ? index.refresh() : next(token, params)),
  );
  running = server;
  const index = new IndexState(server);
  const asker = new Asker(server, index, context.workspaceState);
  const models = new EditorModel(context.globalState, () => asker.isRunning && settings.model() === 'editor');
  const citations = new Citations(server, asker);
  const view = new AskView(context.extensionUri, server, index, asker, citations);
  context.subscriptions.push(
    log,
    server,
    index,
    asker,
    citations,
    view,
    vscode.window.registerWebviewViewProvider('toolrag.ask', view),
    ...registerCommands({ context, log, keys, server, index, asker, view, citations, models }),
    registerParticipant(asker, models, vscode.Uri.joinPath(context.extensionUri, 'media', 'icon.png')),
    ...registerTools(server),
    askBeforeLargeFolders(server, index, context.workspaceState),
    vscode.workspace.onDidChangeWorkspaceFolders(() => view.refresh()),
    vscode.workspace.onDidChangeConfiguration((event) => {
      view.refresh();
      if (settings.needsRestart(event) && server.life !== 'off') {
        server.restart().catch(() => undefined); // the server says itself what failed
      }
    }),
  );
  if (settings.onStart() && (vscode.workspace.workspaceFolders?.length ?? 0) > 0) {
    server.ready().catch(() => undefined);
  }
}

export async function deactivate(): Promise<void> {
  await running?.stop();
}
