import { asKraftError } from '../base/index.ts';
import type { Item } from '../items/index.ts';
import type { WalkPorts } from './ports.ts';
import type { Found } from './reattach.ts';

/** Removes the containers that no found session owns; what cannot be said to be over is not swept (PF-G16). Answers their names. */
export async function sweepContainers(ports: WalkPorts, found: readonly Found[]): Promise<readonly string[]> {
  const live = found.filter(({ adoption }) => adoption.kind === 'adopted' || hasLeftovers(adoption));
  try {
    const { removed, problems } = await ports.launcher.sweep(live.map(({ row }) => row.id));
    for (const problem of problems) ports.log.warn(problem);
    return removed;
  } catch (error) {
    ports.log.warn(`leftover containers could not be looked for: ${asKraftError(error).message}`);
    return [];
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
