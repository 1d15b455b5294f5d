// Programs that are run to their end, never through a shell.
import { execFile } from 'node:child_process';

export interface Ended {
  code: number;
  out: string;
  err: string;
}

export interface RunOptions {
  cwd: string;
  timeoutMs: number;
  env?: NodeJS.ProcessEnv;
  signal?: AbortSignal;
}

/** Code -1 where the program could not be run or did not end in time. */
export function run(program: string, args: readonly string[], options: RunOptions): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(
      program,
      args,
      {
        cwd: options.cwd,
        timeout: options.timeoutMs,
        env: { ...process.env, ...options.env },
        maxBuffer: 16 * 1024 * 1024,
        windowsHide: true,
        ...(options.signal ? { signal: options.signal } : {}),
      },
      (error, out, err) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
        resolve({ code, out, err: code === -1 && error ? `${err}${error.message}` : err });
      },
    );
  });
}
