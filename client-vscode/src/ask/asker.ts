// Questions and their answers: one runs at a time, the newest stands first, edits keep their citations up to date.
import * as vscode from 'vscode';
import {
  type LanguageClient,
  LSPErrorCodes,
  ProgressType,
  ResponseError,
  WorkDoneProgress,
} from 'vscode-languageclient/node';
import type { IndexState } from '../index-state';
import type { Server } from '../server/server';
import * as settings from '../settings';
import * as exchange from '../shared/exchange';
import type { Answer, Partial, Range, Standings } from '../shared/wire';

const MOST_EXCHANGES = 30;
const MOST_HISTORY = 50;
/** How long a question that found nothing waits for an index that is not complete, before it is asked once more. */
const WAIT_MS = 20_000;
const HISTORY = 'toolrag.history';

/** What a question is asked with. */
export interface About {
  textDocument?: { uri: string };
  /** Plain numbers: VS Code's own ranges are written to JSON in another form. */
  selection?: Range;
  follows?: string;
}

/** Told of each change while a question runs. */
export type Watch = (one: exchange.Exchange) => void;

export interface Place {
  textDocument: { uri: string };
  position: { line: number; character: number };
}

export class Asker implements vscode.Disposable {
  exchanges: exchange.Exchange[] = [];
  private count = 0;
  private readonly asked = new Map<string, { question: string; method: string; params: object }>();
  private running: { key: string; source: vscode.CancellationTokenSource } | undefined;
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changed.event;

  constructor(
    private readonly server: Server,
    private readonly index: IndexState,
    private readonly memory: vscode.Memento,
  ) {}

  get isRunning(): boolean {
    return this.running !== undefined;
  }

  get history(): string[] {
    return this.memory.get<string[]>(HISTORY, []);
  }

  find(key: string): exchange.Exchange | undefined {
    return this.exchanges.find((one) => one.key === key);
  }

  /** Ask in words. What comes, comes as an exchange. */
  async ask(
    question: string,
    about: About,
    token?: vscode.CancellationToken,
    watch?: Watch,
  ): Promise<exchange.Exchange | undefined> {
    const history = [question, ...this.history.filter((one) => one !== question)].slice(0, MOST_HISTORY);
    void this.memory.update(HISTORY, history);
    const { include, exclude } = settings.scope();
    return this.run(question, 'toolrag/ask', { question, ...about, scope: { include, exclude } }, token, watch);
  }

  /** Ask what the name at a place is. */
  async explain(place: Place, token?: vscode.CancellationToken, watch?: Watch): Promise<exchange.Exchange | undefined> {
    return this.run('Explain this symbol', 'toolrag/explain', { ...place }, token, watch);
  }

  /** Ask the same again, as it was asked. */
  async again(key: string): Promise<void> {
    const asked = this.asked.get(key);
    if (asked) {
      await this.run(asked.question, asked.method, asked.params);
    }
  }

  stop(): void {
    this.running?.source.cancel();
  }

  /** How citations stand now. */
  stood(told: Standings): void {
    this.exchanges = this.exchanges.map((one) =>
      one.answer?.id === told.answerId ? exchange.stood(one, told.citations) : one,
    );
    this.changed.fire();
  }

  dispose(): void {
    this.stop();
    this.changed.dispose();
  }

  private async run(
    question: string,
    method: string,
    params: object,
    token?: vscode.CancellationToken,
    watch?: Watch,
  ): Promise<exchange.Exchange | undefined> {
    this.stop();
    this.count += 1;
    const key = `e${this.count}`;
    const source = new vscode.CancellationTokenSource();
    const linked = token?.onCancellationRequested(() => source.cancel());
    this.running = { key, source };
    this.asked.set(key, { question, method, params });
    this.exchanges = [exchange.begun(key, question), ...this.exchanges].slice(0, MOST_EXCHANGES);
    for (const old of this.asked.keys()) {
      if (!this.find(old)) {
        this.asked.delete(old);
      }
    }
    this.changed.fire();
    const watching = watch && this.onDidChange(() => told(this.find(key), watch));
    try {
      const answer = await this.whole(key, method, params, source.token);
      this.update(key, (one) => exchange.answered({ ...one, question: titled(method, one.question, answer) }, answer));
    } catch (error) {
      this.update(key, (one) =>
        isStop(error, source.token) ? exchange.stopped(one) : exchange.failed(one, sentence(error)),
      );
    } finally {
      watching?.dispose();
      linked?.dispose();
      source.dispose();
      if (this.running?.key === key) {
        this.running = undefined;
      }
      this.changed.fire();
    }
    return this.find(key);
  }

  /** The answer; asked once more where the server ended meanwhile, or the index was not whole and nothing was found. */
  private async whole(key: string, method: string, params: object, token: vscode.CancellationToken): Promise<Answer> {
    const answer = await this.send(await this.server.ready(), key, method, params, token).catch(
      async (error: unknown) => {
        if (token.isCancellationRequested || !serverEnded(error)) {
          throw error;
        }
        this.update(key, (one) => exchange.working(one, 'The server ended; asking again'));
        return this.send(await this.server.ready(), key, method, params, token);
      },
    );
    if (answer.reason?.code !== 'not_indexed_yet' || answer.claims.length > 0) {
      return answer;
    }
    this.update(key, (one) => exchange.working(one, 'Waiting for the index'));
    const isWhole = await this.index.settled(WAIT_MS, token);
    return isWhole ? this.send(await this.server.ready(), key, method, params, token) : answer;
  }

  private async send(
    client: LanguageClient,
    key: string,
    method: string,
    params: object,
    token: vscode.CancellationToken,
  ): Promise<Answer> {
    const [work, partial] = [`work-${key}`, `partial-${key}`];
    const model = settings.model();
    const progress = vscode.Disposable.from(
      client.onProgress(WorkDoneProgress.type, work, (value) => {
        const message = value.kind === 'end' ? undefined : value.message;
        if (message !== undefined) {
          this.update(key, (one) => exchange.working(one, message));
        }
      }),
      client.onProgress(new ProgressType<Partial>(), partial, (value) =>
        this.update(key, (one) => exchange.told(one, value)),
      ),
    );
    try {
      const tokens = { workDoneToken: work, partialResultToken: partial };
      return await client.sendRequest<Answer>(method, { ...params, ...(model ? { model } : {}), ...tokens }, token);
    } finally {
      progress.dispose();
    }
  }

  private update(key: string, change: (one: exchange.Exchange) => exchange.Exchange): void {
    this.exchanges = this.exchanges.map((one) => (one.key === key ? change(one) : one));
    this.changed.fire();
  }
}

function told(one: exchange.Exchange | undefined, watch: Watch): void {
  if (one) {
    watch(one);
  }
}

function titled(method: string, question: string, answer: Answer): string {
  return method === 'toolrag/explain' ? answer.question || question : question;
}

function isStop(error: unknown, token: vscode.CancellationToken): boolean {
  return (
    token.isCancellationRequested ||
    error instanceof vscode.CancellationError ||
    (error instanceof ResponseError && error.code === LSPErrorCodes.RequestCancelled)
  );
}

/** What went wrong, for a person. */
export function sentence(error: unknown): string {
  const said = error instanceof Error ? error.message : String(error);
  return serverEnded(error) ? 'The server ended while it answered. Ask once more.' : said;
}

/** The connection closed under a request: the client says so in words alone. */
function serverEnded(error: unknown): boolean {
  const said = error instanceof Error ? error.message : '';
  return /connection (?:got|is) (?:disposed|closed)|Pending response rejected|stream was destroyed|EPIPE/i.test(said);
}
