import { toTimestamp } from '../base/index.ts';
import type { KraftEvent, SessionStatus } from '../events/index.ts';
import type { Worktree } from '../git/index.ts';
import { findReached, sessionTimeMs, type Item } from '../items/index.ts';
import type { LaunchPlan, LaunchRequest, RunningLaunch } from '../launch/index.ts';
import type { SessionRow } from '../store/index.ts';
import { concludeSession, publishEvents, type Place, type SessionEnd } from './conclude-session.ts';
import { Interrupt } from './interrupt.ts';
import { capEvent, capStop, loadCaps, loadUse } from './item-caps.ts';
import type { WalkPorts } from './ports.ts';
import { checkDisk, findDiskFloor, type Ready } from './ready.ts';
import type { Run } from './run.ts';
import { nothingSpent, spendPayload } from './spend.ts';
import { Stopped } from './stops.ts';
import { watchSession } from './watch-session.ts';

/** One session to run. */
export interface SessionRequest {
  readonly nodeId: string;
  /** Canonical path of the task. */
  readonly task: string;
  readonly attempt: number;
  /** Which run of the task in this attempt. */
  readonly run: number;
  /** Null for a subprocess. */
  readonly harness: string | null;
  readonly command: readonly string[];
  /** What people see as the command. */
  readonly commandText: string;
  readonly env: Readonly<Record<string, string>>;
  readonly envNames: readonly string[];
  /** Config files that its harness wants; null for none. */
  readonly configDir: LaunchRequest['configDir'];
  /** Hosts that its harness cannot do without. */
  readonly harnessHosts: readonly string[];
  /** The person's words in its prompt, which are given once; null for none. */
  readonly steer: string | null;
  /** What is recorded of the agent's own earlier session; null where there was none. */
  readonly earlier: EarlierSession | null;
}

/** A session of the agent's own that it goes on with, or, with a reason, cannot go on with. */
export interface EarlierSession {
  readonly agentSession: string;
  readonly lost: string | null;
}

/** What a session is run from. */
export interface SessionSubject {
  readonly ready: Ready;
  readonly worktree: Worktree;
  /** Made from the item as it is when the session's turn comes. */
  readonly request: SessionRequest | ((item: Item) => SessionRequest);
  /** What is around the task leaves it so many milliseconds; null for no bound. */
  readonly remainingMs: number | null;
}

/**
 * Runs one session from its row to its published branch. Interrupts unwind it with the row ended as `paused`, or left
 * running for the next daemon. Errors: those of the plan (nothing was started), a stop where a bound is used up,
 * BRANCH_NOT_PUBLISHED, CONTAINER_LEFT_BEHIND.
 */
export async function runSession(ports: WalkPorts, run: Run, subject: SessionSubject): Promise<SessionEnd> {
  run.checkpoint();
  await checkDisk(ports);
  const { ready } = subject;
  const place: Place = { repository: ready.repository, worktree: subject.worktree };
  const { plan, row, steer } = await run.inTurn(() => createSession(ports, run, subject, place));
  const launch = await startLaunch(ports, run, { ready, plan, row, steer });
  const startedAt = toTimestamp(ports.clock.nowMs());
  const begunMs = ports.clock.monotonicMs();
  await run.record({
    nodeId: row.nodeId,
    sessions: [
      {
        id: row.id,
        status: 'running',
        startedAt,
        ...launch.client,
        containerId: launch.containerId,
        relay: launch.relay,
      },
    ],
    events: [
      {
        type: 'worker_session_started',
        payload: { session_id: row.id, pid: launch.client.pid, container: row.container },
      },
    ],
  });
  const watched = await watchSession(ports, run, { launch, row, frozen: ready });
  return concludeSession(ports, run, {
    place,
    row: { ...row, startedAt, containerId: launch.containerId },
    watched,
    wallMs: Math.round(ports.clock.monotonicMs() - begunMs),
    steer,
  });
}

interface CreatedSession {
  readonly plan: LaunchPlan;
  readonly row: SessionRow;
  /** The person's words that it took off the item. */
  readonly steer: string | null;
}

