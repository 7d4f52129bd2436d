import { asKraftError, safeLine, toTimestamp } from '../base/index.ts';
import type { KraftEvent } from '../events/index.ts';
import { decide, type Item } from '../items/index.ts';
import { walkErrors } from './errors.ts';
import { carryOver, findLosses, findRepository, removeTraces, type Losses } from './item-traces.ts';
import type { WalkPorts } from './ports.ts';
import { measureItem } from './storage.ts';
import type { VerbContext } from './verbs.ts';
import type { ArchiveOptions } from './walker.ts';

const shownPathsMax = 10;

/**
 * Frees what an ended item holds: worktree, ref store, HOME, results, and with `logs` what its sessions printed. Its branch
 * stays while it has commits that nothing else has. Its record stays in any case. Idempotent, and only recorded once
 * everything is gone (PF-X07). Errors: ITEM_OPEN; ARCHIVE_LOSES, before anything is removed; ARCHIVE_FAILED.
 */
export async function archiveItem(
  { ports, slots }: VerbContext,
  item: Item,
  { yes, logs }: ArchiveOptions,
): Promise<void> {
  const decision = decide(item, { verb: 'archive', by: 'human', runningSessions: [] });
  if (decision.kind === 'refused') throw decision.error;
  if (decision.kind !== 'archive') return;
  // It was recorded as ended a moment before its walk lets go of it.
  await slots.runOf(item.id)?.settled;
  const events = await freeAll(ports, item, { yes, logs });
  await ports.store.apply({
    itemId: item.id,
    item: { archivedAt: toTimestamp(ports.clock.nowMs()), worktree: null, adminDir: null, prepared: false },
    events: events.map((event) => ({ event, nodeId: null })),
    sessions: [],
    expectStatus: [item.status],
  });
}

async function freeAll(ports: WalkPorts, item: Item, { yes, logs }: ArchiveOptions): Promise<readonly KraftEvent[]> {
  try {
    const repository = await findRepository(ports, item.repo);
    const carried = await carryOver(ports, item, repository);
    const losses = await findLosses(ports, item, repository);
    if (!yes) refuseLosses(item, losses);
    const unpushed =
      repository === null
        ? null
        : await ports.git.countOwnCommits(repository, { branch: item.branch, itemId: item.id });
    const sessionIds = (await ports.store.listSessions({ itemId: item.id, statuses: null })).map(({ id }) => id);
    const { bytes, isPartial } = await measureItem(ports, item.id, { sessionIds, logs });
    const { keptBranch } = await removeTraces(ports, item, repository);
    await ports.launcher.releaseSessions({ itemId: item.id, sessionIds, logs });
    return [
      ...carried,
      {
        type: 'work_item_archived',
        payload: {
          by: 'human',
          kept_branch: keptBranch ?? false,
          unpushed_commits: unpushed,
          freed_bytes: isPartial ? null : bytes,
        },
      },
    ];
  } catch (error) {
    const known = asKraftError(error);
    if (known.kind === 'usage') throw known;
    throw walkErrors.create('ARCHIVE_FAILED', { id: item.id, why: `${known.message} ${known.remedy}` }, error);
  }
}

function refuseLosses(item: Item, { paths, why }: Losses): void {
  if (paths.length === 0 && why === null) return;
  throw walkErrors.create('ARCHIVE_LOSES', {
    id: item.id,
    count: paths.length,
    paths: paths.slice(0, shownPathsMax).map(safeLine),
    why,
    worktree: item.worktree ?? '',
  });
}
