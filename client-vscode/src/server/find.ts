// Which server is started: the one a person names, the active Python environment's, else the extension's own.
import * as path from 'node:path';
import * as vscode from 'vscode';
import * as settings from '../settings';
import { type Command, carriedWheel, importable, type Log, ownEnvironment, serveWith, tryVectors } from './environment';

/** Raises SetupError. */
export async function findServer(context: vscode.ExtensionContext, log: Log): Promise<Command> {
  const storage = context.globalStorageUri.fsPath;
  await vscode.workspace.fs.createDirectory(context.globalStorageUri); // every server is started in it
  const named = settings.serverCommand();
  if (named) {
    return { ...named, origin: 'toolrag.server.command' };
  }
  const active = await activePython(log);
  if (active !== undefined && (await importable(active, storage)) !== undefined) {
    return serveWith(active, 'the active Python environment');
  }
  const wheel = await carriedWheel(path.join(context.extensionPath, 'wheels'));
  const python = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: 'Setting up toolrag', cancellable: true },
    async (progress, token) => {
      const stop = new AbortController();
      token.onCancellationRequested(() => stop.abort());
      return ownEnvironment(storage, wheel, {
        log,
        tell: (step) => progress.report({ message: step }),
        signal: stop.signal,
      });
    },
  );
  if (settings.vectors() !== 'exact') {
    tryVectors(python, storage, log).catch((error: unknown) => log.warn(`hnswlib was not tried: ${error}`));
  }
  return serveWith(python, 'the extension’s own environment');
}

interface PythonApi {
  environments: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { path: string };
    resolveEnvironment(of: { path: string }): Promise<{ executable: { uri?: vscode.Uri } } | undefined>;
  };
}

/** The interpreter chosen in Microsoft's Python extension. Not in an untrusted workspace, which may have brought it. */
async function activePython(log: Log): Promise<string | undefined> {
  const extension = vscode.extensions.getExtension<PythonApi>('ms-python.python');
  if (!extension || !vscode.workspace.isTrusted) {
    return undefined;
  }
  try {
    const { environments } = await extension.activate();
    const active = environments.getActiveEnvironmentPath(vscode.workspace.workspaceFolders?.[0]?.uri);
    return (await environments.resolveEnvironment(active))?.executable.uri?.fsPath;
  } catch (error) {
    log.warn(`The Python extension did not say which environment is active: ${error}`);
    return undefined;
  }
}
