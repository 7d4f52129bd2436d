import { open, readFile, rename, stat } from 'node:fs/promises';
import { z } from 'zod';
import { run, runRequest } from '../process/index.ts';

/** How much of a log is kept. The middle is dropped; offsets of the rest stay what they were. */
export interface LogCap {
  readonly headBytes: number;
  readonly tailBytes: number;
  /** How far over the cap it may grow before the middle is dropped (again): a bound on how often. */
  readonly slackBytes: number;
}

const half = 512 * 1024 ** 2;

/** 1 GiB, head and tail. */
export const defaultLogCap: LogCap = { headBytes: half, tailBytes: half, slackBytes: 64 * 1024 ** 2 };

/** A range of the log that is gone: `from` inclusive, `to` exclusive. */
export interface DroppedRange {
  readonly from: number;
  readonly to: number;
}

const blockBytes = 4096;

/** The range to be dropped now, or null. Whole blocks: a hole cannot be smaller. Pure. */
export function decideDrop(sizeBytes: number, dropped: DroppedRange | null, cap: LogCap): DroppedRange | null {
  const from = dropped?.from ?? Math.ceil(cap.headBytes / blockBytes) * blockBytes;
  const to = Math.floor((sizeBytes - cap.tailBytes) / blockBytes) * blockBytes;
  const kept = sizeBytes - ((dropped?.to ?? from) - from);
  if (kept <= cap.headBytes + cap.tailBytes + cap.slackBytes || to <= (dropped?.to ?? from)) return null;
  return { from, to };
}

const Sidecar = z.strictObject({ from: z.int().nonnegative(), to: z.int().nonnegative() });

/** What the cap dropped of a log so far; null for nothing. A reader skips the range and says how long it is. */
export async function readDroppedRange(logPath: string): Promise<DroppedRange | null> {
  try {
    return Sidecar.parse(JSON.parse(await readFile(capPath(logPath), 'utf8')));
  } catch {
    return null;
  }
}

function capPath(logPath: string): string {
  return `${logPath}.cap.json`;
}

/**
 * Keeps a growing log under its cap by punching a hole into its middle. Answers null when all is well, else why the
 * file system or the system's `fallocate` would not.
 */
export async function enforceLogCap(
  logPath: string,
  cap: LogCap,
  env: Readonly<Record<string, string>>,
): Promise<string | null> {
  const size = await stat(logPath).then(
    (found) => found.size,
    () => 0,
  );
  if (size <= cap.headBytes + cap.tailBytes + cap.slackBytes) return null;
  const before = await readDroppedRange(logPath);
  const range = decideDrop(size, before, cap);
  if (range === null) return null;
  // The record first: after a crash in between, a reader takes what is still there for dropped, and never a hole for text.
  await writeSidecar(capPath(logPath), range);
  const from = before?.to ?? range.from;
  const args = ['--punch-hole', '--offset', String(from), '--length', String(range.to - from), '--', logPath];
  const punched = await run(runRequest('fallocate', args, env, { timeoutMs: 60_000 }));
  if (punched.exitCode === 0) return null;
  return punched.notFound ? 'the program fallocate is not here' : punched.stderr.trim() || 'fallocate did not end';
}

async function writeSidecar(path: string, range: DroppedRange): Promise<void> {
  const file = await open(`${path}.tmp`, 'w', 0o600);
  try {
    await file.writeFile(JSON.stringify(range));
  } finally {
    await file.close();
  }
  await rename(`${path}.tmp`, path);
}
