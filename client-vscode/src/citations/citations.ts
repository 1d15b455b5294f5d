// From a citation to its lines: opened in the live buffer, found again where they moved, compared where they changed.
import { createHash } from 'node:crypto';
import * as vscode from 'vscode';
import { type Asker, sentence } from '../ask/asker';
import type { Server } from '../server/server';
import { type Cited, type Exchange, inOrder } from '../shared/exchange';
import type { Candidate, Located, Location, Verified } from '../shared/wire';

const HIGHLIGHT_MS = 1_500;

export class Citations implements vscode.Disposable {
  /** The citation that was opened last. */
  current: { exchange: string; citation: string } | undefined;
  private readonly highlight = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor('editor.selectionHighlightBackground'),
    overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.findMatchForeground'),
  });
  private fading: NodeJS.Timeout | undefined;
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changed.event;

  constructor(
    private readonly server: Server,
    private readonly asker: Asker,
  ) {}

  /** Open a citation's lines where they are now; what changed or went is compared with what was cited. */
  async open(exchange: string, citation: string): Promise<void> {
    const cited = this.asker.find(exchange)?.citations[citation];
    if (!cited) {
      return;
    }
    this.current = { exchange, citation };
    this.changed.fire();
    // The lines themselves say whether they are where they were: no word of the server's can be newer.
    if (cited.standing === 'verified' && (await stand(cited))) {
      await this.show(cited.location);
      return;
    }
    const found = await this.locate(exchange, cited);
    if ((found.standing === 'verified' || found.standing === 'moved') && found.location) {
      await this.show(found.location);
    } else {
      await this.compare(exchange, citation);
    }
  }

  /** Open a place that was looked at. */
  async look(candidate: Candidate): Promise<void> {
    await this.show(candidate.location);
  }

  /** What was cited beside what stands there now. */
  async compare(exchange: string, citation: string): Promise<void> {
    const of = this.asker.find(exchange);
    const cited = of?.citations[citation];
    if (!of?.answer || !cited) {
      return;
    }
    const client = await this.server.ready();
    const then = await client.sendRequest<{ uri: string }>('toolrag/cited', { answerId: of.answer.id, id: citation });
    const [left, right] = [vscode.Uri.parse(then.uri, true), vscode.Uri.parse(cited.given.location.uri, true)];
    const name = cited.given.path.slice(cited.given.path.lastIndexOf('/') + 1);
    if (await exists(right)) {
      const at = new vscode.Position(cited.given.lines.start - 1, 0);
      await vscode.commands.executeCommand('vscode.diff', left, right, `${name} (as cited ↔ now)`, {
        selection: new vscode.Range(at, at),
        preview: true,
      });
    } else {
      await this.show({ uri: then.uri, range: cited.given.location.range });
      void vscode.window.showInformationMessage(`${cited.given.path} is gone; this is how it was when it was cited.`);
    }
  }

  /** The next citation of the answer in hand, or the one before. */
  async step(by: 1 | -1): Promise<void> {
    const of = this.latest();
    const cited = of ? inOrder(of) : [];
    if (!of || cited.length === 0) {
      return;
    }
    const at = cited.findIndex((one) => one.given.id === this.current?.citation);
    const next = at < 0 ? (by > 0 ? 0 : cited.length - 1) : (at + by + cited.length) % cited.length;
    const id = cited[next]?.given.id;
    if (id !== undefined) {
      await this.open(of.key, id);
    }
  }

  /** All citations that still stand, in a peek view. */
  async showAll(exchange = this.latest()?.key): Promise<void> {
    const of = exchange === undefined ? undefined : this.asker.find(exchange);
    const standing = of ? inOrder(of).filter((one) => one.standing === 'verified' || one.standing === 'moved') : [];
    const first = standing[0];
    if (!first) {
      void vscode.window.showInformationMessage('No citation of this answer stands any more.');
      return;
    }
    const locations = standing.map(
      (one) => new vscode.Location(vscode.Uri.parse(one.location.uri, true), range(one.location)),
    );
    const editor = await this.show(first.location);
    const { uri } = editor.document;
    await vscode.commands.executeCommand('editor.action.showReferences', uri, editor.selection.active, locations);
  }

  /** Read every cited line again. */
  async recheck(exchange = this.latest()?.key): Promise<void> {
    const of = exchange === undefined ? undefined : this.asker.find(exchange);
    if (!of?.answer) {
      return;
    }
    const client = await this.server.ready();
    const found = await client.sendRequest<Verified>('toolrag/verify', { answer: of.answer });
    const stood = found.citations.flatMap((one) => (one.id === undefined ? [] : [{ ...one, id: one.id }]));
    this.asker.stood({ answerId: of.answer.id, citations: stood });
    const lost = stood.filter((one) => one.standing === 'changed' || one.standing === 'gone').length;
    const said =
      lost === 0 ? `all ${stood.length} citations stand` : `${lost} of ${stood.length} citations no longer stand`;
    vscode.window.setStatusBarMessage(`$(check-all) toolrag: ${said}`, 5_000);
  }

  dispose(): void {
    clearTimeout(this.fading);
    this.highlight.dispose();
    this.changed.dispose();
  }

  /** The answer in hand: the one whose citation was opened last, else the newest with citations. */
  private latest(): Exchange | undefined {
    const held = this.current && this.asker.find(this.current.exchange);
    return held ?? this.asker.exchanges.find((one) => one.claims.length > 0);
  }

  private async locate(exchange: string, cited: Cited): Promise<Located> {
    const client = await this.server.ready();
    const found = await client.sendRequest<Located>('toolrag/locate', { citation: cited.given });
    const id = this.asker.find(exchange)?.answer?.id;
    if (id !== undefined) {
      this.asker.stood({ answerId: id, citations: [{ ...found, id: cited.given.id }] });
    }
    return found;
  }

  private async show(location: Location): Promise<vscode.TextEditor> {
    const lines = range(location);
    const at = new vscode.Range(lines.start, lines.start);
    const editor = await vscode.window.showTextDocument(vscode.Uri.parse(location.uri, true), { selection: at });
    editor.revealRange(lines, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    clearTimeout(this.fading);
    for (const other of vscode.window.visibleTextEditors) {
      other.setDecorations(this.highlight, other === editor ? [lines] : []);
    }
    this.fading = setTimeout(() => {
      for (const other of vscode.window.visibleTextEditors) {
        other.setDecorations(this.highlight, []);
      }
    }, HIGHLIGHT_MS);
    return editor;
  }
}

/** Run what a person asked for, and say what went wrong. */
export async function orSay(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    void vscode.window.showErrorMessage(`toolrag: ${sentence(error)}`);
  }
}

function range({ range: { start, end } }: Location): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}

/** Whether the cited lines are, in the live buffer, where they were last known to be. */
async function stand(cited: Cited): Promise<boolean> {
  const uri = vscode.Uri.parse(cited.location.uri, true);
  if (!(await exists(uri))) {
    return false;
  }
  const document = await vscode.workspace.openTextDocument(uri);
  const { start, end } = cited.lines;
  if (end > document.lineCount) {
    return false;
  }
  const lines = Array.from({ length: end - start + 1 }, (_, n) => document.lineAt(start - 1 + n).text);
  return createHash('sha256').update(lines.join('\n')).digest('hex') === cited.given.linesSha;
}

async function exists(uri: vscode.Uri): Promise<boolean> {
  if (vscode.workspace.textDocuments.some((one) => one.uri.toString() === uri.toString())) {
    return true;
  }
  try {
    await vscode.workspace.fs.stat(uri);
    return true;
  } catch {
    return false; // it went, or has no file
  }
}
