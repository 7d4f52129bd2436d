import { existsSync, readFileSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { type Clock, type KraftError, type Log, asKraftError } from '../base/index.ts';
import { type ProcessIdentity, isAlive, signalGroup } from '../process/index.ts';
import type { MemoryEvidence } from '../limits/index.ts';
import type { ContainerState, Engine } from '../runtime/index.ts';
import { launchErrors } from './errors.ts';
import type { FinishedLaunch, LaunchTrack, RunningLaunch, StopCause } from './launch.ts';
import { type LogCap, enforceLogCap } from './log-cap.ts';
import type { SessionRoute } from './route.ts';
import { finishLaunch } from './teardown.ts';
import { watchMemory } from './watch-memory.ts';

/** What a supervision works with; the same for every launch of a launcher. */
export interface SuperviseContext {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly log: Log;
  readonly logCap: LogCap;
  /** Environment of `fallocate`: PATH. */
  readonly toolEnv: Readonly<Record<string, string>>;
  readonly bounds: SuperviseBounds;
  /** Aborted when the launcher is disposed of: what runs goes on, and nobody here watches it any more. */
  readonly abandoned: AbortSignal;
}

export interface SuperviseBounds {
  /** From the first signal to the kill (SI 0.5). */
  readonly graceMs: number;
  /** From the kill of the container to that of a client that is still there. */
  readonly forceMs: number;
  readonly clientPollMs: number;
  readonly containerPollMs: number;
  readonly logPollMs: number;
  readonly memoryPollMs: number;
  /** How long an engine without an answer is asked again before the end is taken as unknown. */
  readonly settleMs: number;
  /** How long a container may outlive its client before the client counts as lost: the engine's answer may lag. */
  readonly lagMs: number;
  /** Before what is young after a restart is looked at again, once for all (SI 1.15). */
  readonly lookAgainMs: number;
}

export const defaultBounds: SuperviseBounds = {
  graceMs: 10_000,
  forceMs: 5_000,
  clientPollMs: 200,
  containerPollMs: 1_000,
  logPollMs: 1_000,
  memoryPollMs: 250,
  settleMs: 30_000,
  lagMs: 2_000,
  lookAgainMs: 2_000,
};

/** The client to watch: one that this process started has a promise, another one is polled, null is gone already. */
export interface WatchedClient {
  readonly identity: ProcessIdentity;
  readonly ended: Promise<void> | null;
}

/** What the engine said at the end. `absent` is an answer, `unknown` is none. */
export type ContainerEnd =
  | { readonly kind: 'ended'; readonly state: ContainerState }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unknown'; readonly why: string };

/** What is watched. */
export interface Supervised {
  readonly watched: WatchedClient | null;
  /** Null under open egress. */
  readonly route: SessionRoute | null;
  /** Time left of the cap; null for none. */
  readonly remainingMs: number | null;
}

/** Watches a launch to its end: client, container, time cap and log cap; then tears down and resolves its status. */
export class Supervision implements RunningLaunch {
  readonly track: LaunchTrack;
  readonly client: ProcessIdentity;
  readonly finished: Promise<FinishedLaunch>;
  readonly #context: SuperviseContext;
  readonly #watched: WatchedClient | null;
  readonly #over = new AbortController();
  readonly #waits: AbortSignal;
  #cause: StopCause | null = null;
  #failure: KraftError | null = null;
  readonly #route: SessionRoute | null;
  #clientEndedFirst = false;
  #containerId: string | null = null;

  constructor(context: SuperviseContext, track: LaunchTrack, { watched, route, remainingMs }: Supervised) {
    this.track = track;
    this.#route = route;
    this.client = watched?.identity ?? { pid: 0, bootId: '', startTicks: '' };
    this.#context = context;
    this.#watched = watched;
    this.#waits = AbortSignal.any([this.#over.signal, context.abandoned]);
    this.finished = this.#run(remainingMs);
  }

  get containerId(): string | null {
    const { cidFile } = this.track;
    if (this.#containerId === null && cidFile !== null && existsSync(cidFile))
      this.#containerId = readFileSync(cidFile, 'utf8').trim() || null;
    return this.#containerId;
  }

  get relay(): string | null {
    return this.#route?.relay ?? null;
  }

  stop(cause: 'pause' | 'cancel' | 'cap'): void {
    this.#stop(cause);
  }

  async #run(remainingMs: number | null): Promise<FinishedLaunch> {
    void this.#watchCap(remainingMs);
    void this.#watchRoute();
    const log = this.#watchLog();
    const memory = this.#watchMemory();
    await this.#awaitClient();
    const end = await this.#awaitContainer();
    if (this.#context.abandoned.aborted) return await new Promise<never>(() => undefined);
    this.#over.abort();
    await log;
    await this.#closeRoute();
    const finished = await finishLaunch(this.#context, {
      track: this.track,
      end,
      cause: this.#cause,
      clientEndedFirst: this.#clientEndedFirst,
      failure: this.#failure,
      watched: true,
      memory: await memory,
    });
    this.#route?.release();
    return finished;
  }

  #stop(cause: StopCause): void {
    if (this.#cause !== null || this.#waits.aborted) return;
    this.#cause = cause;
    void this.#end(cause === 'pause' ? 'SIGINT' : 'SIGTERM');
  }

  /** Signal, grace, kill; each step only while the launch is not over. */
  async #end(signal: 'SIGINT' | 'SIGTERM'): Promise<void> {
    const { graceMs, forceMs } = this.#context.bounds;
    // The client passes the signal on to the container's first process; without a client the engine does.
    if (this.#watched === null || !signalGroup(this.#watched.identity, signal)) await this.#kill(signal);
    if (!(await this.#wait(graceMs))) return;
    await this.#kill('SIGKILL');
    if (!(await this.#wait(forceMs))) return;
    if (this.#watched !== null) signalGroup(this.#watched.identity, 'SIGKILL');
  }

  async #kill(signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL'): Promise<void> {
    try {
      await this.#context.engine.killContainer(this.track.container, signal);
    } catch (error) {
      this.#context.log.warn(`${signal} did not reach ${this.track.container}: ${asKraftError(error).message}`);
    }
  }

  /** False when the launch ended, or was abandoned, meanwhile. */
  async #wait(ms: number): Promise<boolean> {
    try {
      await delay(ms, undefined, { signal: this.#waits, ref: false });
      return true;
    } catch {
      return false;
    }
  }

  async #watchCap(remainingMs: number | null): Promise<void> {
    if (remainingMs === null) return;
    const { clock } = this.#context;
    const deadlineMs = clock.monotonicMs() + remainingMs;
    // In parts: a timer cannot be longer than 24 days.
    for (let left = remainingMs; left > 0; left = deadlineMs - clock.monotonicMs())
      if (!(await this.#wait(Math.min(left, 24 * 3600_000)))) return;
    this.#stop('cap');
  }

  async #watchLog(): Promise<void> {
    const { logCap, toolEnv, bounds } = this.#context;
    for (let goOn = true; goOn;) {
      goOn = await this.#wait(bounds.logPollMs);
      const why = await enforceLogCap(this.track.logPath, logCap, toolEnv).catch(
        (error: unknown) => asKraftError(error).message,
      );
      if (why === null) continue;
      this.#failure = launchErrors.create('LOG_CAP_FAILED', { path: this.track.logPath, why });
      this.#stop('log');
      return;
    }
  }

  /** A relay that dies takes the only way out with it: nothing that the worker does from then on would tell anything. */
  async #watchRoute(): Promise<void> {
    if (this.#route === null) return;
    const error = await this.#route.lost;
    if (this.#waits.aborted || this.#cause !== null) return;
    this.#failure = error;
    this.#stop('relay');
  }

  /** What was refused stands at the end of the log, where somebody who asks why looks first (PF-P20). */
  async #closeRoute(): Promise<void> {
    const refused = await this.#route?.close();
    if (refused === undefined || refused.length === 0) return;
    const lines = refused.map((line) => `kraft: ${line}\n`).join('');
    await appendFile(this.track.logPath, `\n${lines}`).catch((error: unknown) => {
      this.#context.log.warn(`${this.track.logPath}: ${asKraftError(error).message}`);
    });
  }

  /** Without a limit too: what is killed then was killed for the machine's want of memory. */
  #watchMemory(): Promise<MemoryEvidence | null> {
    const { container } = this.track;
    const { engine, bounds } = this.#context;
    const wait = (ms: number): Promise<boolean> => this.#wait(ms);
    return watchMemory({ engine, container, root: '/', pollMs: bounds.memoryPollMs, wait });
  }

  async #awaitClient(): Promise<void> {
    const { abandoned, bounds } = this.#context;
    if (this.#watched === null) return;
    if (this.#watched.ended !== null) {
      await Promise.race([this.#watched.ended, aborted(abandoned)]);
      return;
    }
    while (isAlive(this.#watched.identity) && (await this.#wait(bounds.clientPollMs)));
  }

  /** The launch is over when its container is, whatever became of the client (PF-R20). */
  async #awaitContainer(): Promise<ContainerEnd> {
    const { bounds, clock, engine } = this.#context;
    const startMs = clock.monotonicMs();
    let answeredMs = startMs;
    for (;;) {
      let silence = '';
      try {
        const state = await engine.inspectContainer(this.track.container);
        if (state === null) return { kind: 'absent' };
        this.#containerId = state.id;
        if (!state.running) return { kind: 'ended', state };
        answeredMs = clock.monotonicMs();
        if (answeredMs - startMs >= bounds.lagMs || this.#watched === null) this.#clientEndedFirst = true;
      } catch (error) {
        silence = asKraftError(error).message;
      }
      if (silence !== '' && clock.monotonicMs() - answeredMs >= bounds.settleMs)
        return { kind: 'unknown', why: silence };
      if (!(await this.#wait(bounds.containerPollMs))) return { kind: 'unknown', why: 'nobody watches it any more' };
    }
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
