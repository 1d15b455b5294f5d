// The language server's life: found, started, started again when it ends, stopped.
import * as vscode from 'vscode';
import {
  CloseAction,
  type DynamicFeature,
  ErrorAction,
  LanguageClient,
  type LanguageClientOptions,
  type Middleware,
  type StaticFeature,
  TransportKind,
} from 'vscode-languageclient/node';
import type { Keys } from '../keys';
import * as settings from '../settings';
import { Backoff } from './backoff';
import { type Command, SetupError } from './environment';
import { findServer } from './find';

export type Life = 'off' | 'starting' | 'running' | 'failed';

/** Documents a person works on; not output channels, nor what git or another extension shows. */
const DOCUMENTS = ['file', 'untitled', 'vscode-notebook-cell', 'vscode-remote'].map((scheme) => ({ scheme }));

/** Its commands are registered by the extension, which does more with them than to pass them on. */
class Client extends LanguageClient {
  // biome-ignore lint/suspicious/noExplicitAny: the library's own signature
  override registerFeature(feature: StaticFeature | DynamicFeature<any>): void {
    const method = 'registrationType' in feature ? feature.registrationType.method : undefined;
    if (method !== 'workspace/executeCommand') {
      super.registerFeature(feature);
    }
  }
}

export class Server implements vscode.Disposable {
  private client: Client | undefined;
  private starting: Promise<Client> | undefined;
  private again: NodeJS.Timeout | undefined;
  private readonly backoff = new Backoff();
  private readonly changed = new vscode.EventEmitter<void>();
  private disposed = false;
  private generation = 0;
  life: Life = 'off';
  /** What was started last. */
  command: Command | undefined;
  /** Why it failed, in a sentence. */
  problem: string | undefined;
  readonly onDidChange = this.changed.event;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly log: vscode.LogOutputChannel,
    private readonly keys: Keys,
    /** Called with each new client, before it starts. */
    private readonly prepare: (client: LanguageClient) => void,
    private readonly onWorkDone: Middleware['handleWorkDoneProgress'],
  ) {}

  /** The running client, started where there is none. Raises with a sentence. */
  async ready(): Promise<LanguageClient> {
    if (this.client && this.life === 'running') {
      return this.client;
    }
    clearTimeout(this.again);
    this.starting ??= this.start().finally(() => {
      this.starting = undefined;
    });
    return this.starting;
  }

  /** A running client other than one whose connection closed. Raises with a sentence. */
  async another(than: LanguageClient): Promise<LanguageClient> {
    if (this.client === than && !this.disposed) {
      await new Promise<void>((resolve) => {
        const waiting = this.onDidChange(() => {
          waiting.dispose();
          resolve();
        });
      });
    }
    return this.ready();
  }

  async restart(): Promise<void> {
    this.backoff.reset();
    await this.stop();
    await this.starting?.catch(() => undefined); // a start that was under way sees that it was stopped
    await this.ready();
  }

  async stop(): Promise<void> {
    this.generation += 1;
    clearTimeout(this.again);
    const client = this.client;
    this.client = undefined;
    this.set('off');
    if (client?.isRunning()) {
      await client.stop().catch((error: unknown) => this.log.warn(`The server did not stop in order: ${error}`));
    }
  }

  dispose(): void {
    this.disposed = true;
    clearTimeout(this.again);
    this.changed.dispose();
  }

  private async start(): Promise<Client> {
    this.set('starting');
    const generation = this.generation;
    try {
      const command = await findServer(this.context, this.log);
      this.command = command;
      this.log.info(`Starting ${command.program} ${command.args.join(' ')} (${command.origin}).`);
      const client = new Client('toolrag', 'toolrag', await this.options(command), this.clientOptions());
      this.client = client;
      this.prepare(client);
      this.backoff.started(Date.now());
      await client.start();
      if (generation !== this.generation) {
        await client.stop();
        throw new Error('The server was stopped.');
      }
      this.set('running');
      return client;
    } catch (error) {
      if (generation === this.generation) {
        this.client = undefined;
        this.fail(error);
      }
      throw error;
    }
  }

  private async options(command: Command) {
    const env = settings.environment(await this.keys.openai());
    return {
      command: command.program,
      args: command.args,
      transport: TransportKind.stdio,
      // Not the workspace: what lies there is never imported, and never run.
      options: { cwd: this.context.globalStorageUri.fsPath, env },
    };
  }

  private clientOptions(): LanguageClientOptions {
    return {
      documentSelector: DOCUMENTS,
      outputChannel: this.log,
      initializationOptions: { toolrag: { ...settings.forServer(this.context.workspaceState), commandLinks: true } },
      markdown: { isTrusted: { enabledCommands: ['toolrag.explain'] } },
      initializationFailedHandler: () => false,
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => {
          this.ended();
          return { action: CloseAction.DoNotRestart, handled: true };
        },
      },
      middleware: {
        ...(this.onWorkDone ? { handleWorkDoneProgress: this.onWorkDone } : {}),
        workspace: {
          configuration: (params) =>
            params.items.map((item) =>
              item.section === 'toolrag' ? settings.forServer(this.context.workspaceState) : null,
            ),
          didChangeConfiguration: async () => {
            await this.client?.sendNotification('workspace/didChangeConfiguration', { settings: null });
          },
        },
      },
      synchronize: { configurationSection: 'toolrag' },
    };
  }

  /** The server's process is gone, unasked. */
  private ended(): void {
    if (this.disposed || this.life !== 'running') {
      return; // a start that fails says so itself
    }
    this.client = undefined;
    const wait = this.backoff.ended(Date.now());
    if (wait === undefined) {
      this.fail(new SetupError('The server keeps ending; the log says more.'));
      return;
    }
    this.log.warn(`The server ended; it is started again in ${wait / 1000} s.`);
    this.set('starting');
    this.again = setTimeout(() => {
      this.ready().catch(() => undefined); // `fail` has said it
    }, wait);
  }

  private fail(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    this.problem = message;
    this.log.error(message);
    this.set('failed');
    void this.offerHelp(message, error instanceof SetupError ? error.command : undefined);
  }

  private async offerHelp(message: string, command: string | undefined): Promise<void> {
    const [copy, restart, log] = ['Copy Command', 'Restart Server', 'Show Log'];
    const text = command ? `toolrag: ${message} Run: ${command}` : `toolrag: ${message}`;
    const chosen = await vscode.window.showErrorMessage(text, ...(command ? [copy] : []), restart, log);
    if (chosen === copy && command) {
      await vscode.env.clipboard.writeText(command);
    } else if (chosen === restart) {
      await vscode.commands.executeCommand('toolrag.restart');
    } else if (chosen === log) {
      this.log.show();
    }
  }

  private set(life: Life): void {
    this.life = life;
    if (life !== 'failed') {
      this.problem = undefined;
    }
    if (!this.disposed) {
      this.changed.fire();
    }
  }
}
