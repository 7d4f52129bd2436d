import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type KraftError, asKraftError } from '../base/index.ts';
import { type ProcessIdentity, endProcessesIn, identify, isAlive, runningForMs } from '../process/index.ts';
import type { Adoption, FinishedLaunch, LaunchRecord, LaunchTrack } from './launch.ts';
import { launchPaths, resultFile } from './plan.ts';
import { launchErrors } from './errors.ts';
import { readResult } from './read-result.ts';
import type { Routes, SessionRoute } from './route.ts';
import { Supervision, type ContainerEnd, type SuperviseContext, type WatchedClient } from './supervise.ts';
import { finishLaunch, removeTraces } from './teardown.ts';

/** Younger sessions may have been caught in the middle of starting or ending: they are looked at twice (SI 1.15). */
const youngMs = 30_000;
/** Bound of ending the clients that an earlier daemon left. */
export const orphanGraceMs = 2_000;

export interface AdoptContext extends SuperviseContext {
  readonly routes: Routes;
}

/** What was seen of a session; nothing has been changed yet. */
type Sight =
  | { readonly kind: 'lives'; readonly client: WatchedClient | null; readonly remainingMs: number | null }
  | { readonly kind: 'over'; readonly end: ContainerEnd }
  | { readonly kind: 'unknown'; readonly reason: string };

/**
 * Takes over a session that an earlier daemon left (SI 1.15). Its client is known by pid, boot and start ticks; when that
 * is gone and the container lives, the container is watched instead: the output ends where the client did, and the
 * result still counts. A session without a recorded client was never confirmed and is torn down.
 * @param pause the one wait of a whole scan, before what is young is looked at again
 */
export async function adoptLaunch(
  context: AdoptContext,
  record: LaunchRecord,
  pause: () => Promise<void>,
): Promise<Adoption> {
  const track = trackOf(record);
  let sight = await look(context, track, record);
  if (sight.kind === 'unknown') {
    // A client that nobody knows of is ended first, so that it makes no container once this one is removed.
    const ended = identityOf(record) === null ? await endProcessesIn(track.clientDir, orphanGraceMs) : 0;
    if (ended > 0 || isYoung(record, context.clock.nowMs())) {
      await pause();
      sight = await look(context, track, record);
    }
  }
  switch (sight.kind) {
    case 'lives':
      return { kind: 'adopted', running: await takeOver(context, { track, sight, record }) };
    case 'over':
      return { kind: 'ended', finished: await finishEnded(context, { track, end: sight.end, record }) };
    case 'unknown':
      return { kind: 'unknown', reason: sight.reason, leftBehind: await removeTraces(context, track) };
  }
}

/** One whose way out cannot be served again is ended as a configuration error: it would go on without any network. */
async function takeOver(
  context: AdoptContext,
  {
    track,
    sight,
    record,
  }: {
    readonly track: LaunchTrack;
    readonly sight: Extract<Sight, { kind: 'lives' }>;
    readonly record: LaunchRecord;
  },
): Promise<Supervision> {
  const route = await adoptRoute(context, record);
  return new Supervision(context, track, { watched: sight.client, route, remainingMs: sight.remainingMs });
}

async function adoptRoute(context: AdoptContext, record: LaunchRecord): Promise<SessionRoute | null> {
  const { relay, egress } = record;
  if (egress === null) return null;
  const { routes, engine } = context;
  const lostBefore = (error: KraftError): SessionRoute => ({
    relay: relay ?? '',
    lost: Promise.resolve(error),
    close: () => Promise.resolve([]),
    release: () => undefined,
  });
  if (relay === null) return lostBefore(launchErrors.create('ROUTE_NOT_SERVED', undefined));
  const { decisionLog } = launchPaths(dirname(dirname(record.logPath)), record.itemId, record.id);
  const owner = { itemId: record.itemId, sessionId: record.id, engine, relay, lists: egress, decisionLog };
  return routes.adopt(owner).catch((error: unknown) => lostBefore(asKraftError(error)));
}

