import { chmod, lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Log, asKraftError } from '../base/index.ts';
import { type Engine, type ListedContainer, homeLabel, sessionContainerName, sessionLabel } from '../runtime/index.ts';
import type { SweepReport } from './launch.ts';

/** The containers of a home that no live session owns. By label alone, never by name (SI 1.16). Pure. */
export function findLeftovers(
  listed: readonly ListedContainer[],
  liveSessionIds: readonly string[],
): readonly ListedContainer[] {
  const live = new Set(liveSessionIds);
  return listed.filter((container) => !live.has(container.labels[sessionLabel] ?? ''));
}

/** Removes leftover containers and client directories. A failed list removes nothing: unknown is not orphan (PF-G16). */
export async function sweepLeftovers(
  context: { readonly engine: Engine; readonly home: string; readonly run: string; readonly log: Log },
  liveSessionIds: readonly string[],
): Promise<SweepReport> {
  const { engine, home, log } = context;
  let listed: readonly ListedContainer[];
  try {
    listed = await engine.listContainers({ key: homeLabel, value: home });
  } catch (error) {
    const problem = `the containers of this home could not be listed: ${asKraftError(error).message}`;
    log.warn(problem);
    return { removed: [], problems: [problem] };
  }
  const removed: string[] = [];
  const problems: string[] = [];
  for (const container of findLeftovers(listed, liveSessionIds)) {
    try {
      await engine.removeContainer(container.id);
      removed.push(container.name);
    } catch (error) {
      problems.push(`${container.name} could not be removed: ${asKraftError(error).message}`);
    }
  }
  problems.push(...(await sweepClientDirs(join(context.run, 'sandbox-client'), liveSessionIds)));
  for (const problem of problems) log.warn(problem);
  return { removed, problems };
}

async function sweepClientDirs(dir: string, liveSessionIds: readonly string[]): Promise<readonly string[]> {
  const live = new Set(liveSessionIds.map(sessionContainerName));
  const names = await readdir(dir).catch(() => []);
  const problems: string[] = [];
  for (const name of names.filter((entry) => !live.has(entry))) {
    await rm(join(dir, name), { recursive: true, force: true }).catch((error: unknown) => {
      problems.push(`${join(dir, name)} could not be removed: ${asKraftError(error).message}`);
    });
  }
  return problems;
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
