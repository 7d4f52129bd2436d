import { systemClock, type Clock, type Log } from '../base/index.ts';
import type { HomePaths } from '../config/index.ts';
import { createDoctor, openHostProbe, type Doctor } from '../doctor/index.ts';
import { openGit, type Git } from '../git/index.ts';
import { openLauncher, type Launcher } from '../launch/index.ts';
import { containerPaths } from '../runtime/index.ts';
import { lookAhead } from '../walk/index.ts';
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
  readonly doctor: (daemon: { readonly pid: number; readonly version: string } | null) => Doctor;
}

/** Opens them; nothing is asked of an engine or of git before something needs it. */
export function openParts(environment: Environment, paths: HomePaths, log: Log): Parts {
  const env = readerOf(environment);
  const clock = systemClock;
  const loaders = openLoaders(paths);
  const git = openHomeGit(environment, paths, log);
  const engines = openEngines({ paths, env, loadSandbox: () => loaders.sandbox(), clock, log });
  const launcher = openLauncher({
    openEngine: (kind) => engines.byKind(kind),
    paths,
    env,
    loadSettings: async () => ({ sandbox: await loaders.sandbox(), policy: await loaders.policy() }),
    uid: process.getuid?.() ?? 0,
    gid: process.getgid?.() ?? 0,
    clock,
    log,
    logCap: null,
    bounds: null,
  });
  const walkEdges = { git, loadChain: loaders.chain, loadHarness: loaders.harness };
  return {
    paths,
    clock,
    loaders,
    git,
    engines,
    launcher,
    doctor: (daemon) =>
      createDoctor({
        paths,
        version: environment.version,
        env,
        host: openHostProbe(paths.run),
        config: loaders,
        daemon,
        openEngine: (settings) => engines.bySettings(settings),
        git,
        steps: {
          preflight: (request) => launcher.preflight(request),
          refusals: async (repo) => (await lookAhead(walkEdges, repo)).refusals,
          programs: async (repo) => (await lookAhead(walkEdges, repo)).programs,
          propose: async (repo) => {
            const { setup, test } = await proposeFor(git, repo.path);
            return { setup: setup[0]?.command ?? null, test: test[0]?.command ?? null };
          },
        },
      }),
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
