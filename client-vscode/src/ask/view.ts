// The Ask view: what it shows, and what is done when a person clicks in it.
import * as vscode from 'vscode';
import { type Citations, orSay } from '../citations/citations';
import type { IndexState } from '../index-state';
import type { Server } from '../server/server';
import * as settings from '../settings';
import { type Banner, type FromView, fromView, type ToView, type ViewState } from '../shared/view';
import { indexState, span } from '../shared/words';
import type { About, Asker } from './asker';
import { copyMarkdown } from './copy';
import { page } from './page';

const MOST_LABEL = 40;

export class AskView implements vscode.WebviewViewProvider, vscode.Disposable {
  private view: vscode.WebviewView | undefined;
  private selection: { uri: vscode.Uri; range: vscode.Range } | undefined;
  private follows: { id: string; question: string } | undefined;
  private posting = false;
  private wantsFocus = false;

  constructor(
    private readonly extension: vscode.Uri,
    private readonly server: Server,
    private readonly index: IndexState,
    private readonly asker: Asker,
    private readonly citations: Citations,
  ) {
    for (const source of [server, index, asker, citations]) {
      source.onDidChange(() => this.post());
    }
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.view = view;
    view.webview.options = {
      enableScripts: true,
      localResourceRoots: [vscode.Uri.joinPath(this.extension, 'dist', 'webview')],
    };
    view.webview.html = page(view.webview, this.extension);
    view.webview.onDidReceiveMessage((given: unknown) => {
      const said = fromView(given);
      if (said) {
        void orSay(() => this.act(said));
      }
    });
    view.onDidDispose(() => {
      this.view = undefined;
    });
  }

  /** Show the view with the cursor in its box; about a selection where one is given. */
  async focus(selection?: { uri: vscode.Uri; range: vscode.Range }): Promise<void> {
    this.selection = selection ?? this.selection;
    this.wantsFocus = true;
    await vscode.commands.executeCommand('toolrag.ask.focus');
    this.post();
  }

  async reveal(): Promise<void> {
    await vscode.commands.executeCommand('toolrag.ask.focus', { preserveFocus: true });
  }

  refresh(): void {
    this.post();
  }

  dispose(): void {
    this.view = undefined;
  }

  private async act(said: FromView): Promise<void> {
    switch (said.kind) {
      case 'ready':
        return this.post();
      case 'ask':
        return this.ask(said.question);
      case 'stop':
        return this.asker.stop();
      case 'chooseModel':
        return vscode.commands.executeCommand('toolrag.chooseModel');
      case 'editScope':
        return vscode.commands.executeCommand('workbench.action.openSettings', 'toolrag.ask');
      case 'dropSelection':
        this.selection = undefined;
        return this.post();
      case 'dropFollows':
        this.follows = undefined;
        return this.post();
      case 'open':
        return this.citations.open(said.exchange, said.citation);
      case 'command':
        return vscode.commands.executeCommand(said.command);
    }
    const of = this.asker.find(said.exchange);
    if (!of) {
      return;
    }
    switch (said.kind) {
      case 'look': {
        const candidate = of.answer?.candidates[said.index];
        return candidate && this.citations.look(candidate);
      }
      case 'recheck':
        return this.citations.recheck(of.key);
      case 'showAll':
        return this.citations.showAll(of.key);
      case 'copy':
        return copyMarkdown(of);
      case 'replay':
        return vscode.commands.executeCommand('toolrag.replay', of.answer?.id);
      case 'again':
        return this.asker.again(of.key);
      case 'follow':
        this.follows = of.answer && { id: of.answer.id, question: of.question };
        return this.focus();
    }
  }

  private async ask(question: string): Promise<void> {
    const about: About = {};
    const open = this.selection?.uri ?? vscode.window.activeTextEditor?.document.uri;
    if (open && ['file', 'untitled', 'vscode-notebook-cell'].includes(open.scheme)) {
      about.textDocument = { uri: open.toString() };
    }
    if (this.selection) {
      const { start, end } = this.selection.range;
      about.selection = { start: plain(start), end: plain(end) };
    }
    if (this.follows) {
      about.follows = this.follows.id;
    }
    this.selection = undefined;
    this.follows = undefined;
    await this.asker.ask(question, about);
  }

