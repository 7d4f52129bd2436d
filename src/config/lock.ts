import { randomBytes } from 'node:crypto';
import { link, readdir, readFile, readlink, rm, stat, unlink, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { configErrors } from './errors.ts';

/**
 * One writer at a time for a file, without help from a daemon.
 *
 * Node has no call for a lock that the kernel frees, so the lock is a file that names its owner: host, boot, pid
 * namespace, pid and start ticks. It comes into being whole, by `link`, and whoever finds it can tell whether that very
 * process still runs. A dead owner's lock is taken away under a second link, so that of two who find it only one does,
 * and never a lock that somebody else has taken meanwhile.
 */
export interface FileLock {
  /** Path of the lock file. */
  readonly path: string;
  /** What it protects, as people call it. */
  readonly label: string;
  readonly waitMs: number;
}

interface Owner {
  readonly host: string;
  readonly boot: string;
  readonly pidNamespace: string;
  readonly pid: number;
  readonly startTicks: string;
}

const pollMs = 15;
const claimMaxMs = 60_000;

/** Runs `work` while holding the lock; waits for another holder up to `waitMs`, then says who holds it. */
export async function holdLock<T>(lock: FileLock, work: () => Promise<T>): Promise<T> {
  const mine = `${lock.path}.${randomBytes(6).toString('hex')}`;
  await writeFile(mine, JSON.stringify(await ownIdentity()), { mode: 0o600, flag: 'wx' });
  try {
    await acquire(lock, mine);
    try {
      await removeDead(lock);
      return await work();
    } finally {
      await unlink(lock.path);
    }
  } finally {
    await rm(mine, { force: true });
  }
}

async function acquire(lock: FileLock, mine: string): Promise<void> {
  const deadline = performance.now() + lock.waitMs;
  while (!(await linked(mine, lock.path))) {
    await removeIfStale(lock.path);
    if (performance.now() > deadline) throw await heldError(lock);
    await sleep(pollMs + Math.random() * pollMs);
  }
}

/** Gives `path` the file `from`; false when something has that name already (or `from` itself is gone). */
async function linked(from: string, path: string): Promise<boolean> {
  try {
    await link(from, path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' || code === 'ENOENT') return false;
    throw error;
  }
}

/** While the second link exists, the lock that it was made from can be removed by nobody else: its owner is dead. */
async function removeIfStale(path: string): Promise<void> {
  if (!(await isStale(path))) return;
  const claim = `${path}.stale`;
  if (!(await linked(path, claim))) return;
  try {
    if (await isStale(claim)) await unlink(path);
  } finally {
    await unlink(claim);
  }
}

/** What waiters that were killed left beside the lock. A claim lives for milliseconds, so an old one is dead too. */
async function removeDead(lock: FileLock): Promise<void> {
  for (const name of await readdir(dirname(lock.path))) {
    if (!name.startsWith(`${basename(lock.path)}.`)) continue;
    const path = join(dirname(lock.path), name);
    const ageMs = Date.now() - (await stat(path).then((info) => info.ctimeMs, Date.now));
    if (ageMs > claimMaxMs && (await isStale(path))) await rm(path, { force: true });
  }
}

async function isStale(path: string): Promise<boolean> {
  const owner = await readOwner(path);
  return owner !== null && !(await mayRun(owner));
}

/** Null: no lock, or nothing that a lock looks like; such a file is left to a person. */
async function readOwner(path: string): Promise<Owner | null> {
  try {
    const owner = JSON.parse(await readFile(path, 'utf8')) as Partial<Owner> | null;
    return typeof owner?.pid === 'number' && typeof owner.host === 'string' ? (owner as Owner) : null;
  } catch {
    return null;
  }
}

/** False only when it is certain that the owner has ended; a process of another machine or namespace is never judged. */
async function mayRun(owner: Owner): Promise<boolean> {
  const here = await ownIdentity();
  if (owner.host !== here.host) return true;
  if (owner.boot !== here.boot) return false;
  if (owner.pidNamespace !== here.pidNamespace) return true;
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  return (await startTicks(owner.pid)) === owner.startTicks;
}

async function ownIdentity(): Promise<Owner> {
  return {
    host: hostname(),
    boot: await readFile('/proc/sys/kernel/random/boot_id', 'utf8').then(trim, unknown),
    pidNamespace: await readlink('/proc/self/ns/pid').catch(unknown),
    pid: process.pid,
    startTicks: await startTicks(process.pid),
  };
}

const trim = (text: string): string => text.trim();
const unknown = (): string => '';

/** Field 22 of proc(5) stat, counted from the last parenthesis; empty where there is no /proc. */
async function startTicks(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(unknown);
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

async function heldError(lock: FileLock): Promise<Error> {
  const owner = await readOwner(lock.path);
  return configErrors.create('CONFIG_LOCKED', {
    file: lock.label,
    lock: lock.path,
    owner: owner === null ? 'another process' : `process ${owner.pid} on ${owner.host}`,
    waitedMs: lock.waitMs,
  });
}
