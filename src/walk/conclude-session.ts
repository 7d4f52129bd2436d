import { renderSize, toTimestamp } from '../base/index.ts';
import type { Finding, KraftEvent, SessionStatus } from '../events/index.ts';
import type { PublishOutcome, Repository, Worktree } from '../git/index.ts';
import { explainTimeCap, renderReached, type ReachedCap } from '../items/index.ts';
import type { FinishedLaunch, WorkerResult } from '../launch/index.ts';
import type { SessionRow } from '../store/index.ts';
import { walkErrors } from './errors.ts';
import { Interrupt } from './interrupt.ts';
import { capEvent, loadUse } from './item-caps.ts';
import type { WalkPorts } from './ports.ts';
import type { Run } from './run.ts';
import { spendPayload, unpricedEvent } from './spend.ts';
import type { Watched } from './watch-session.ts';

/** How a session ended, as the walk judges it: fresh, adopted, or read back from its row. */
export interface SessionEnd {
  readonly sessionId: string;
  /** Canonical path of its task. */
  readonly task: string;
  /** What people see as the command. */
  readonly what: string;
  readonly findings: readonly Finding[];
  readonly status: Exclude<SessionStatus, 'pending' | 'running'>;
  readonly exitCode: number | null;
  readonly reason: string | null;
  readonly code: string | null;
  readonly remedy: string | null;
  /** The bound that ended it; null where none did, and where it was that of a fix loop. */
  readonly reached: ReachedCap | null;
  /** Until when the provider refuses (RFC 3339); null where it did not say, and when nothing was refused. */
  readonly limitedUntil: string | null;
}

/** Where a session's commits go. */
export interface Place {
  readonly repository: Repository;
  readonly worktree: Worktree;
}

/** A session that is over, and what it was run for. */
export interface EndedSession {
  readonly place: Place;
  readonly row: SessionRow;
  readonly watched: Watched;
  readonly wallMs: number;
  /** The person's words that its prompt held; null for none, and where a restart has forgotten them. */
  readonly steer: string | null;
}

/**
 * What follows the end of a session, however it was learned: publish its branch, then record everything at once.
 * Nothing reads the session's result or branch before (SI 1.1).
 */
export async function concludeSession(ports: WalkPorts, run: Run, ended: EndedSession): Promise<SessionEnd> {
  const { place, row, watched } = ended;
  const finished = judgeEnd(watched);
  const reached = await explainEnd(ports, finished, ended);
  const reason = reached === null ? reasonOf(finished) : renderReached(reached);
  const outcome = finished.leftBehind === null ? await publish(ports, run, place, row.id) : null;
  await run.record({
    nodeId: row.nodeId,
    sessions: [endedRow(ports, ended, { ...finished, reason })],
    item: keepsSteer(finished, ended) ? { steer: ended.steer } : {},
    events: [
      ...endEvents(row, finished),
      ...(outcome === null ? [] : publishEvents(place, row.id, outcome)),
      exitedEvent(ended, { ...finished, reason }),
      ...spendEvents(row, watched),
      ...(reached === null ? [] : [capEvent(reached)]),
      ...(finished.status === 'rate_limited' ? [limitEvent(row, watched)] : []),
    ],
  });
  refuseEnd(ports, run, ended, { finished, outcome });
  const { status, exitCode, code, remedy } = finished;
  const { id: sessionId, task, command: what } = row;
  const findings = findingsOf(finished.result);
  const limitedUntil = watched.reading?.rateLimit?.resetsAt ?? null;
  return { sessionId, task, what, findings, status, exitCode, reason, code, remedy, reached, limitedUntil };
}

/** What keeps the walk from going on with the session's work. Errors: CONTAINER_LEFT_BEHIND, BRANCH_NOT_PUBLISHED, Interrupt. */
function refuseEnd(
  ports: WalkPorts,
  run: Run,
  { place, row }: EndedSession,
  { finished, outcome }: { readonly finished: FinishedLaunch; readonly outcome: PublishOutcome | null },
): void {
  if (finished.leftBehind !== null) {
    throw walkErrors.create('CONTAINER_LEFT_BEHIND', { container: row.container, why: finished.leftBehind });
  }
  if (outcome?.kind === 'refused') {
    const { reason: why, keptAs } = outcome;
    ports.log.warn(`${run.itemId}: the branch ${place.worktree.branch} was not carried over: ${why}`);
    throw walkErrors.create('BRANCH_NOT_PUBLISHED', { branch: place.worktree.branch, why, keptAs });
  }
  if (finished.status === 'paused') {
    run.checkpoint();
    throw new Interrupt('pause');
  }
}

/** A failure whose log ends with the provider's refusal is no failure of the work (SI 1.14). */
function judgeEnd({ finished, reading }: Watched): FinishedLaunch {
  const limit = reading?.rateLimit ?? null;
  if (finished.status !== 'failed' || limit === null) return finished;
  return { ...finished, status: 'rate_limited', reason: limit.reason, code: null, remedy: null };
}

