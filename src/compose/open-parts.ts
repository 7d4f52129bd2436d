import { systemClock, type Clock, type Log } from '../base/index.ts';
import type { HomePaths, ResolvedRepo } from '../config/index.ts';
import { createDoctor, openHostProbe, type Doctor } from '../doctor/index.ts';
import { openGit, type Git } from '../git/index.ts';
import { openLauncher, openRoutes, type Launcher, type RouteServing } from '../launch/index.ts';
import { containerPaths, type EnvReader } from '../runtime/index.ts';
import { lookAhead } from '../walk/index.ts';
import { placeShim } from '../worker-api/index.ts';
import { readerOf, type Environment } from './environment.ts';
import { openEngines, type Engines } from './open-engines.ts';
import { openLoaders, type Loaders } from './open-loaders.ts';
import { proposeFor } from './propose.ts';

/** What is opened for whatever needs an engine and git, with or without a daemon. */
export interface Parts {
  readonly paths: HomePaths;
  readonly clock: Clock;
  readonly loaders: Loaders;
  readonly git: Git;
  readonly engines: Engines;
  readonly launcher: Launcher;
  /** Null: this process is no daemon. */
  readonly doctor: (daemon: Daemon | null) => Doctor;
}

/** What only a daemon knows. */
interface Daemon {
  readonly pid: number;
  readonly version: string;
  readonly strayWorktrees: () => Promise<readonly string[]>;
}

/**
 * Opens them; nothing is asked of an engine or of git before something needs it. `serving` answers what sessions ask over their
 * routes; null in a process that is no daemon, which launches nothing under a network policy.
 */
export function openParts(
  environment: Environment,
  paths: HomePaths,
  { log, serving }: { readonly log: Log; readonly serving: RouteServing | null },
): Parts {
  const env = readerOf(environment);
  const clock = systemClock;
  const loaders = openLoaders(paths);
  const git = openHomeGit(environment, paths, log);
  const engines = openEngines({ paths, env, loadSandbox: () => loaders.sandbox(), clock, log });
  const launcher = openHomeLauncher({ paths, env, loaders, engines, clock, log, serving });
  return {
    paths,
    clock,
    loaders,
    git,
    engines,
    launcher,
    doctor: (daemon) => {
      // Each run asks anew, and within it each repository and each file once.
      const open = (): Doctor => {
        const seen = rememberProbes(git);
        const loadChain = remember(loaders.chain);
        const loadHarness = remember(loaders.harness);
        const profiles = remember(loaders.agentProfiles);
        const outlook = remember((repo: ResolvedRepo) =>
          lookAhead(
            {
              git: seen,
              loadChain,
              loadHarness,
              loadAgentProfiles: () => profiles(null),
            },
            repo,
          ),
        );
        return createDoctor({
          paths,
          version: environment.version,
          env,
          host: openHostProbe(paths.run),
          config: loaders,
          daemon,
          strayWorktrees: daemon?.strayWorktrees ?? null,
          openEngine: (settings) => engines.bySettings(settings),
          git: seen,
          steps: {
            preflight: (request) => launcher.preflight(request),
            probeRoute: (request) => launcher.probeRoute(request),
            refusals: async (repo) => (await outlook(repo)).refusals,
            programs: async (repo) => (await outlook(repo)).programs,
            harnesses: async (repo) => (await outlook(repo)).harnesses,
            propose: async (repo) => {
              const { setup, test } = await proposeFor(seen, repo.path);
              return { setup: setup[0]?.command ?? null, test: test[0]?.command ?? null };
            },
          },
        });
      };
      return { run: () => open().run(), look: (row, repoPath) => open().look(row, repoPath) };
    },
  };
}

function openHomeLauncher({
  loaders,
  engines,
  serving,
  ...edges
}: Pick<Parts, 'paths' | 'clock' | 'loaders' | 'engines'> & {
  readonly env: EnvReader;
  readonly log: Log;
  readonly serving: RouteServing | null;
}): Launcher {
  return openLauncher({
    ...edges,
    openEngine: (kind) => engines.byKind(kind),
    loadSettings: async () => ({ sandbox: await loaders.sandbox(), policy: await loaders.policy() }),
    uid: process.getuid?.() ?? 0,
    gid: process.getgid?.() ?? 0,
    routes: openRoutes({ ...edges, loadSandbox: () => loaders.sandbox(), serving }),
    placeShim: () => placeShim(edges.paths.run),
    logCap: null,
    bounds: null,
  });
}

/** Git that looks at each path once, however many rows need it. */
function rememberProbes(git: Git): Git {
  return { ...git, probeRepository: remember((path: string) => git.probeRepository(path)) };
}

function remember<K, V>(ask: (key: K) => Promise<V>): (key: K) => Promise<V> {
  const answers = new Map<K, Promise<V>>();
  return (key) => {
    const known = answers.get(key) ?? ask(key);
    answers.set(key, known);
    return known;
  };
}

/** Git on the host, for the repositories of a home. */
export function openHomeGit(environment: Environment, paths: HomePaths, log: Log): Git {
  return openGit({
    runDir: paths.run,
    env: environment.variables,
    umask: environment.personUmask,
    containerPaths,
    log,
  });
}
