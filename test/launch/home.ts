import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { randomIds, silentLog, systemClock } from '../../src/base/index.ts';
import {
  type LaunchPlan,
  type LaunchRecord,
  type LaunchRequest,
  type Launcher,
  type LauncherOptions,
  type PreflightRequest,
  type RunningLaunch,
  openLauncher,
} from '../../src/launch/index.ts';
import { type ContainerSpec, type ThrowawayResult, createEngineProbe } from '../../src/runtime/index.ts';
import { FakeEngine } from '../support/fake-engine.ts';
import { FakeRoutes } from '../support/fake-routes.ts';
import { plainRepo, plainSandbox, sampleRequest } from './sample-launch.ts';

/** Short enough that no test waits for a bound, long enough for a process to hear a signal. */
export const quickBounds = {
  graceMs: 400,
  forceMs: 400,
  clientPollMs: 20,
  containerPollMs: 20,
  logPollMs: 20,
  memoryPollMs: 20,
  settleMs: 100,
  lagMs: 40,
  lookAgainMs: 40,
};

/** A Kraft home with one worktree, an engine without containers, and the real launcher. */
export interface Home {
  readonly engine: FakeEngine;
  readonly paths: LauncherOptions['paths'];
  readonly worktree: string;
  /** What the daemon's environment holds; a test may add to it. */
  readonly env: Record<string, string>;
  /** Settings that the next call reads. */
  readonly settings: { caBundle: string | null; diskFloorBytes: number };
  readonly routes: FakeRoutes;
  readonly launcher: Launcher;
  open(changes?: Partial<LauncherOptions>): Launcher;
  request(changes?: Partial<LaunchRequest>): LaunchRequest;
  preflight(changes?: Partial<PreflightRequest>): PreflightRequest;
}

export function openHome(engine = new FakeEngine()): Home {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'kraft-launch-')));
  onTestFinished(() => {
    engine.close();
    rmSync(base, { recursive: true, force: true });
  });
  const paths = { home: join(base, 'home'), config: join(base, 'home/config'), run: join(base, 'home/run') };
  const worktree = join(base, 'worktree');
  const store = join(base, 'store');
  for (const dir of [paths.run, worktree, store]) mkdirSync(dir, { recursive: true });
  engine.addImage(plainSandbox.image);
  engine.onThrowaway ??= answerVerification;
  const probe = createEngineProbe(engine, systemClock);
  const env: Record<string, string> = { PATH: process.env['PATH'] ?? '' };
  const routes = new FakeRoutes();
  const settings = { caBundle: null as string | null, diskFloorBytes: 0 };
  const open = (changes: Partial<LauncherOptions> = {}): Launcher =>
    openLauncher({
      openEngine: () => Promise.resolve({ engine, probe }),
      paths,
      env: (name) => env[name],
      loadSettings: () =>
        Promise.resolve({
          sandbox: { cli: null, selinux: 'auto', caBundle: settings.caBundle, relayImage: null, credentials: {} },
          policy: { maxConcurrent: 1, diskFloorBytes: settings.diskFloorBytes, timeCapMinutes: null, all: {} },
        } as unknown as Awaited<ReturnType<LauncherOptions['loadSettings']>>),
      uid: process.getuid?.() ?? 0,
      gid: process.getgid?.() ?? 0,
      clock: systemClock,
      log: silentLog,
      routes,
      placeShim: () => Promise.resolve('/shim'),
      logCap: null,
      bounds: quickBounds,
      ...changes,
    });
  const sample = sampleRequest();
  return {
    engine,
    paths,
    worktree,
    env,
    settings,
    routes,
    launcher: open(),
    open,
    request: (changes = {}) => ({
      ...sample,
      sessionId: randomIds.sessionId(),
      worktree: { ...sample.worktree, path: worktree },
      store: { ...sample.store, dir: store, mounts: [] },
      ...changes,
    }),
    preflight: (changes = {}) => ({
      repo: plainRepo,
      sandbox: plainSandbox,
      programs: [],
      onProgress: null,
      ...changes,
    }),
  };
}

/** A look inside finds everything as planned: the fake has no mounts to look at. */
export function answerVerification(spec: ContainerSpec): ThrowawayResult | null {
  const [, script = '', , marker = ''] = spec.command;
  if (!script.includes('mountinfo')) return null;
  const mounts = spec.mounts.map((m) => `1 1 0:1 / ${m.target} ${m.readOnly ? 'ro' : 'rw'} - ext4 /dev/x rw`);
  const lines = [`${marker} head ${'a'.repeat(40)}`, `${marker} mounts`, ...mounts, `${marker} end`, ''];
  return { exitCode: 0, stdout: lines.join('\n'), stderr: '', timedOut: false };
}

/** Plans and starts a shell command; the launch runs when this resolves. */
export async function startShell(
  home: Home,
  script: string,
  changes: Partial<LaunchRequest> = {},
  launcher = home.launcher,
): Promise<{ readonly plan: LaunchPlan; readonly running: RunningLaunch }> {
  const request = home.request({ role: 'subprocess', command: ['sh', '-c', script], ...changes });
  const plan = await launcher.plan(request);
  const running = await launcher.start(plan, request.repo, { confirm: () => Promise.resolve(true), onProgress: null });
  if (running === null) throw new TypeError('the launch was not confirmed');
  return { plan, running };
}

export function readLog(plan: LaunchPlan): string {
  return readFileSync(plan.track.logPath, 'utf8');
}

/** The row that a walk would have written of a running session. */
export function recordOf(plan: LaunchPlan, running: RunningLaunch, changes: Partial<LaunchRecord> = {}): LaunchRecord {
  const { track } = plan;
  return {
    id: track.sessionId,
    itemId: track.itemId,
    harness: null,
    engine: 'docker',
    container: track.container,
    pid: running.client.pid,
    bootId: running.client.bootId,
    startTicks: running.client.startTicks,
    logPath: track.logPath,
    resultDir: plan.resultDir ?? '',
    exitPath: track.exitPath,
    memoryBytes: null,
    timeCapMs: null,
    relay: null,
    egress: null,
    createdAt: new Date().toISOString(),
    startedAt: new Date().toISOString(),
    stopRequested: false,
    ...changes,
  };
}

/** Waits until `condition` holds; fails after ten seconds. */
export async function until(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (!condition()) {
    if (performance.now() > deadline) throw new TypeError('it did not come about within ten seconds');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