/** One that left no result after a pause was asked for was ended by the daemon that is gone, and ends as paused. */
async function finishEnded(
  context: SuperviseContext,
  ended: { readonly track: LaunchTrack; readonly end: ContainerEnd; readonly record: LaunchRecord },
): Promise<FinishedLaunch> {
  const { track, end, record } = ended;
  const hasResult = track.resultPath !== null && (await readResult(track.resultPath)).kind !== 'none';
  const isGood = end.kind === 'ended' && end.state.exitCode === 0;
  const cause = record.stopRequested && !hasResult && !isGood ? 'pause' : null;
  return finishLaunch(context, { ...leftAlone, cause, track, end });
}

const leftAlone = { clientEndedFirst: false, failure: null, memory: null, watched: false } as const;

async function look(context: SuperviseContext, track: LaunchTrack, record: LaunchRecord): Promise<Sight> {
  const identity = identityOf(record);
  if (identity === null) {
    return { kind: 'unknown', reason: 'its start was never confirmed: no process was recorded' };
  }
  const remainingMs = remainingTime(record, identity, context.clock.nowMs());
  if (isAlive(identity)) return { kind: 'lives', client: { identity, ended: null }, remainingMs };
  const end = await askContainer(context, track);
  if (end === 'running') return { kind: 'lives', client: null, remainingMs };
  if (await hasEvidence(track, identity, end)) return { kind: 'over', end };
  return { kind: 'unknown', reason: mismatch(identity) };
}

function isYoung(record: LaunchRecord, nowMs: number): boolean {
  return nowMs - Date.parse(record.startedAt ?? record.createdAt) < youngMs;
}

function trackOf(record: LaunchRecord): LaunchTrack {
  // The row's own paths count: KRAFT_RUN_DIR may have changed since.
  const run = dirname(dirname(record.logPath));
  const { clientDir, cidFile } = launchPaths(run, record.itemId, record.id);
  return {
    itemId: record.itemId,
    sessionId: record.id,
    role: record.harness === null ? 'subprocess' : 'agent',
    container: record.container,
    logPath: record.logPath,
    exitPath: record.exitPath,
    cidFile: record.engine === 'docker' ? cidFile : null,
    clientDir,
    resultPath: join(record.resultDir, resultFile),
    memoryBytes: record.memoryBytes,
    timeCapMs: record.timeCapMs,
  };
}

function identityOf(record: LaunchRecord): ProcessIdentity | null {
  const { pid, bootId, startTicks } = record;
  return pid === null || bootId === null || startTicks === null ? null : { pid, bootId, startTicks };
}

/** What is left of the cap it was launched under; the process's own age counts, and the wall clock only without it. */
function remainingTime(record: LaunchRecord, identity: ProcessIdentity, nowMs: number): number | null {
  if (record.timeCapMs === null) return null;
  const startedMs = record.startedAt === null ? nowMs : Date.parse(record.startedAt);
  return Math.max(0, record.timeCapMs - (runningForMs(identity) ?? Math.max(0, nowMs - startedMs)));
}

async function askContainer(context: SuperviseContext, track: LaunchTrack): Promise<ContainerEnd | 'running'> {
  try {
    const state = await context.engine.inspectContainer(track.container);
    if (state === null) return { kind: 'absent' };
    return state.running ? 'running' : { kind: 'ended', state };
  } catch (error) {
    return { kind: 'unknown', why: asKraftError(error).message };
  }
}

/** Whether anything says how it ended. A container's code from another boot says only that the machine went down. */
async function hasEvidence(track: LaunchTrack, identity: ProcessIdentity, end: ContainerEnd): Promise<boolean> {
  if (track.resultPath !== null && (await readResult(track.resultPath)).kind !== 'none') return true;
  if (existsSync(track.exitPath)) return true;
  return end.kind === 'ended' && end.state.exitCode !== null && isThisBoot(identity);
}

function isThisBoot(identity: ProcessIdentity): boolean {
  return identify(process.pid)?.bootId === identity.bootId;
}

function mismatch(identity: ProcessIdentity): string {
  if (!isThisBoot(identity))
    return 'the machine was restarted while it ran, and it left neither a result nor an exit code';
  const now = identify(identity.pid);
  return now === null
    ? `its process ${identity.pid} is gone, and it left neither a result nor an exit code`
    : `process ${identity.pid} is another one now (started at tick ${now.startTicks}, not ${identity.startTicks})`;
}
