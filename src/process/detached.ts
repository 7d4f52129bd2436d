import { spawn } from 'node:child_process';
import { closeSync, fstatSync, openSync } from 'node:fs';
import { processErrors } from './errors.ts';

/** A process that leaves this one's session and terminal behind, its output appended to a file. */
export interface DetachedRequest {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly logPath: string;
  /** What it starts under: a caller that tightened its own umask hands on the one it had. */
  readonly umask: number;
}

export interface DetachedProcess {
  readonly pid: number;
  /** Size of the log before it started, in bytes. */
  readonly logOffset: number;
  /** Resolves with the exit code when it ends while this process still watches; null after a signal. */
  readonly exited: Promise<number | null>;
}

/** Starts it in a session of its own. Errors: CLIENT_NOT_STARTED when the system refuses. */
export async function startDetached(request: DetachedRequest): Promise<DetachedProcess> {
  const log = openSync(request.logPath, 'a', 0o600);
  const ownUmask = process.umask(request.umask);
  try {
    const logOffset = fstatSync(log).size;
    const child = spawn(request.file, [...request.args], {
      cwd: request.cwd,
      env: { ...request.env },
      detached: true,
      stdio: ['ignore', log, log],
    });
    process.umask(ownUmask);
    const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (error) =>
        reject(processErrors.create('CLIENT_NOT_STARTED', { program: request.file, why: error.message }, error)),
      );
    });
    child.unref();
    return { pid: child.pid ?? 0, logOffset, exited };
  } finally {
    process.umask(ownUmask);
    closeSync(log);
  }
}
