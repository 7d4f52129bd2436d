import { chmod, lstat, readFile, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { asKraftError } from '../base/index.ts';
import { endOrphans, endProcessesIn, listAbandoned } from '../process/index.ts';
import {
  type ContainerRole,
  type Engine,
  type ListedContainer,
  homeLabel,
  roleLabel,
  sessionContainerName,
  sessionLabel,
} from '../runtime/index.ts';
import { orphanGraceMs } from './adopt.ts';
import type { ReleasedSessions, SweepKeep, SweepReport } from './launch.ts';
import { setupPrefix } from './plan.ts';

const relay: ContainerRole = 'relay';

/** The containers of a home that no live session owns. By label alone, never by name (SI 1.16). Pure. */
export function findLeftovers(
  listed: readonly ListedContainer[],
  liveSessionIds: readonly string[],
): readonly ListedContainer[] {
  const live = new Set(liveSessionIds);
  // A relay belongs to no session by label: those that serve one know it (`Routes.sweep`).
  return listed.filter(({ labels }) => labels[roleLabel] !== relay && !live.has(labels[sessionLabel] ?? ''));
}

export interface SweepContext {
  readonly engine: Engine;
  readonly home: string;
  readonly run: string;
  /** Waited for once when clients had to be ended: what they had asked of the engine may come about after them. */
  readonly pause: () => Promise<void>;
}

/**
 * Removes what earlier daemons left: clients that nobody owns, then containers by the label of this home and by the ids
 * that those clients wrote down, then files. A failed list removes nothing: unknown is not orphan (PF-G16).
 */
export async function sweepLeftovers(context: SweepContext, keep: SweepKeep): Promise<SweepReport> {
  const { engine, home, run } = context;
  await endOrphans(run, orphanGraceMs);
  const clientDirs = await listClientDirs(join(run, 'sandbox-client'), keep.sessionIds);
  let ended = 0;
  for (const dir of clientDirs) ended += await endProcessesIn(dir, orphanGraceMs);
  if (ended > 0) await context.pause();
  let listed: readonly ListedContainer[];
  try {
    listed = await engine.listContainers({ key: homeLabel, value: home });
  } catch (error) {
    const problem = `the containers of this home could not be listed: ${asKraftError(error).message}`;
    return { removed: [], problems: [problem] };
  }
  const { removed, problems } = await removeContainers(engine, findLeftovers(listed, keep.sessionIds));
  for (const dir of clientDirs) problems.push(...(await removeClientDir(engine, dir)));
  problems.push(...(await sweepFiles(run, keep)));
  return { removed, problems };
}

async function removeContainers(
  engine: Engine,
  leftovers: readonly ListedContainer[],
): Promise<{ readonly removed: string[]; readonly problems: string[] }> {
  const removed: string[] = [];
  const problems: string[] = [];
  for (const container of leftovers) {
    try {
      await engine.removeContainer(container.id);
      removed.push(container.name);
    } catch (error) {
      problems.push(`${container.name} could not be removed: ${asKraftError(error).message}`);
    }
  }
  return { removed, problems };
}

async function listClientDirs(dir: string, liveSessionIds: readonly string[]): Promise<readonly string[]> {
  const live = new Set(liveSessionIds.map(sessionContainerName));
  const names = await readdir(dir).catch(() => []);
  return names.filter((name) => !live.has(name)).map((name) => join(dir, name));
}

/** The directory goes after its container, so that the id in it is there for the next try. */
async function removeClientDir(engine: Engine, dir: string): Promise<readonly string[]> {
  try {
    const id = (await readFile(join(dir, 'cid'), 'utf8').catch(() => '')).trim();
    if (/^[0-9a-f]{64}$/u.test(id)) await engine.removeContainer(id);
    await rm(dir, { recursive: true, force: true });
    return [];
  } catch (error) {
    return [`${dir} could not be removed: ${asKraftError(error).message}`];
  }
}

async function sweepFiles(run: string, keep: SweepKeep): Promise<readonly string[]> {
  const drafts = ['engine-client', 'sandbox-image', 'sandbox-ca'].flatMap((name) =>
    listAbandoned(join(run, name), { starting: true }),
  );
  const codes = (await readdir(join(run, 'results')).catch(() => []))
    .filter((name) => name.endsWith('.exit.tmp') && !keep.sessionIds.includes(name.split('.')[0] ?? ''))
    .map((name) => join(run, 'results', name));
  const homes = (await readdir(join(run, 'sandbox-home')).catch(() => []))
    .filter((name) => !keep.itemIds.includes(name))
    .map((name) => join(run, 'sandbox-home', name));
  const problems: string[] = [];
  for (const path of [...drafts, ...codes, ...homes]) {
    await removeWorkerTree(path).catch((error: unknown) => {
      problems.push(`${path} could not be removed: ${asKraftError(error).message}`);
    });
  }
  return problems;
}

/** Removes results, exit codes and client directories of an item's sessions and setup commands, and with `logs` their logs, those of decisions included. */
export async function removeSessionTraces(run: string, { itemId, sessionIds, logs }: ReleasedSessions): Promise<void> {
  const dirs = ['results', 'sandbox-client', ...(logs ? ['logs', 'egress'] : [])].map((name) => join(run, name));
  const own = new Set(sessionIds);
  const setup = setupPrefix(itemId);
  for (const dir of dirs) {
    for (const name of await namesIn(dir)) {
      const id = sessionOf(name);
      if (own.has(id) || id.startsWith(setup)) await removeWorkerTree(join(dir, name));
    }
  }
}

/** Session that an entry of `results`, `logs` or `sandbox-client` is named by. */
export function sessionOf(name: string): string {
  const start = sessionContainerName('');
  const bare = name.startsWith(start) ? name.slice(start.length) : name;
  return bare.split('.')[0] ?? '';
}

/** Names in a directory of Kraft's own; none where it was not made yet. Other failures are thrown: unknown is not empty. */
async function namesIn(dir: string): Promise<readonly string[]> {
  try {
    return await readdir(dir);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

/** Removes a tree that a worker wrote. Folders that it made read-only (a module cache) are opened first; no link is followed. */
export async function removeWorkerTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch {
    await openDirectories(path);
    await rm(path, { recursive: true, force: true });
  }
}

async function openDirectories(path: string): Promise<void> {
  if (!(await lstat(path)).isDirectory()) return;
  await chmod(path, 0o700);
  for (const entry of await readdir(path, { withFileTypes: true }))
    if (entry.isDirectory()) await openDirectories(join(path, entry.name));
}
