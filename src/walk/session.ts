import { renderSize, toTimestamp } from '../base/index.ts';
import type { KraftEvent, SessionStatus } from '../events/index.ts';
import type { PublishOutcome, Repository, Worktree } from '../git/index.ts';
import type { FinishedLaunch, LaunchPlan, RunningLaunch } from '../launch/index.ts';
import type { SessionRow } from '../store/index.ts';
import { walkErrors } from './errors.ts';
import { Interrupt } from './interrupt.ts';
import type { WalkPorts } from './ports.ts';
import { checkDisk, findDiskFloor, type Ready } from './ready.ts';
import type { Run } from './run.ts';
import { timeCapMs } from './time-cap.ts';

/** One session to run. */
export interface SessionRequest {
  readonly nodeId: string;
  /** Canonical path of the task. */
  readonly task: string;
  readonly attempt: number;
  /** Null for a subprocess. */
  readonly harness: string | null;
  readonly command: readonly string[];
  /** What people see as the command. */
  readonly commandText: string;
  readonly env: Readonly<Record<string, string>>;
  readonly envNames: readonly string[];
}

/** How a session ended, as the walk judges it: fresh, adopted, or read back from its row. */
export interface SessionEnd {
  readonly sessionId: string;
  readonly status: Exclude<SessionStatus, 'pending' | 'running'>;
  readonly exitCode: number | null;
  readonly reason: string | null;
  readonly code: string | null;
  readonly remedy: string | null;
}

/** Where a session's commits go. */
export interface Place {
  readonly repository: Repository;
  readonly worktree: Worktree;
}

/**
 * Runs one session from its row to its published branch. Interrupts unwind it with the row ended as `paused`, or left
 * running for the next daemon. Errors: those of the plan (nothing was started), BRANCH_NOT_PUBLISHED,
 * CONTAINER_LEFT_BEHIND.
 */
export async function runSession(
  ports: WalkPorts,
  run: Run,
  {
    ready,
    worktree,
    request,
  }: { readonly ready: Ready; readonly worktree: Worktree; readonly request: SessionRequest },
): Promise<SessionEnd> {
  run.checkpoint();
  await checkDisk(ports);
  const place: Place = { repository: ready.repository, worktree };
  const plan = await planSession(ports, run, { ready, place, request });
  run.checkpoint();
  const row = pendingRow(ports, { ready, request, plan });
  await run.record({
    nodeId: request.nodeId,
    sessions: [row],
    events: [
      {
        type: 'worker_session_created',
        payload: { session_id: row.id, node_id: row.nodeId, task: row.task, attempt: row.attempt },
      },
    ],
  });
  const launch = await startLaunch(ports, run, { ready, plan, row });
  const startedAt = toTimestamp(ports.clock.nowMs());
  const begunMs = ports.clock.monotonicMs();
  await run.record({
    nodeId: row.nodeId,
    sessions: [{ id: row.id, status: 'running', startedAt, ...launch.client, containerId: launch.containerId }],
    events: [
      {
        type: 'worker_session_started',
        payload: { session_id: row.id, pid: launch.client.pid, container: row.container },
      },
    ],
  });
  const finished = await run.watch(launch);
  return concludeSession(ports, run, {
    place,
    row: { ...row, containerId: launch.containerId },
    finished,
    wallMs: Math.round(ports.clock.monotonicMs() - begunMs),
  });
}

async function planSession(
  ports: WalkPorts,
  run: Run,
  { ready, place, request }: { readonly ready: Ready; readonly place: Place; readonly request: SessionRequest },
): Promise<LaunchPlan> {
  const sessionId = ports.ids.sessionId();
  const live = await ports.store.listSessions({ itemId: run.itemId, statuses: ['pending', 'running'] });
  const { store, carried } = await ports.git.openRefStore({
    ...place,
    itemId: run.itemId,
    sessionId,
    liveSessionIds: live.map((row) => row.id),
  });
  const events = publishEvents(place, sessionId, carried);
  if (events.length > 0) await run.record({ nodeId: request.nodeId, events });
  return ports.launcher.plan({
    itemId: run.itemId,
    sessionId,
    role: request.harness === null ? 'subprocess' : 'agent',
    phase: 'runtime',
    repo: ready.repo,
    sandbox: ready.sandbox,
    worktree: place.worktree,
    store,
    identity: ready.identity,
    command: request.command,
    env: request.env,
    envNames: request.envNames,
    timeCapMs: await timeCapMs(ports, ready.repo),
  });
}