/** Its plan and its recorded row: from here on its ref store is in use. */
async function createSession(
  ports: WalkPorts,
  run: Run,
  { ready, request: asked, remainingMs }: SessionSubject,
  place: Place,
): Promise<CreatedSession> {
  const request = typeof asked === 'function' ? asked(await run.item()) : asked;
  const roomMs = await findRoom(ports, run, { ready, request });
  const timeCapMs = smaller(roomMs, remainingMs);
  const plan = await planSession(ports, run, { ready, place, request, timeCapMs });
  run.checkpoint();
  const row = pendingRow(ports, { ready, request, plan });
  const { id, nodeId, task, attempt } = row;
  await run.record({
    nodeId,
    sessions: [row],
    // Given once: whoever is created next does not find them any more.
    item: request.steer === null ? {} : { steer: null },
    events: [
      {
        type: 'worker_session_created',
        payload: { session_id: id, node_id: nodeId, task, attempt, run: row.run },
      },
      ...earlierEvents(id, request.earlier),
    ],
  });
  return { plan, row, steer: request.steer };
}

function earlierEvents(sessionId: string, earlier: EarlierSession | null): readonly KraftEvent[] {
  if (earlier === null) return [];
  const payload = { session_id: sessionId, agent_session: earlier.agentSession };
  return earlier.lost === null
    ? [{ type: 'agent_session_resumed', payload }]
    : [{ type: 'agent_session_lost', payload: { ...payload, reason: earlier.lost } }];
}

/** Milliseconds that policy leaves to the session, null for no bound. Errors: the stop that a used-up bound amounts to. */
async function findRoom(
  ports: WalkPorts,
  run: Run,
  { ready, request }: { readonly ready: Ready; readonly request: SessionRequest },
): Promise<number | null> {
  const caps = await loadCaps(ports, ready, request.task);
  const use = await loadUse(ports, run.itemId);
  const reached = findReached(caps, use, { spends: request.harness !== null });
  if (reached === null) return sessionTimeMs(caps, use);
  await run.record({ nodeId: request.nodeId, events: [capEvent(reached)] });
  throw new Stopped(capStop(reached, run.itemId, null));
}

function smaller(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other);
}

async function planSession(
  ports: WalkPorts,
  run: Run,
  what: {
    readonly ready: Ready;
    readonly place: Place;
    readonly request: SessionRequest;
    readonly timeCapMs: number | null;
  },
): Promise<LaunchPlan> {
  const { ready, place, request, timeCapMs } = what;
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
    configDir: request.configDir,
    harnessHosts: request.harnessHosts,
    timeCapMs,
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
    run: request.run,
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
    verdict: null,
    relay: null,
    egress: plan.network?.lists ?? null,
  };
}

/** Starts it if the row still waits (SI 1.2 step 8); a launch that cannot be started ends its row as a configuration error. */
async function startLaunch(
  ports: WalkPorts,
  run: Run,
  { ready, plan, row, steer }: CreatedSession & { readonly ready: Ready },
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
    await endRow(ports, run, { row, status, steer, reason: error instanceof Error ? error.message : null });
    throw error;
  }
  if (launch !== null) return launch;
  await endRow(ports, run, { row, status: 'paused', steer, reason: 'It was not started.' });
  run.checkpoint();
  throw new Interrupt('pause');
}

/** Ends a row whose process never ran; the person's words wait for the next one. */
async function endRow(
  ports: WalkPorts,
  run: Run,
  what: {
    readonly row: SessionRow;
    readonly status: SessionStatus;
    readonly steer: string | null;
    readonly reason: string | null;
  },
): Promise<void> {
  const { row, status, steer, reason } = what;
  await run.record({
    nodeId: row.nodeId,
    item: steer === null ? {} : { steer },
    sessions: [{ id: row.id, status, endedAt: toTimestamp(ports.clock.nowMs()), wallMs: 0, reason }],
    events: [
      {
        type: 'worker_session_exited',
        payload: { session_id: row.id, status, exit_code: null, wall_ms: 0, reason, ...spendPayload(nothingSpent) },
      },
    ],
  });
}
