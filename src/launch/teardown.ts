import { existsSync } from 'node:fs';
import { open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type KraftError, asKraftError, safeLine } from '../base/index.ts';
import { type MemoryEvidence, confirmOom, oomGraceMs, oomPollMs } from '../limits/index.ts';
import { type ContainerState, launchFailed } from '../runtime/index.ts';
import { judgeOutput } from './judge-output.ts';
import type { FinishedLaunch, LaunchTrack, StopCause } from './launch.ts';
import { readDroppedRange } from './log-cap.ts';
import { type ResultReading, readResult } from './read-result.ts';
import { type LaunchEvidence, type ResolvedStatus, resolveStatus } from './resolve-status.ts';
import type { ContainerEnd, SuperviseContext } from './supervise.ts';

/** What the watching found out. */
export interface LaunchEnd {
  readonly track: LaunchTrack;
  readonly end: ContainerEnd;
  readonly cause: StopCause | null;
  readonly clientEndedFirst: boolean;
  /** Why Kraft ended it, where the cause has an error of its own (`log`, `relay`). */
  readonly failure: KraftError | null;
  /** A daemon was there when it ended. */
  readonly watched: boolean;
  /** What was seen of its memory while it was alive; null where that cannot be read. */
  readonly memory: MemoryEvidence | null;
}

/**
 * Ends a launch whose container is over (SI 1.13): the OOM question first, because removing destroys the evidence; then
 * the container and the client's directory; then the result, which nothing can write any more. Each step is bounded and
 * runs even when an earlier one failed. Never throws.
 */
export async function finishLaunch(context: SuperviseContext, launch: LaunchEnd): Promise<FinishedLaunch> {
  const { track, cause, end } = launch;
  const { oom, hostShort } = await askOom(context, launch);
  const clientExitCode = await readExitCode(track.exitPath);
  const notCreated = await findRefusal(context, launch, clientExitCode);
  const known = notCreated !== null || oom !== null || hostShort;
  const engineLost = known ? null : await findLostEngine(context, launch, clientExitCode);
  const leftBehind = await removeTraces(context, track);
  const reading: ResultReading = track.resultPath === null ? { kind: 'none' } : await readResult(track.resultPath);
  const containerExitCode = end.kind === 'ended' ? end.state.exitCode : null;
  const exitCode = containerExitCode ?? clientExitCode;
  const dropped = await readDroppedRange(track.logPath);
  const resolved = resolveStatus({
    role: track.role,
    cause,
    reading,
    exitCode,
    notCreated,
    engineLost,
    oom,
    hostShort,
    failure: launch.failure,
  });
  return {
    ...renderStatus(resolved),
    exitCode,
    oom,
    output: judgeOutput({
      clientExitCode,
      containerExitCode,
      clientEndedFirst: launch.clientEndedFirst,
      notCreated: notCreated !== null,
      droppedBytes: dropped === null ? 0 : dropped.to - dropped.from,
    }),
    result: reading.kind === 'result' ? reading.result : null,
    leftBehind,
  };
}

function renderStatus(resolved: ResolvedStatus): Pick<FinishedLaunch, 'status' | 'reason' | 'code' | 'remedy'> {
  return {
    status: resolved.status,
    reason: resolved.reason,
    code: resolved.error?.code ?? null,
    remedy: resolved.error?.remedy ?? null,
  };
}

/** Whether the memory limit killed it; asked again for up to two seconds, as the engine's word may come late (SI 6.4). */
async function askOom(
  context: SuperviseContext,
  launch: LaunchEnd,
): Promise<Pick<LaunchEvidence, 'oom' | 'hostShort'>> {
  const { clock, engine } = context;
  const { track, end, cause } = launch;
  let state: ContainerState | null = end.kind === 'ended' ? end.state : null;
  const startMs = clock.monotonicMs();
  for (;;) {
    const verdict = confirmOom({
      kind: engine.kind,
      state,
      oomFile: existsSync(join(track.clientDir, 'oom')),
      graceOver: clock.monotonicMs() - startMs >= oomGraceMs,
      counted: launch.memory,
      stoppedByKraft: cause !== null,
    });
    if (verdict.kind === 'killed') {
      const { memoryBytes, confirmed } = verdict;
      return { oom: { memoryBytes, confirmed, peakBytes: launch.memory?.peakBytes ?? null }, hostShort: false };
    }
    if (verdict.kind !== 'ask again') return { oom: null, hostShort: verdict.kind === 'host short' };
    await delay(oomPollMs, undefined, { ref: false });
    state = await engine.inspectContainer(track.container).catch(() => state);
  }
}