  /** Tell the view how things are, once for all that changes in one turn. */
  private post(): void {
    if (this.posting) {
      return;
    }
    this.posting = true;
    setImmediate(() => {
      this.posting = false;
      void vscode.commands.executeCommand(
        'setContext',
        'toolrag.hasCitations',
        this.asker.exchanges.some((one) => one.claims.length > 0),
      );
      const webview = this.view?.webview;
      if (!webview) {
        return;
      }
      const messages: ToView[] = [{ kind: 'state', state: this.state() }];
      if (this.wantsFocus) {
        this.wantsFocus = false;
        messages.push({ kind: 'focus' });
      }
      for (const message of messages) {
        void webview.postMessage(message);
      }
    });
  }

  private state(): ViewState {
    const { include, exclude } = settings.scope();
    const status = this.index.status;
    const banner = this.banner();
    const share =
      status?.phase === 'indexing' && status.files.total > 0 ? status.files.indexed / status.files.total : undefined;
    return {
      headline: status ? indexState(status) : '',
      ...(share === undefined ? {} : { share }),
      ...(banner ? { banner } : {}),
      canAsk: hasFolder(),
      model: modelName(settings.model() ?? status?.model),
      scope: [...include, ...exclude.map((glob) => `not ${glob}`)].join(', '),
      selection: this.selection ? selectionLabel(this.selection) : '',
      follows: this.follows ? cut(this.follows.question) : '',
      running: this.asker.isRunning,
      history: this.asker.history,
      exchanges: this.asker.exchanges,
      ...(this.citations.current ? { current: this.citations.current } : {}),
    };
  }

  private banner(): Banner | undefined {
    if (!hasFolder()) {
      const open = { label: 'Open Folder', command: 'workbench.action.files.openFolder' } as const;
      return { sentence: 'Open a folder to ask about its code.', buttons: [open] };
    }
    if (this.server.life === 'failed') {
      return {
        sentence: this.server.problem ?? 'The server does not run.',
        buttons: [
          { label: 'Restart Server', command: 'toolrag.restart' },
          { label: 'Show Log', command: 'toolrag.showLog' },
        ],
      };
    }
    if (this.asker.exchanges.length > 0) {
      return undefined;
    }
    const status = this.index.status;
    if (this.server.life === 'starting' || (this.server.life === 'running' && !status)) {
      return {
        sentence: 'The server is starting. You can ask already.',
        buttons: [{ label: 'Show Log', command: 'toolrag.showLog' }],
      };
    }
    if (status?.phase === 'indexing' || status?.phase === 'starting') {
      const sentence =
        'The folder is being indexed. You can ask already; answers say when not everything was searched.';
      return { sentence, buttons: [{ label: 'Index Status', command: 'toolrag.indexStatus' }] };
    }
    if (status?.phase === 'failed') {
      const sentence = status.problems[0] ?? 'The folder could not be indexed.';
      return {
        sentence,
        buttons: [
          { label: 'Index Status', command: 'toolrag.indexStatus' },
          { label: 'Reindex', command: 'toolrag.reindex' },
        ],
      };
    }
    const sentence = 'Ask in your words or the code’s. Each claim cites lines that were just read and checked.';
    return { sentence, buttons: [{ label: 'How It Works', command: 'toolrag.howItWorks' }] };
  }
}

function plain({ line, character }: vscode.Position): { line: number; character: number } {
  return { line, character };
}

function hasFolder(): boolean {
  return (vscode.workspace.workspaceFolders ?? []).some((folder) => folder.uri.scheme === 'file');
}

function modelName(model: string | undefined): string {
  const [provider = '', name = ''] = (model ?? 'extractive').split(/:(.*)/s);
  switch (provider) {
    case 'bedrock':
      return `Bedrock · ${name}`;
    case 'openai':
      return `OpenAI-compatible · ${name}`;
    case 'editor':
      return 'The editor’s model';
    default:
      return 'Extractive · no model';
  }
}

function selectionLabel({ uri, range }: { uri: vscode.Uri; range: vscode.Range }): string {
  const end = range.end.character === 0 && range.end.line > range.start.line ? range.end.line : range.end.line + 1;
  return `selection: ${uri.path.slice(uri.path.lastIndexOf('/') + 1)} ${span({ start: range.start.line + 1, end })}`;
}

function cut(text: string): string {
  return text.length > MOST_LABEL ? `${text.slice(0, MOST_LABEL - 1)}…` : text;
}
