// The extension's own Python environment: made once per version of the server, from the wheel the extension carries.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { run } from './run';

const OLDEST = [3, 11] as const;
const PROBE_MS = 20_000;
const INSTALL_MS = 10 * 60_000;
const ABANDONED_MS = 24 * 60 * 60_000;
const STAMP = 'toolrag.json';
const VECTORS = 'hnswlib>=0.8,<0.9';

const windows = process.platform === 'win32';

/** Why there is no server, in a sentence, and the one command that helps, where there is one. */
export class SetupError extends Error {
  constructor(
    message: string,
    readonly command?: string,
  ) {
    super(message);
  }
}

export interface Log {
  info(line: string): void;
  warn(line: string): void;
}

export interface Steps {
  log: Log;
  tell(step: string): void;
  signal: AbortSignal;
}

/** How the server is started: the program and its arguments. */
export interface Command {
  program: string;
  args: string[];
  /** Where it came from, for the log. */
  origin: string;
}

/** `-P`: a workspace's own files are no modules of the server's. */
export function serveWith(python: string, origin: string): Command {
  return { program: python, args: ['-P', '-m', 'toolrag', 'serve'], origin };
}

/** The version of toolrag that a Python can import; undefined where it has none or is too old for it. */
export async function importable(python: string, cwd: string): Promise<string | undefined> {
  const code = 'import toolrag, toolrag.commands, pygls, tree_sitter, numpy; print(toolrag.__version__)';
  const ended = await run(python, ['-P', '-c', code], { cwd, timeoutMs: PROBE_MS });
  return ended.code === 0 ? ended.out.trim() : undefined;
}

export interface Wheel {
  file: string;
  version: string;
}

/** The wheel that the extension carries. Raises SetupError when it has none. */
export async function carriedWheel(folder: string): Promise<Wheel> {
  const names = existsSync(folder) ? await readdir(folder) : [];
  for (const name of names) {
    const version = /^toolrag-([^-]+)-.*\.whl$/.exec(name)?.[1];
    if (version !== undefined) {
      return { file: path.join(folder, name), version };
    }
  }
  throw new SetupError(
    'This copy of the extension carries no server. Install toolrag and name it in toolrag.server.command.',
    'pip install toolrag',
  );
}

export function pythonIn(folder: string): string {
  return windows ? path.join(folder, 'Scripts', 'python.exe') : path.join(folder, 'bin', 'python');
}

/** The environment's Python, made now where it is missing, of another wheel or broken. Raises SetupError. */
export async function ownEnvironment(storage: string, wheel: Wheel, steps: Steps): Promise<string> {
  await mkdir(storage, { recursive: true });
  const folder = path.join(storage, `server-${wheel.version}`);
  const sha = createHash('sha256')
    .update(await readFile(wheel.file))
    .digest('hex');
  if (await isWhole(folder, sha, storage)) {
    return pythonIn(folder);
  }
  await sweep(storage);
  // Made beside its place and moved there whole: another window may be making the same one.
  const making = path.join(storage, `making-${process.pid}-${Date.now()}`);
  try {
    await make(making, wheel, storage, steps);
    await writeFile(path.join(making, STAMP), JSON.stringify({ wheel: sha, made: new Date().toISOString() }));
    if (!(await isWhole(folder, sha, storage))) {
      await rm(folder, { recursive: true, force: true });
      await rename(making, folder);
    }
  } finally {
    await rm(making, { recursive: true, force: true });
  }
  return pythonIn(folder);
}

async function isWhole(folder: string, sha: string, cwd: string): Promise<boolean> {
  try {
    const stamp: unknown = JSON.parse(await readFile(path.join(folder, STAMP), 'utf8'));
    if ((stamp as { wheel?: unknown } | null)?.wheel !== sha) {
      return false;
    }
  } catch {
    return false; // none yet, or one that was cut off
  }
  return (await importable(pythonIn(folder), cwd)) !== undefined;
}

