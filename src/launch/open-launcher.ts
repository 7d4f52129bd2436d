import { join } from 'node:path';
import { realpath } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock, Log } from '../base/index.ts';
import type { HomePaths, PolicySettings, ResolvedRepo, SandboxSettings } from '../config/index.ts';
import { type EnvReader, agentCredentialNames, planForwarding } from '../credentials/index.ts';
import type { Engine, EngineKind, EngineProbe } from '../runtime/index.ts';
import { type AdoptContext, adoptLaunch } from './adopt.ts';
import { removeSessionTraces, removeWorkerTree, sweepLeftovers } from './cleanup.ts';
import type {
  Adoption,
  LaunchPlan,
  LaunchRecord,
  LaunchRequest,
  Launcher,
  Preflight,
  PreflightRequest,
  ReleasedSessions,
  RunningLaunch,
  StartHooks,
  SweepKeep,
  SweepReport,
} from './launch.ts';
import { type LogCap, defaultLogCap } from './log-cap.ts';
import { planLaunch } from './plan.ts';
import { type ImageAbsence, type Machine, type MachineView, probeMachine } from './probe-machine.ts';
import { probePrograms } from './probe-programs.ts';
import { startLaunch } from './start.ts';
import type { Routes } from './route.ts';
import { type SuperviseBounds, defaultBounds } from './supervise.ts';

/** An engine and the cache of what it says of itself. */
export interface OpenedEngine {
  readonly engine: Engine;
  readonly probe: EngineProbe;
}

export interface LauncherOptions {
  /**
   * The engine that sandbox.yaml chooses (null), or the one that a session was started on. Opened once and kept by the
   * caller. Errors: ENGINE_*.
   */
  readonly openEngine: (kind: EngineKind | null) => Promise<OpenedEngine>;
  readonly paths: HomePaths;
  /** Reads the daemon's environment, at the moment of use. */
  readonly env: EnvReader;
  /** Read anew at each launch. Errors: those of the files. */
  readonly loadSettings: () => Promise<{ readonly sandbox: SandboxSettings; readonly policy: PolicySettings }>;
  /** Who Kraft runs as. */
  readonly uid: number;
  readonly gid: number;
  readonly clock: Clock;
  readonly log: Log;
  /** Ways out under a network policy; disposed of with the launcher. */
  readonly routes: Routes;
  /** Places the shim for the containers of this home; answers its folder on the host. */
  readonly placeShim: () => Promise<string>;
  /** Null: 1 GiB, head and tail. */
  readonly logCap: LogCap | null;
  /** Null: the bounds of SI 0.5. */
  readonly bounds: SuperviseBounds | null;
}

/** The launcher of one home. */
export function openLauncher(options: LauncherOptions): Launcher {
  return new ContainerLauncher(options);
}

class ContainerLauncher implements Launcher {
  readonly #options: LauncherOptions;
  readonly #abandon = new AbortController();
  readonly #verified = new Set<string>();
  readonly #programHits = new Set<string>();
  /** The wait that the sessions of one scan share. */
  #pause: Promise<void> | null = null;

  constructor(options: LauncherOptions) {
    this.#options = options;
  }