function pendingRow(
  ports: WalkPorts,
  { ready, request, plan }: { readonly ready: Ready; readonly request: SessionRequest; readonly plan: LaunchPlan },
): SessionRow {
  const { track } = plan;
  return {
    id: track.sessionId,
    itemId: track.itemId,
    nodeId: request.nodeId,
    task: request.task,
    attempt: request.attempt,
    harness: request.harness,
    status: 'pending',
    backend: 'docker',
    engine: ready.engine,
    container: track.container,
    containerId: null,
    command: request.commandText,
    pid: null,
    bootId: null,
    startTicks: null,
    exitCode: null,
    logPath: track.logPath,
    resultDir: plan.resultDir ?? '',
    exitPath: track.exitPath,
    memoryBytes: track.memoryBytes,
    timeCapMs: track.timeCapMs,
    createdAt: toTimestamp(ports.clock.nowMs()),
    startedAt: null,
    endedAt: null,
    wallMs: null,
    reason: null,
    ...nothingSpent,
    findings: [],
  };
}

/** A session that has said nothing of what it used. */
const nothingSpent = {
  agentSession: null,
  model: null,
  inputTokens: null,
  cachedTokens: null,
  outputTokens: null,
  costUsd: null,
} as const satisfies Partial<SessionRow>;

/** Starts it if the row still waits (SI 1.2 step 8); a launch that cannot be started ends its row as a configuration error. */
async function startLaunch(
  ports: WalkPorts,
  run: Run,
  { ready, plan, row }: { readonly ready: Ready; readonly plan: LaunchPlan; readonly row: SessionRow },
): Promise<RunningLaunch> {
  let launch: RunningLaunch | null;
  try {
    launch = await ports.launcher.start(plan, ready.repo, {
      confirm: async () => run.isWanted && (await ports.store.getSession(row.id))?.status === 'pending',
      onProgress: (line) => ports.log.info(`${run.itemId}: ${line}`),
    });
  } catch (error) {
    // On a full disk the item pauses: its task has yet to run.
    const status = (await findDiskFloor(ports, error)) === null ? 'config_error' : 'paused';
    await endRow(ports, run, { row, status, reason: error instanceof Error ? error.message : null });
    throw error;
  }
  if (launch !== null) return launch;
  await endRow(ports, run, { row, status: 'paused', reason: 'It was not started.' });
  run.checkpoint();
  throw new Interrupt('pause');
}

/** Ends a row whose process never ran. */
async function endRow(
  ports: WalkPorts,
  run: Run,
  { row, status, reason }: { readonly row: SessionRow; readonly status: SessionStatus; readonly reason: string | null },
): Promise<void> {
  await run.record({
    nodeId: row.nodeId,
    sessions: [{ id: row.id, status, endedAt: toTimestamp(ports.clock.nowMs()), wallMs: 0, reason }],
    events: [
      {
        type: 'worker_session_exited',
        payload: { session_id: row.id, status, exit_code: null, wall_ms: 0, reason, ...noSpend },
      },
    ],
  });
}

/**
 * What follows the end of a session, however it was learned: publish its branch, then record everything at once.
 * Nothing reads the session's result or branch before (SI 1.1).
 */
export async function concludeSession(
  ports: WalkPorts,
  run: Run,
  what: {
    readonly place: Place;
    readonly row: SessionRow;
    readonly finished: FinishedLaunch;
    readonly wallMs: number;
  },
): Promise<SessionEnd> {
  const { place, row, finished } = what;
  const outcome = finished.leftBehind === null ? await publish(ports, run, place, row.id) : null;
  const events = [
    ...endEvents(row, finished),
    ...(outcome === null ? [] : publishEvents(place, row.id, outcome)),
    exitedEvent(row, finished, what.wallMs),
  ];
  await run.record({
    nodeId: row.nodeId,
    sessions: [
      {
        id: row.id,
        status: finished.status,
        exitCode: finished.exitCode,
        containerId: row.containerId,
        endedAt: toTimestamp(ports.clock.nowMs()),
        wallMs: what.wallMs,
        reason: reasonOf(finished),
      },
    ],
    events,
  });
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
  const { status, exitCode, code, remedy } = finished;
  return { sessionId: row.id, status, exitCode, reason: reasonOf(finished), code, remedy };
}

async function publish(ports: WalkPorts, run: Run, place: Place, sessionId: string): Promise<PublishOutcome> {
  return ports.git.publish({ ...place, itemId: run.itemId, sessionId });
}

function publishEvents(place: Place, sessionId: string, outcome: PublishOutcome): readonly KraftEvent[] {
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
  return [
    { type: 'sandbox_oom_killed', payload: { session_id: sessionId, memory, confirmed, peak_bytes: peakBytes } },
  ];
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

const noSpend = { model: null, input_tokens: null, cached_tokens: null, output_tokens: null, cost_usd: null } as const;

function exitedEvent(row: SessionRow, finished: FinishedLaunch, wallMs: number): KraftEvent {
  return {
    type: 'worker_session_exited',
    payload: {
      session_id: row.id,
      status: finished.status,
      exit_code: finished.exitCode,
      wall_ms: wallMs,
      reason: reasonOf(finished),
      ...noSpend,
    },
  };
}

/** Kraft's own reason, else what the worker says of itself. */
function reasonOf(finished: FinishedLaunch): string | null {
  return finished.reason ?? finished.result?.question ?? finished.result?.concerns ?? null;
}