/** The engine's own words when it never made or started the container; null when it did, or when Kraft ended the client itself. */
async function findRefusal(
  context: SuperviseContext,
  launch: LaunchEnd,
  clientExitCode: number | null,
): Promise<string | null> {
  const { track, end, cause } = launch;
  if (cause !== null || clientExitCode === 0) return null;
  // Torn down before by a daemon that did not live to say so: the id file is gone with the directory.
  if (!existsSync(track.clientDir)) return null;
  const neverStarted = clientExitCode !== null && wasNeverStarted(end);
  if (!neverStarted && !(await wasNeverMade(context, launch, clientExitCode))) return null;
  return (
    (await readLastWords(track.logPath)) ?? `its client ended with code ${clientExitCode ?? 'none'} and said nothing`
  );
}

async function wasNeverMade(
  { engine }: SuperviseContext,
  { track, end }: LaunchEnd,
  exitCode: number | null,
): Promise<boolean> {
  if (end.kind === 'ended' && engine.kind === 'docker') return false;
  const cidFile = track.cidFile === null ? null : await readFile(track.cidFile, 'utf8').catch(() => null);
  return launchFailed({ kind: engine.kind, cidFile, exitCode });
}

/** What stood in the way of one that was made stands in the client's words, as of one that was never made. */
function wasNeverStarted(end: ContainerEnd): boolean {
  return end.kind === 'ended' && end.state.exitCode === null;
}

/**
 * Why nobody knows how the container ended; null when engine or client know. A client that loses its engine ends with 125,
 * and one whose container is taken from under it with the number of a signal: neither is what the task ended with.
 */
async function findLostEngine(
  context: SuperviseContext,
  { track, end, cause, watched }: LaunchEnd,
  clientExitCode: number | null,
): Promise<string | null> {
  // A launch without its client's directory was torn down before, on what was known then.
  if (cause !== null || !existsSync(track.clientDir)) return null;
  if (end.kind === 'ended') {
    const { exitCode } = end.state;
    if (clientExitCode === 125 && exitCode !== 125) return 'the connection to it broke while the container ran';
    if (!endedBySignal(exitCode ?? clientExitCode)) return null;
    return watched
      ? awaitLoss(context, track)
      : 'a signal ended it while no daemon watched, as when a machine goes down';
  }
  if (clientExitCode !== null && clientExitCode < 125) return null;
  return end.kind === 'absent' ? removedByOthers : `it gives no answer (${end.why})`;
}

/** As shells and engines number it. */
function endedBySignal(exitCode: number | null): boolean {
  return exitCode !== null && exitCode > 128;
}

const removedByOthers = 'the container was removed by somebody else';

/**
 * An engine that goes down in good order ends its containers by a signal first, and lets their clients know. It is waited
 * for, so that the container can be removed and the work taken over.
 */
async function awaitLoss({ clock, engine, bounds }: SuperviseContext, track: LaunchTrack): Promise<string | null> {
  const startMs = clock.monotonicMs();
  let went: string | null = null;
  while (clock.monotonicMs() - startMs < (went === null ? bounds.lagMs : bounds.settleMs)) {
    try {
      if ((await engine.inspectContainer(track.container)) === null) return removedByOthers;
      if (went !== null) return went;
    } catch (error) {
      went = `it went down while the container ran (${asKraftError(error).message})`;
    }
    await delay(Math.min(oomPollMs, bounds.lagMs / 8), undefined, { ref: false });
  }
  return went;
}

const wordsMaxBytes = 4096;

/** The last lines of a log, for people. */
async function readLastWords(logPath: string): Promise<string | null> {
  try {
    await using file = await open(logPath, 'r');
    const { size } = await file.stat();
    const buffer = Buffer.alloc(Math.min(size, wordsMaxBytes));
    await file.read(buffer, 0, buffer.length, size - buffer.length);
    const lines = buffer.toString('utf8').split('\n');
    const said = lines
      .map((line) => line.trim())
      .filter((line) => line !== '' && !/^(?:See '|Run 'docker)/u.test(line));
    return said.length === 0 ? null : safeLine(said.slice(-3).join(' ')).replace(/\.$/u, '');
  } catch {
    return null;
  }
}

async function readExitCode(path: string): Promise<number | null> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return /^\d{1,3}\n?$/u.test(text) ? Number(text) : null;
}

/** Removes container and client directory; answers why the container is still there, null when it is gone. */
export async function removeTraces(
  context: Pick<SuperviseContext, 'engine' | 'log'>,
  track: Pick<LaunchTrack, 'container' | 'clientDir'>,
): Promise<string | null> {
  const remove = (): Promise<string | null> =>
    context.engine.removeContainer(track.container).then(
      () => null,
      (error: unknown) => asKraftError(error).message,
    );
  // Twice: an engine that is just restarting answers the second time.
  const leftBehind = (await remove()) === null ? null : await remove();
  if (leftBehind !== null) context.log.warn(`${track.container} could not be removed: ${leftBehind}`);
  try {
    await rm(track.clientDir, { recursive: true, force: true });
  } catch (error) {
    context.log.warn(`${track.clientDir} could not be removed: ${asKraftError(error).message}`);
  }
  return leftBehind;
}
