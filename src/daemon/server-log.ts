import { fstatSync, statSync } from 'node:fs';
import { copyFile, rename, rm, stat, truncate } from 'node:fs/promises';
import { write } from 'node:fs';
import { promisify } from 'node:util';
import { safeText, toTimestamp, type Clock, type Log } from '../base/index.ts';

const writeFd = promisify(write);

/** Log lines on their way out; disposing waits until they are written. */
export interface ServerLog extends Log, AsyncDisposable {}

export interface ServerLogOptions {
  /** Where lines go: the standard error of the process. */
  readonly fd: number;
  /** The log file that rotates when `fd` leads to it; null for none. */
  readonly path: string | null;
  readonly maxBytes: number;
  /** Older files that are kept as `<path>.1` and on. */
  readonly keep: number;
  readonly clock: Clock;
}

/** The server log in a home: three older files are kept. */
export const serverLogLimits = { maxBytes: 10 * 1024 * 1024, keep: 3 } as const;

/** Lines held back while a write is under way; more are dropped and counted, so that a full disk eats no memory. */
const heldMax = 10_000;

/**
 * Writes log lines without ever blocking the event loop, and rotates the file by copying it aside and cutting it to
 * nothing: whoever else appends to the same open file (a crash report of the runtime) goes on at its start.
 */
export function openServerLog(options: ServerLogOptions): ServerLog {
  const rotatedPath = options.path !== null && leadsTo(options.fd, options.path) ? options.path : null;
  const held: string[] = [];
  let droppedLines = 0;
  let writing: Promise<void> | null = null;

  async function drain(): Promise<void> {
    while (held.length > 0) {
      const text = held.splice(0).join('');
      try {
        await writeAll(options.fd, Buffer.from(text));
        if (rotatedPath !== null) await rotate(rotatedPath, options.maxBytes, options.keep);
      } catch {
        // A closed terminal or a full disk must not end the daemon; the events hold what matters.
        droppedLines += 1;
      }
    }
    writing = null;
  }

  function add(level: string, message: string): void {
    if (held.length >= heldMax) {
      droppedLines += 1;
      return;
    }
    const at = toTimestamp(options.clock.nowMs());
    if (droppedLines > 0) {
      held.push(`${at} warn ${droppedLines} log lines were dropped\n`);
      droppedLines = 0;
    }
    held.push(`${at} ${level} ${safeText(message)}\n`);
    writing ??= drain();
  }

  return {
    info: (message) => add('info', message),
    warn: (message) => add('warn', message),
    error: (message) => add('error', message),
    [Symbol.asyncDispose]: async () => {
      await writing;
    },
  };
}

async function writeAll(fd: number, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length;) {
    const { bytesWritten } = await writeFd(fd, bytes, at);
    at += bytesWritten;
  }
}

async function rotate(path: string, maxBytes: number, keep: number): Promise<void> {
  const { size } = await stat(path);
  if (size < maxBytes) return;
  await rm(`${path}.${keep}`, { force: true });
  for (let number = keep - 1; number >= 1; number--) {
    await rename(`${path}.${number}`, `${path}.${number + 1}`).catch((error: unknown) => {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    });
  }
  await copyFile(path, `${path}.1`);
  await truncate(path, 0);
}

/** Whether the open file is the one at `path`: only then does rotating the path cut what is written. */
function leadsTo(fd: number, path: string): boolean {
  try {
    const open = fstatSync(fd);
    const named = statSync(path);
    return open.isFile() && open.dev === named.dev && open.ino === named.ino;
  } catch {
    return false;
  }
}
