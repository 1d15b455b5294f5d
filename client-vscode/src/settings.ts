// What of VS Code's settings goes where. The server reads its own settings file; only what a person set here is sent.
import * as vscode from 'vscode';
import { chosen, type Inspected, SERVER_SETTINGS } from './shared/settings';

const ALL_FILES = 'toolrag.indexAllFiles';
const NO_LIMIT = 1_000_000_000;

function config(): vscode.WorkspaceConfiguration {
  return vscode.workspace.getConfiguration('toolrag');
}

/** The settings that the server takes from an editor, each only where a person set it. */
export function forServer(memory: vscode.Memento): Record<string, unknown> {
  const inspect = (name: string) => config().inspect(name) as Inspected | undefined;
  const found = chosen(SERVER_SETTINGS, inspect, vscode.workspace.isTrusted);
  return memory.get<boolean>(ALL_FILES)
    ? { ...found, index: { ...(found.index as object), maxFiles: NO_LIMIT } }
    : found;
}

/** Remember that a person wants this workspace indexed, however many files it has. */
export async function indexAll(memory: vscode.Memento): Promise<void> {
  await memory.update(ALL_FILES, true);
}

/** Program and arguments of `toolrag.server.command`; undefined where there is none. */
export function serverCommand(): { program: string; args: string[] } | undefined {
  const [program, ...args] = words('server.command');
  return program === undefined ? undefined : { program, args: args.length > 0 ? args : ['serve'] };
}

/** What the server finds in its environment: addresses and accounts, which no workspace may name. */
export function environment(key: string | undefined): NodeJS.ProcessEnv {
  const named: [string, string | undefined][] = [
    ['OPENAI_API_KEY', key],
    ['OPENAI_BASE_URL', word('openai.baseUrl')],
    ['AWS_REGION', word('bedrock.region')],
    ['AWS_PROFILE', word('bedrock.profile')],
  ];
  return Object.fromEntries(named.filter(([, value]) => value));
}

export const model = (): string | undefined => word('model');
export const onStart = (): boolean => config().get<boolean>('index.onStart', true);
export const vectors = (): string => config().get<string>('index.vectors', 'auto');
export const scope = (): { include: string[]; exclude: string[] } => ({
  include: words('ask.include'),
  exclude: words('ask.exclude'),
});

export async function setModel(value: string): Promise<void> {
  await config().update('model', value, vscode.ConfigurationTarget.Global);
}

/** Settings that a server has to be started anew for. */
export function needsRestart(event: vscode.ConfigurationChangeEvent): boolean {
  const names = ['server.command', 'openai.baseUrl', 'bedrock.region', 'bedrock.profile'];
  return names.some((name) => event.affectsConfiguration(`toolrag.${name}`));
}

function word(name: string): string | undefined {
  const value = config().get<unknown>(name);
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

function words(name: string): string[] {
  const value = config().get<unknown>(name);
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string' && one !== '') : [];
}