/** The bound that ended the session; null when none did. */
async function explainEnd(
  ports: WalkPorts,
  finished: FinishedLaunch,
  { row, watched: { reached, caps }, wallMs }: EndedSession,
): Promise<ReachedCap | null> {
  if (finished.status !== 'capped_out') return null;
  if (reached !== null || caps === null) return reached;
  return explainTimeCap(caps, await loadUse(ports, row.itemId), wallMs);
}

function endedRow(
  ports: WalkPorts,
  { row, watched, wallMs }: EndedSession,
  { status, exitCode, reason, result }: FinishedLaunch,
): { readonly id: string } & Partial<SessionRow> {
  return {
    id: row.id,
    status,
    exitCode,
    containerId: row.containerId,
    endedAt: toTimestamp(ports.clock.nowMs()),
    wallMs,
    reason,
    ...watched.spend,
    findings: findingsOf(result),
    verdict: verdictOf(result),
  };
}

/** The next agent reads what this one could not act on: it was refused, or paused with nothing to go on with. */
function keepsSteer({ status }: FinishedLaunch, { steer, watched }: EndedSession): boolean {
  if (steer === null) return false;
  return status === 'rate_limited' || (status === 'paused' && watched.spend.agentSession === null);
}

function findingsOf(result: WorkerResult | null): readonly Finding[] {
  return (result?.findings ?? []).map(({ severity, message, source, file, line }) => ({
    severity,
    message,
    source,
    file,
    line,
  }));
}

/** What a judge says of going on; the words of a gate's reviewer are none of its. */
function verdictOf(result: WorkerResult | null): SessionRow['verdict'] {
  switch (result?.verdict) {
    case 'continue':
    case 'stop_needs_human':
    case 'stop_downgrade':
      return result.verdict;
    default:
      return null;
  }
}

async function publish(ports: WalkPorts, run: Run, place: Place, sessionId: string): Promise<PublishOutcome> {
  return ports.git.publish({ ...place, itemId: run.itemId, sessionId });
}

/** What became of the branch, as facts. */
export function publishEvents(place: Place, sessionId: string, outcome: PublishOutcome): readonly KraftEvent[] {
  const { branch } = place.worktree;
  switch (outcome.kind) {
    case 'unchanged':
      return [];
    case 'published':
      return [
        {
          type: 'sandbox_branch_synced',
          payload: { session_id: sessionId, branch, from: outcome.from, to: outcome.to },
        },
      ];
    case 'refused':
      return [
        {
          type: 'sandbox_branch_not_synced',
          payload: { session_id: sessionId, branch, reason: outcome.reason, kept_as: outcome.keptAs },
        },
      ];
  }
}

/** A kill by the memory limit, of a session or of a setup command, whether or not it got past it. */
export function oomEvents(sessionId: string, { oom }: Pick<FinishedLaunch, 'oom'>): readonly KraftEvent[] {
  if (oom === null) return [];
  const { memoryBytes, confirmed, peakBytes } = oom;
  const memory = renderSize(memoryBytes);
  return [{ type: 'sandbox_oom_killed', payload: { session_id: sessionId, memory, confirmed, peak_bytes: peakBytes } }];
}

function endEvents(row: SessionRow, finished: FinishedLaunch): readonly KraftEvent[] {
  const events: KraftEvent[] = [...oomEvents(row.id, finished)];
  if (finished.output !== null) {
    const { reason, droppedBytes } = finished.output;
    events.push({
      type: 'session_output_incomplete',
      payload: { session_id: row.id, reason, dropped_bytes: droppedBytes },
    });
  }
  return events;
}

function exitedEvent({ row, watched, wallMs }: EndedSession, { status, exitCode, reason }: FinishedLaunch): KraftEvent {
  return {
    type: 'worker_session_exited',
    payload: {
      session_id: row.id,
      status,
      exit_code: exitCode,
      wall_ms: wallMs,
      reason,
      ...spendPayload(watched.spend),
    },
  };
}

function spendEvents(row: SessionRow, { spend, caps }: Watched): readonly KraftEvent[] {
  const event = caps === null ? null : unpricedEvent(row.id, spend, caps);
  return event === null ? [] : [event];
}

function limitEvent(row: SessionRow, { reading }: Watched): KraftEvent {
  const resetsAt = reading?.rateLimit?.resetsAt ?? null;
  return {
    type: 'rate_limit_hit',
    payload: { session_id: row.id, harness: row.harness ?? '', resets_at: resetsAt },
  };
}

/** Kraft's own reason, else what the worker says of itself. */
function reasonOf(finished: FinishedLaunch): string | null {
  return finished.reason ?? finished.result?.question ?? finished.result?.concerns ?? null;
}