  async preflight(request: PreflightRequest): Promise<Preflight> {
    const { view, machine } = await this.#probe(request, { pull: true, onProgress: request.onProgress });
    if (request.sandbox.network !== null) {
      const { facts, user, selinux } = machine;
      await this.#options.routes.preflight({ engine: view.engine, facts, user, selinux });
    }
    const warnings = await probePrograms(view, machine, request, this.#programHits);
    return {
      facts: machine.facts,
      imageId: machine.image.id,
      pulled: machine.pulled,
      warnings: [...machine.warnings, ...warnings],
    };
  }

  async probeRoute(request: Pick<PreflightRequest, 'repo' | 'sandbox'>): Promise<void> {
    const { view, machine } = await this.#probe(request, { pull: false });
    const { facts, user, selinux } = machine;
    await this.#options.routes.probe({ engine: view.engine, facts, user, selinux });
  }

  async plan(request: LaunchRequest): Promise<LaunchPlan> {
    const { view, machine } = await this.#probe(request, { pull: false });
    const { names } = planForwarding(
      {
        // Only an agent has a use for the keys of agents; what a test needs is in env_passthrough.
        ownNames: request.role === 'agent' ? [...agentCredentialNames, ...request.envNames] : request.envNames,
        repoEnv: request.repo.env,
        envPassthrough: request.repo.envPassthrough,
        network: request.sandbox.network !== null,
      },
      view.env,
    );
    return planLaunch(request, {
      kind: machine.facts.kind,
      home: view.paths.home,
      run: view.paths.run,
      worktree: await realpath(request.worktree.path),
      user: machine.user,
      limits: machine.limits,
      selinux: machine.selinux,
      passwd: machine.passwd,
      group: machine.group,
      caBundle: machine.caBundle,
      imagePath: machine.imageFacts.path,
      shimDir: request.sandbox.network === null ? null : await this.#options.placeShim(),
      forwardedNames: names,
    });
  }

  async start(plan: LaunchPlan, repo: ResolvedRepo, hooks: StartHooks): Promise<RunningLaunch | null> {
    const { engine, probe } = await this.#options.openEngine(null);
    const context = {
      ...this.#context(engine),
      facts: await probe.probeForLaunch(),
      env: this.#options.env,
      uid: this.#options.uid,
      verified: this.#verified,
    };
    return startLaunch(context, plan, repo, hooks);
  }

  async adopt(record: LaunchRecord): Promise<Adoption> {
    const { engine } = await this.#options.openEngine(record.engine);
    return adoptLaunch(this.#context(engine), record, () => this.#waitOnce());
  }

  async sweep(keep: SweepKeep): Promise<SweepReport> {
    const { engine } = await this.#options.openEngine(null);
    const { home, run } = this.#options.paths;
    const swept = await sweepLeftovers({ engine, home, run, pause: () => this.#waitOnce() }, keep);
    const relays = await this.#options.routes.sweep(engine);
    return {
      removed: [...swept.removed, ...relays.removed],
      problems: [...swept.problems, ...relays.problems],
    };
  }

  async releaseItem(itemId: string): Promise<void> {
    await removeWorkerTree(join(this.#options.paths.run, 'sandbox-home', itemId));
  }

  async releaseSessions(what: ReleasedSessions): Promise<void> {
    await removeSessionTraces(this.#options.paths.run, what);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#abandon.abort();
    await this.#options.routes[Symbol.asyncDispose]();
  }

  #waitOnce(): Promise<void> {
    const { lookAgainMs } = this.#options.bounds ?? defaultBounds;
    this.#pause ??= delay(lookAgainMs).finally(() => (this.#pause = null));
    return this.#pause;
  }

  async #probe(
    subject: Pick<LaunchRequest, 'repo' | 'sandbox'>,
    absence: ImageAbsence,
  ): Promise<{ readonly view: MachineView; readonly machine: Machine }> {
    const { paths, env, uid, gid } = this.#options;
    const settings = await this.#options.loadSettings();
    const { engine, probe } = await this.#options.openEngine(null);
    const view = { engine, probe, paths, env, uid, gid, sandboxSettings: settings.sandbox, policy: settings.policy };
    return { view, machine: await probeMachine(view, subject, absence) };
  }

  #context(engine: Engine): AdoptContext {
    return {
      engine,
      routes: this.#options.routes,
      clock: this.#options.clock,
      log: this.#options.log,
      logCap: this.#options.logCap ?? defaultLogCap,
      toolEnv: { PATH: this.#options.env('PATH') ?? '' },
      bounds: this.#options.bounds ?? defaultBounds,
      abandoned: this.#abandon.signal,
    };
  }
}
