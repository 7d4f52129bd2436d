import { spawn } from 'node:child_process';
import { mkdirSync, openSync, closeSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomHex16 } from '../../src/base/index.ts';
import type {
  Adoption,
  FinishedLaunch,
  Launcher,
  LaunchPlan,
  LaunchRequest,
  LaunchTrack,
  PreflightRequest,
  RunningLaunch,
} from '../../src/launch/index.ts';
import { parseResult } from '../../src/launch/read-result.ts';
import { identify } from '../../src/process/index.ts';
import { renderPins, workerPins } from '../../src/refs/index.ts';

/**
 * A launcher without an engine: each session is a process of this machine, in the item's worktree, with git looking at
 * the private ref store the way it does under a container's mounts. Results, exits and signals are real.
 */
export class FakeLauncher implements Launcher {
  readonly #base: string;
  readonly #requests = new Map<string, LaunchRequest>();
  readonly running = new Map<string, number>();
  /** What was asked, in order: `preflight`, `plan implementation…`, `start …`, `sweep …`, `release …`. */
  readonly calls: string[] = [];
  /** Replaces the end of sessions whose command holds the key. */
  readonly endings = new Map<string, Partial<FinishedLaunch>>();
  readonly adoptions = new Map<string, Adoption>();
  preflightError: Error | null = null;
  planError: Error | null = null;
  releaseError: Error | null = null;
  /** Called before a session starts; tests hang races in here. */
  beforeStart: (() => Promise<void>) | null = null;
  programs: readonly string[] = [];
  mostRunning = 0;

  constructor(base: string) {
    this.#base = base;
  }

  preflight(request: PreflightRequest): ReturnType<Launcher['preflight']> {
    this.calls.push('preflight');
    this.programs = request.programs.map((need) => need.program);
    if (this.preflightError !== null) return Promise.reject(this.preflightError);
    return Promise.resolve({
      facts: {
        kind: 'docker',
        serverVersion: '1',
        rootless: false,
        appliesSelinuxLabels: false,
        enforceable: new Set(),
        remote: null,
        storageDriver: null,
        endpoint: 'unix:///fake',
      },
      imageId: 'f'.repeat(64),
      pulled: false,
      warnings: [],
    } as Awaited<ReturnType<Launcher['preflight']>>);
  }

  probeRoute(): Promise<void> {
    return Promise.resolve();
  }

