import { closeSync, constants, fstatSync, openSync, statSync, write } from 'node:fs';
import { copyFile, rename, rm, stat, truncate } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { safeText, toTimestamp, type Clock, type Log } from '../base/index.ts';

const writeFd = promisify(write);

/** Log lines on their way out; disposing waits until they are written, but for a reader who has stopped only a moment. */
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

/** Characters held back while nobody takes them; lines over it are dropped and counted, so that no stall eats memory. */
const heldMaxChars = 1024 * 1024;
/** How long disposing waits for a reader who does not read. */
const lastLinesMs = 1_000;
const firstRetryMs = 10;
const longestRetryMs = 1_000;

/**
 * Writes log lines without ever blocking the event loop or the end of the process, and rotates the file by copying it
 * aside and cutting it to nothing: whoever else appends to the same open file (a crash report of the runtime) goes on at
 * its start.
 */
export function openServerLog(options: ServerLogOptions): ServerLog {
  const rotatedPath = options.path !== null && leadsTo(options.fd, options.path) ? options.path : null;
  const fd = openOutput(options.fd);
  const ending = new AbortController();
  const held: string[] = [];
  let heldChars = 0;
  let droppedLines = 0;
  let writing: Promise<void> | null = null;

  async function drain(): Promise<void> {
    while (held.length > 0) {
      const lines = held.splice(0);
      heldChars = 0;
      try {
        await writeAll(fd, Buffer.from(lines.join('')), ending.signal);
      } catch {
        // A closed terminal or a full disk must not end the daemon; the events hold what matters.
        droppedLines += lines.length;
        continue;
      }
      if (droppedLines > 0) {
        hold('warn', `${droppedLines} log lines were dropped`);
        droppedLines = 0;
      }
      if (rotatedPath !== null && !(await rotate(rotatedPath, options.maxBytes, options.keep))) {
        hold('warn', 'older log lines could not be kept');
      }
    }
    writing = null;
  }

  function hold(level: string, message: string): void {
    const line = `${toTimestamp(options.clock.nowMs())} ${level} ${safeText(message)}\n`;
    held.push(line);
    heldChars += line.length;
  }

  function add(level: string, message: string): void {
    if (ending.signal.aborted) return;
    if (heldChars >= heldMaxChars) {
      droppedLines += 1;
      return;
    }
    hold(level, message);
    writing ??= drain();
  }

  return {
    info: (message) => add('info', message),
    warn: (message) => add('warn', message),
    error: (message) => add('error', message),
    [Symbol.asyncDispose]: async () => {
      const waited = new AbortController();
      await Promise.race([writing, delay(lastLinesMs, null, { signal: waited.signal }).catch(() => null)]);
      waited.abort();
      ending.abort();
      if (fd === options.fd) return;
      await writing;
      closeSync(fd);
    },
  };
}

/**
 * The descriptor to write to. A pipe or a terminal is opened once more, without blocking: a write that waits for a reader
 * who has stopped (a pager, Ctrl-S) would hold a thread, and with it the end of the process. The descriptor itself cannot
 * be changed, because its mode is shared with every other process that has it.
 */
function openOutput(fd: number): number {
  try {
    const kind = fstatSync(fd);
    if (!kind.isFIFO() && !kind.isCharacterDevice()) return fd;
    return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    return fd;
  }
}

async function writeAll(fd: number, bytes: Buffer, ending: AbortSignal): Promise<void> {
  let retryMs = firstRetryMs;
  for (let at = 0; at < bytes.length;) {
    try {
      const { bytesWritten } = await writeFd(fd, bytes, at);
      at += bytesWritten;
      retryMs = firstRetryMs;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
      await delay(retryMs, null, { signal: ending, ref: false });
      retryMs = Math.min(2 * retryMs, longestRetryMs);
    }
  }
}

/** Whether the older lines were kept: a disk that is full for their copy must not let the file grow without end. */
async function rotate(path: string, maxBytes: number, keep: number): Promise<boolean> {
  try {
    if ((await stat(path)).size < maxBytes) return true;
    const kept = await copyAside(path, keep);
    await truncate(path, 0);
    return kept;
  } catch {
    return true;
  }
}

async function copyAside(path: string, keep: number): Promise<boolean> {
  try {
    await rm(`${path}.${keep}`, { force: true });
    for (let number = keep - 1; number >= 1; number--) {
      await rename(`${path}.${number}`, `${path}.${number + 1}`).catch((error: unknown) => {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
      });
    }
    await copyFile(path, `${path}.1`);
    return true;
  } catch {
    await rm(`${path}.1`, { force: true }).catch(() => null);
    return false;
  }
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
