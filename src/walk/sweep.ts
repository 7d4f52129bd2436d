import { asKraftError } from '../base/index.ts';
import type { Item } from '../items/index.ts';
import type { WalkPorts } from './ports.ts';
import type { Found } from './reattach.ts';

/**
 * Removes what earlier daemons left and no item or found session owns; what cannot be said to be over is not swept
 * (PF-G16). Answers the names of the containers.
 */
export async function sweepLeftovers(ports: WalkPorts, found: readonly Found[]): Promise<readonly string[]> {
  const live = found.filter(({ adoption }) => adoption.kind === 'adopted' || hasLeftovers(adoption));
  const itemIds = (await ports.store.listItems({ repo: null, statuses: null })).map((item) => item.id);
  const swept = await orProblem(
    async () => ports.launcher.sweep({ sessionIds: live.map(({ row }) => row.id), itemIds }),
    (problem) => ({ removed: [], problems: [problem] }),
  );
  const kept = await orProblem(
    async () => ports.git.sweep(itemIds),
    (problem) => [problem],
  );
  for (const problem of [...swept.problems, ...kept]) ports.log.warn(problem);
  return swept.removed;
}

async function orProblem<T>(look: () => Promise<T>, tell: (problem: string) => T): Promise<T> {
  try {
    return await look();
  } catch (error) {
    return tell(`what an earlier daemon left could not be looked for: ${asKraftError(error).message}`);
  }
}

/** Sessions of items that are not active any more cannot be going on: their rows end as what was found. */
export async function endStraySessions(
  ports: WalkPorts,
  found: readonly Found[],
  active: readonly Item[],
): Promise<void> {
  for (const { row, adoption } of found) {
    if (active.some((item) => item.id === row.itemId)) continue;
    if (adoption.kind === 'adopted') {
      adoption.running.stop('cancel');
      await adoption.running.finished;
    }
    await ports.store.apply({
      itemId: row.itemId,
      item: {},
      events: [],
      sessions: [{ id: row.id, status: 'unknown' }],
      expectStatus: null,
    });
  }
}

function hasLeftovers(adoption: Found['adoption']): boolean {
  if (adoption.kind === 'unknown') return adoption.leftBehind !== null;
  return adoption.kind === 'ended' && adoption.finished.leftBehind !== null;
}
