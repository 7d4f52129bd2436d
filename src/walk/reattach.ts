import { asKraftError, toTimestamp } from '../base/index.ts';
import { Interrupt } from './interrupt.ts';
import type { Item } from '../items/index.ts';
import type { Adoption } from '../launch/index.ts';
import type { SessionRow } from '../store/index.ts';
import { thaw, worktreeOf } from './frozen.ts';
import type { WalkPorts } from './ports.ts';
import { openRepository } from './ready.ts';
import type { Run } from './run.ts';
import { concludeSession, type EndedSession, type Place } from './conclude-session.ts';
import { nothingSpent } from './spend.ts';
import { Stopped } from './stops.ts';
import { readSession, watchSession, type Watched } from './watch-session.ts';

/** A session that an earlier daemon left, and what the launcher found of it. */
export interface Found {
  readonly row: SessionRow;
  readonly adoption: Adoption;
}

/** Asks of every session that was going on what became of it (SI 1.15). The launcher tears down what it does not adopt. */
export async function findSessions(ports: WalkPorts): Promise<readonly Found[]> {
  const rows = await ports.store.listSessions({ itemId: null, statuses: ['pending', 'running'] });
  return Promise.all(rows.map(async (row) => ({ row, adoption: await adopt(ports, row) })));
}

/** An engine that does not answer says nothing about the session: it may still run, so its work is not taken over now. */
async function adopt(ports: WalkPorts, row: SessionRow): Promise<Adoption> {
  try {
    const item = await ports.store.getItem(row.itemId);
    return await ports.launcher.adopt({ ...row, stopRequested: item?.pauseRequested ?? false });
  } catch (error) {
    const reason = asKraftError(error).message;
    return { kind: 'unknown', reason, leftBehind: reason };
  }
}

/**
 * Takes the found sessions of one item to their ends, as the daemon that started them would have: an adopted one is
 * waited for, a finished one published, an unknown one stops the item for a person.
 */
export async function continueSessions(ports: WalkPorts, run: Run, found: readonly Found[]): Promise<void> {
  if (found.length === 0) return;
  const item = await run.item();
  const place = await openPlace(ports, item);
  const frozen = thaw(item);
  const end = (row: SessionRow, watched: Watched): EndedSession => ({
    place,
    row,
    watched,
    wallMs: wallMs(ports, row),
    steer: null,
  });
  const take = async ({ row, adoption }: Found): Promise<void> => {
    if (adoption.kind === 'adopted') {
      await run.record({
        nodeId: row.nodeId,
        sessions: [{ id: row.id, status: 'running', ...adoption.running.client }],
        events: [{ type: 'session_reattached', payload: { session_id: row.id, pid: adoption.running.client.pid } }],
      });
      const watched = await watchSession(ports, run, { launch: adoption.running, row, frozen });
      const { containerId } = adoption.running;
      await concludeSession(ports, run, end({ ...row, containerId: containerId ?? row.containerId }, watched));
    } else if (adoption.kind === 'ended') {
      await concludeSession(ports, run, end(row, await readSession(ports, { ...adoption, row, frozen })));
    } else {
      await concludeUnknown(ports, run, { place, row, adoption });
    }
  };
  // Sessions that ran side by side end in any order, and each is ended whatever became of the others.
  const ends = await Promise.allSettled(found.map(take));
  const errors = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason as Error] : []));
  const worst = errors.find((error) => error instanceof Interrupt) ?? errors[0];
  if (worst !== undefined) throw worst;
}

async function concludeUnknown(
  ports: WalkPorts,
  run: Run,
  {
    place,
    row,
    adoption,
  }: {
    readonly place: Place;
    readonly row: SessionRow;
    readonly adoption: Extract<Adoption, { kind: 'unknown' }>;
  },
): Promise<never> {
  const { reason, leftBehind } = adoption;
  const finished = {
    status: 'unknown',
    exitCode: null,
    reason,
    code: null,
    remedy: null,
    oom: null,
    output: null,
    result: null,
    leftBehind,
  } as const;
  await run.record({
    nodeId: row.nodeId,
    events: [{ type: 'session_unknown', payload: { session_id: row.id, reason } }],
  });
  const watched = { finished, spend: nothingSpent, reading: null, reached: null, caps: null };
  await concludeSession(ports, run, { place, row, watched, wallMs: wallMs(ports, row), steer: null });
  throw new Stopped({
    kind: 'infra',
    code: null,
    reason: `Kraft stopped while a session ran, and nothing tells how that session ended: ${reason}`,
    remedy: `What it committed is on the item’s branch. Run \`kraft item retry ${row.itemId}\` to run the task again.`,
    sessionId: row.id,
    facts: { session_id: row.id, task: row.task, reason },
  });
}

async function openPlace(ports: WalkPorts, item: Item): Promise<Place> {
  const worktree = worktreeOf(item);
  // A session row is written over a worktree alone, so this is a database that somebody edited.
  if (worktree === null) throw new Interrupt('pause');
  return { repository: await openRepository(ports, thaw(item).repo), worktree };
}

/** Between two boots no monotonic clock goes on, so this is the wall clock's answer, never below zero. */
function wallMs(ports: WalkPorts, row: SessionRow): number {
  const from = Date.parse(row.startedAt ?? row.createdAt);
  return Math.max(0, Date.parse(toTimestamp(ports.clock.nowMs())) - from);
}
