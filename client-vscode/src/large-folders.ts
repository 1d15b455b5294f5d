// A folder with very many files is indexed only when a person says so.
import * as vscode from 'vscode';
import { orSay } from './citations/citations';
import type { IndexState } from './index-state';
import type { Server } from './server/server';
import * as settings from './settings';
import { costOfIndexing } from './shared/words';

/** Ask once in a session, when the server says that a folder is too large to index unasked. */
export function askBeforeLargeFolders(server: Server, index: IndexState, memory: vscode.Memento): vscode.Disposable {
  let asked = false;
  return index.onDidChange(() => {
    const cost = costOfIndexing(index.status?.problems ?? []);
    if (cost !== undefined && !asked) {
      asked = true;
      void orSay(() => offer(cost, server, index, memory));
    }
  });
}

async function offer(cost: string, server: Server, index: IndexState, memory: vscode.Memento): Promise<void> {
  const go = 'Index Anyway';
  const settingsButton = 'Leave Files Out…';
  const chosen = await vscode.window.showWarningMessage(`toolrag: ${cost}`, go, settingsButton);
  if (chosen === settingsButton) {
    await vscode.commands.executeCommand('workbench.action.openSettings', 'toolrag.deny');
  } else if (chosen === go) {
    await settings.indexAll(memory);
    const client = await server.ready();
    await client.sendNotification('workspace/didChangeConfiguration', {
      settings: { toolrag: settings.forServer(memory) },
    });
    await client.sendRequest('workspace/executeCommand', { command: 'toolrag.reindex', arguments: [] });
    index.refresh();
  }
}
