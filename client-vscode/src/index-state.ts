// How far the index is, told in the status bar and to whoever asks.
import * as vscode from 'vscode';
import type { Server } from './server/server';
import type { Status } from './shared/wire';
import { indexState } from './shared/words';

const EVERY_MS = 1_000;

export class IndexState implements vscode.Disposable {
  status: Status | undefined;
  private readonly item = vscode.window.createStatusBarItem('toolrag.index', vscode.StatusBarAlignment.Right, 50);
  private readonly changed = new vscode.EventEmitter<void>();
  private timer: NodeJS.Timeout | undefined;
  private asking = false;
  readonly onDidChange = this.changed.event;

  constructor(private readonly server: Server) {
    this.item.name = 'toolrag';
    this.item.command = 'toolrag.indexStatus';
    server.onDidChange(() => this.refresh());
    this.show();
    this.item.show();
  }

  /** Ask the server, and again while it has work. */
  refresh(): void {
    clearTimeout(this.timer);
    if (this.server.life !== 'running') {
      this.status = undefined;
      this.show();
      this.changed.fire();
    } else if (!this.asking) {
      void this.fetch();
    }
  }

  /** Wait, at most so long, until everything is indexed; false when it is not by then. */
  async settled(milliseconds: number, token: vscode.CancellationToken): Promise<boolean> {
    this.refresh();
    return new Promise((resolve) => {
      const look = () => this.status?.phase === 'ready' && end(true);
      const end = (whole: boolean) => {
        clearTimeout(late);
        waiting.dispose();
        resolve(whole);
      };
      const late = setTimeout(() => end(false), milliseconds);
      const waiting = vscode.Disposable.from(
        this.onDidChange(look),
        token.onCancellationRequested(() => end(false)),
      );
    });
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.item.dispose();
    this.changed.dispose();
  }

  private async fetch(): Promise<void> {
    this.asking = true;
    try {
      const client = await this.server.ready();
      this.status = await client.sendRequest<Status>('toolrag/status', {});
    } catch {
      this.status = undefined; // the server's own state says why
    } finally {
      this.asking = false;
    }
    this.show();
    this.changed.fire();
    if (this.status && this.status.phase !== 'ready' && this.status.phase !== 'failed') {
      this.timer = setTimeout(() => this.refresh(), EVERY_MS);
    }
  }

  private show(): void {
    const { icon, text, tip } = this.words();
    this.item.text = `$(${icon}) toolrag${text}`;
    this.item.tooltip = tip;
    this.item.accessibilityInformation = { label: `toolrag: ${tip}`, role: 'button' };
    this.item.backgroundColor =
      icon === 'warning' ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
  }

  private words(): { icon: string; text: string; tip: string } {
    switch (this.server.life) {
      case 'off':
        return { icon: 'circle-outline', text: '', tip: 'Starts with the first question.' };
      case 'failed':
        return { icon: 'warning', text: '', tip: this.server.problem ?? 'The server does not run.' };
      case 'starting':
        return { icon: 'loading~spin', text: '', tip: 'The server is starting.' };
    }
    const status = this.status;
    if (!status) {
      return { icon: 'loading~spin', text: '', tip: 'The server is starting.' };
    }
    const said = indexState(status);
    const busy = status.phase === 'starting' || status.phase === 'indexing';
    const tip = [said, ...status.problems].join('\n');
    if (busy) {
      const share = status.files.total > 0 ? ` ${Math.floor((100 * status.files.indexed) / status.files.total)}%` : '';
      return { icon: 'sync~spin', text: share, tip };
    }
    return { icon: status.problems.length > 0 || status.phase === 'failed' ? 'warning' : 'check', text: '', tip };
  }
}