  plan(request: LaunchRequest): Promise<LaunchPlan> {
    this.calls.push(`plan ${request.role}`);
    if (this.planError !== null) return Promise.reject(this.planError);
    const { sessionId, itemId, role } = request;
    const at = (...parts: string[]): string => join(this.#base, 'sessions', sessionId, ...parts);
    mkdirSync(at(), { recursive: true });
    this.#requests.set(sessionId, request);
    const track: LaunchTrack = {
      itemId,
      sessionId,
      role,
      container: `kraft-${sessionId}`,
      logPath: at('log'),
      exitPath: at('exit'),
      cidFile: null,
      clientDir: at(),
      resultPath: role === 'setup' ? null : at('result.json'),
      memoryBytes: null,
      timeCapMs: request.timeCapMs,
    };
    return Promise.resolve({
      track,
      container: {} as LaunchPlan['container'],
      secretNames: [],
      directories: [],
      owned: [],
      resultDir: role === 'setup' ? null : at(),
    } as unknown as LaunchPlan);
  }

  async start(...[plan, , hooks]: Parameters<Launcher['start']>): Promise<RunningLaunch | null> {
    await this.beforeStart?.();
    if (!(await hooks.confirm())) return null;
    const request = this.#requests.get(plan.track.sessionId)!;
    this.calls.push(`start ${request.role}`);
    return this.#spawn(plan.track, request);
  }

  adopt(record: Parameters<Launcher['adopt']>[0]): Promise<Adoption> {
    const known = this.adoptions.get(record.id);
    return Promise.resolve(known ?? { kind: 'unknown', reason: 'nothing is known of it', leftBehind: null });
  }

  sweep({ sessionIds: live }: Parameters<Launcher['sweep']>[0]): ReturnType<Launcher['sweep']> {
    this.calls.push(`sweep ${live.join(' ')}`.trim());
    return Promise.resolve({ removed: [], problems: [] });
  }

  releaseItem(itemId: string): Promise<void> {
    this.calls.push(`release ${itemId}`);
    return this.releaseError === null ? Promise.resolve() : Promise.reject(this.releaseError);
  }

  releaseSessions({ sessionIds, logs }: Parameters<Launcher['releaseSessions']>[0]): Promise<void> {
    this.calls.push(`release ${sessionIds.length} sessions${logs ? ' and logs' : ''}`);
    return Promise.resolve();
  }

  /** Ends every process that is left. */
  [Symbol.asyncDispose](): Promise<void> {
    for (const pid of this.running.values()) endGroup(pid, 'SIGKILL');
    return Promise.resolve();
  }

  /** A launch that ends when its `end` is called: for adoption. */
  held(track: Pick<LaunchTrack, 'itemId' | 'sessionId'>): RunningLaunch & { end(finished: FinishedLaunch): void } {
    let end: (finished: FinishedLaunch) => void = () => undefined;
    const finished = new Promise<FinishedLaunch>((resolve) => (end = resolve));
    return {
      track: { ...track, container: `kraft-${track.sessionId}` } as LaunchTrack,
      client: { pid: 4242, bootId: 'boot', startTicks: '7' },
      containerId: null,
      relay: null,
      finished,
      stop: (cause) => end(finishedAs(cause === 'pause' ? 'paused' : 'failed')),
      end,
    };
  }

  #spawn(track: LaunchTrack, request: LaunchRequest): RunningLaunch {
    const [file = '', ...args] = request.command;
    const log = openSync(track.logPath, 'a', 0o600);
    const child = spawn(file, args, {
      cwd: request.worktree.path,
      env: this.#env(track, request),
      detached: true,
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    this.running.set(track.sessionId, child.pid ?? 0);
    this.mostRunning = Math.max(this.mostRunning, this.running.size);
    let cause: 'pause' | 'cancel' | 'cap' | null = null;
    const finished = new Promise<FinishedLaunch>((resolve) => {
      child.once('error', (error) => resolve(finishedAs('config_error', { reason: error.message })));
      child.once('exit', (exitCode) => resolve(this.#finish(track, request, { exitCode, cause })));
    }).finally(() => this.running.delete(track.sessionId));
    return {
      track,
      client: identify(child.pid ?? 0) ?? { pid: child.pid ?? 0, bootId: '', startTicks: '' },
      containerId: randomHex16(),
      relay: null,
      finished,
      stop(what) {
        cause ??= what;
        endGroup(child.pid ?? 0, what === 'pause' ? 'SIGINT' : 'SIGKILL');
      },
    };
  }

  #finish(
    track: LaunchTrack,
    request: LaunchRequest,
    end: { readonly exitCode: number | null; readonly cause: 'pause' | 'cancel' | 'cap' | null },
  ): FinishedLaunch {
    const key = [...this.endings.keys()].find((text) => request.command.join(' ').includes(text));
    const own = end.exitCode === 0 ? 'done' : 'failed';
    const base = finishedAs(end.cause === 'pause' ? 'paused' : end.cause === 'cap' ? 'capped_out' : own, {
      exitCode: end.exitCode,
    });
    const result = end.cause === null && request.role === 'agent' ? readResult(track.resultPath) : null;
    const status = result?.status ?? (request.role === 'agent' && end.cause === null ? 'failed' : base.status);
    return { ...base, status, result, ...(key === undefined ? {} : this.endings.get(key)) };
  }

  #env(track: LaunchTrack, { store, worktree, identity }: LaunchRequest): Record<string, string> {
    const adminDir = `${store.dir}.worktree`;
    writeFileSync(join(adminDir, 'commondir'), `${store.dir}\n`);
    const objects = store.mounts.filter(({ target }) => /^\/kraft\/alternate\/(?:\d+\/)?objects$/u.test(target));
    return {
      PATH: process.env['PATH'] ?? '',
      HOME: join(this.#base, 'worker-home'),
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_DIR: adminDir,
      GIT_WORK_TREE: worktree.path,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: objects.map(({ source }) => source).join(':'),
      GIT_AUTHOR_NAME: identity.name,
      GIT_AUTHOR_EMAIL: identity.email,
      GIT_COMMITTER_NAME: identity.name,
      GIT_COMMITTER_EMAIL: identity.email,
      KRAFT_RESULT_PATH: track.resultPath ?? '',
      ...renderPins(workerPins),
    };
  }
}

/** A finished launch with nothing to say beyond its status. */
export function finishedAs(status: FinishedLaunch['status'], more: Partial<FinishedLaunch> = {}): FinishedLaunch {
  return {
    status,
    exitCode: null,
    reason: null,
    code: null,
    remedy: null,
    oom: null,
    output: null,
    result: null,
    leftBehind: null,
    ...more,
  };
}

function readResult(path: string | null): FinishedLaunch['result'] {
  try {
    const reading = parseResult(readFileSync(path ?? ''));
    rmSync(path ?? '');
    return reading.kind === 'result' ? reading.result : null;
  } catch {
    return null;
  }
}

function endGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    if (pid > 0) process.kill(-pid, signal);
  } catch {
    // It has ended already.
  }
}