async function make(folder: string, wheel: Wheel, cwd: string, steps: Steps): Promise<void> {
  steps.tell('looking for Python');
  const base = await basePython(cwd);
  steps.log.info(`Making an environment for toolrag ${wheel.version} with ${base}.`);
  steps.tell('making an environment');
  const made = await run(base, ['-m', 'venv', folder], { cwd, timeoutMs: INSTALL_MS, signal: steps.signal });
  stopped(steps.signal);
  if (made.code !== 0) {
    steps.log.warn(`${made.out}${made.err}`.trim());
    throw new SetupError('Python could not make an environment.', `${base} -m venv "${folder}"`);
  }
  steps.tell('installing toolrag (this happens once)');
  const python = pythonIn(folder);
  // pip's own configuration holds: its index, its proxy, its certificates.
  const args = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-input', wheel.file];
  const installed = await run(python, args, { cwd, timeoutMs: INSTALL_MS, signal: steps.signal });
  stopped(steps.signal);
  if (installed.code !== 0) {
    steps.log.warn(`${installed.out}${installed.err}`.trim());
    throw new SetupError('pip could not install toolrag; the log says why.', `${base} -m pip install "${wheel.file}"`);
  }
  if ((await importable(python, cwd)) === undefined) {
    throw new SetupError('toolrag was installed but cannot be imported.', `${base} -m pip install "${wheel.file}"`);
  }
}

function stopped(signal: AbortSignal): void {
  if (signal.aborted) {
    throw new SetupError('Setting up toolrag was stopped.');
  }
}

/** A Python that is new enough and can make environments. Raises SetupError, which says what to install. */
async function basePython(cwd: string): Promise<string> {
  const names = windows ? ['py', 'python', 'python3'] : ['python3', 'python3.13', 'python3.12', 'python3.11', 'python'];
  let old: string | undefined;
  let bare = false;
  for (const name of names) {
    const code =
      'import sys\nprint(sys.executable); print(*sys.version_info[:2])\nimport venv, ensurepip\nprint("venv")';
    const ended = await run(name, ['-c', code], { cwd, timeoutMs: PROBE_MS });
    const [executable, version, venv] = ended.out.split(/\r?\n/);
    if (!executable || !version) {
      continue;
    }
    if (!newEnough(version)) {
      old ??= version.replace(' ', '.');
    } else if (venv !== 'venv') {
      bare = true;
    } else {
      return executable;
    }
  }
  const wanted = OLDEST.join('.');
  if (bare) {
    throw new SetupError(
      'Python is here, but without its venv module. Install it, then restart the server.',
      'sudo apt-get install python3-venv',
    );
  }
  throw new SetupError(
    `toolrag needs Python ${wanted} or later${old ? `; this is ${old}` : ', and there is none on the PATH'}. ` +
      'Install it from python.org or with the system, then restart the server.',
  );
}

export function newEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split(/[ .]/).map(Number);
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}

/** Remove what a window that was closed half-way left behind. */
async function sweep(storage: string): Promise<void> {
  for (const name of await readdir(storage)) {
    const folder = path.join(storage, name);
    if (name.startsWith('making-') && Date.now() - (await stat(folder)).mtimeMs > ABANDONED_MS) {
      await rm(folder, { recursive: true, force: true });
    }
  }
}

/** Try once to build the vector index, for the next start: it has no wheels, and without it an exact index serves. */
export async function tryVectors(python: string, cwd: string, log: Log): Promise<void> {
  const mark = path.join(path.dirname(path.dirname(python)), 'hnswlib.tried');
  if (existsSync(mark)) {
    return;
  }
  await writeFile(mark, '');
  const args = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-input', VECTORS];
  const ended = await run(python, args, { cwd, timeoutMs: INSTALL_MS, env: { HNSWLIB_NO_NATIVE: '1' } });
  log.info(
    ended.code === 0
      ? 'hnswlib was built; it serves from the next start on.'
      : 'hnswlib could not be built here (it needs a C++ compiler): an exact vector index serves instead.',
  );
}
