import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock, Log } from '../base/index.ts';
import type { HomePaths, Kraft } from '../compose/index.ts';
import { socketName } from '../daemon-client/index.ts';
import { daemonErrors } from './errors.ts';
import { startServer } from './server.ts';

export interface DaemonOptions {
  /** Resolved; `run` exists with mode 0700. */
  readonly paths: HomePaths;
  /** Takes the home's lock, or answers null when another process holds it. */
  readonly takeLock: (path: string) => Promise<Disposable | null>;
  /** Opens everything behind the facade; called once the lock is held. */
  readonly openKraft: () => Promise<Kraft>;
  readonly log: Log;
  readonly clock: Clock;
  /** Ends the daemon; sessions go on for the next one to adopt. */
  readonly ended: AbortSignal;
}

const longestLockWaitMs = 2_000;

/**
 * Serves one home until it is told to end. Errors: DAEMON_RUNNING when another daemon serves the home, and what opening
 * the facade reports.
 */
export async function runDaemon(options: DaemonOptions): Promise<void> {
  const pidPath = join(options.paths.run, 'kraft.pid');
  const lock = await takeLock(options, pidPath);
  try {
    await writeFile(pidPath, `${process.pid}\n`, { mode: 0o600 });
    await using kraft = await options.openKraft();
    await serve(options, kraft);
  } finally {
    await rm(pidPath, { force: true });
    lock[Symbol.dispose]();
  }
}

async function serve({ paths, log, ended }: DaemonOptions, kraft: Kraft): Promise<void> {
  const asked = Promise.withResolvers<string>();
  const socketPath = join(paths.run, socketName);
  const server = await startServer({ kraft, socketPath, log, stop: () => asked.resolve('asked to stop') });
  try {
    const why = await Promise.race([asked.promise, untilAborted(ended)]);
    const left = await kraft.runningSessionCount();
    log.info(`ending (${why}); ${left} running ${left === 1 ? 'session goes' : 'sessions go'} on and will be adopted`);
  } finally {
    await server[Symbol.asyncDispose]();
  }
}

async function takeLock(options: DaemonOptions, pidPath: string): Promise<Disposable> {
  const path = join(options.paths.run, 'kraft.lock');
  // A daemon that has just been stopped frees its lock as the last thing it does.
  const deadlineMs = options.clock.monotonicMs() + longestLockWaitMs;
  for (;;) {
    const lock = await options.takeLock(path);
    if (lock !== null) return lock;
    if (options.clock.monotonicMs() >= deadlineMs) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw daemonErrors.create('DAEMON_RUNNING', { home: options.paths.home, pid: await readPid(pidPath) });
}

/** The pid that the running daemon wrote; informative only, the lock is what counts. */
async function readPid(path: string): Promise<number | null> {
  try {
    const text = (await readFile(path, 'utf8')).trim();
    return /^[0-9]+$/.test(text) ? Number(text) : null;
  } catch {
    return null;
  }
}

async function untilAborted(signal: AbortSignal): Promise<string> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  return String(signal.reason);
}
