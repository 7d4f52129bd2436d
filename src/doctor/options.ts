import type { KraftError } from '../base/index.ts';
import type { EnvReader } from '../credentials/index.ts';
import type { HomePaths, LoadedRepos, PolicySettings, ResolvedRepo, SandboxSettings } from '../config/index.ts';
import type { Git } from '../git/index.ts';
import type { Harness } from '../harness/index.ts';
import type { Launcher, OpenedEngine, ProgramNeed } from '../launch/index.ts';

/** What the operating system says: a port, so that a test can stand on any host. `openHostProbe` is the real one. */
export interface HostProbe {
  readonly uid: number;
  readonly gid: number;
  /** Processors that this process may use. */
  readonly processors: number;
  totalMemoryBytes(): number;
  /** Bytes free for this user on the file system of `path`, or of its nearest existing parent. */
  freeBytes(path: string): Promise<number>;
  /** Permission bits (without the type) and owner; null when nothing is there. */
  ownership(path: string): Promise<{ readonly mode: number; readonly uid: number } | null>;
  selinuxEnforcing(): boolean;
  /** Whether the Docker client's `config.json` at that path names proxies; a file that cannot be read names none. */
  namesDockerProxies(configFile: string): Promise<boolean>;
  /** A fresh empty directory beside the worktrees that a container may be given, with its removal. */
  makeProbeDir(): Promise<ProbeDir>;
}

export interface ProbeDir {
  readonly path: string;
  /** Writes a file beside it, which goes with it; gives its path. */
  addFile(name: string, text: string): Promise<string>;
  /** Owner of a file in it, without following a link; null when it is not there. */
  ownerOf(name: string): Promise<number | null>;
  remove(): Promise<void>;
}

/** Each loader throws the error that a launch would stop with. */
export interface ConfigLoaders {
  repos(): Promise<LoadedRepos>;
  sandbox(): Promise<SandboxSettings>;
  policy(): Promise<PolicySettings>;
  /** Everything else that a launch reads (chains, harness files, `harnesses.yaml`); resolves when all of it loads. */
  others(): Promise<void>;
  /** `config.worldReadableEnv`. */
  readableEnv(): Promise<{ readonly path: string; readonly mode: number; readonly repos: readonly string[] } | null>;
}

/** The daemon that answers on the socket, or that this doctor runs in. */
export interface DaemonFacts {
  readonly pid: number;
  readonly version: string;
}

/** Steps of an item's way that doctor repeats. */
export interface LaunchSteps {
  readonly preflight: Launcher['preflight'];
  readonly probeRoute: Launcher['probeRoute'];
  /**
   * What would stop an item of this repository before the engine is asked, all of it: no sandbox, a feature that is not
   * built, the harness of its default chain, no identity for commits. An undecided `setup_command` has its own row.
   */
  refusals(repo: ResolvedRepo): Promise<readonly KraftError[]>;
  /** Programs that the tasks of this repository's default chain need inside its image. */
  programs(repo: ResolvedRepo): Promise<readonly ProgramNeed[]>;
  /** Harnesses that the tasks of this repository's default chain run. */
  harnesses(repo: ResolvedRepo): Promise<readonly Pick<Harness, 'id' | 'networkRequires'>[]>;
  /** Commands that the repository's own files propose; null where they propose none. */
  propose(repo: ResolvedRepo): Promise<{ readonly setup: string | null; readonly test: string | null }>;
}

/** Everything that doctor reaches; null says that this command has no such thing. */
export interface DoctorOptions {
  readonly paths: HomePaths;
  /** Version of this program. */
  readonly version: string;
  /** The environment that a launch reads: the daemon's when doctor runs in it. */
  readonly env: EnvReader;
  readonly host: HostProbe;
  readonly config: ConfigLoaders;
  /** Null: no daemon answers. */
  readonly daemon: DaemonFacts | null;
  /** Directories among the worktrees that no item has. Null: this process does not have the items. */
  readonly strayWorktrees: (() => Promise<readonly string[]>) | null;
  /** The engine that a launch would use. Errors as `openEngine`. */
  readonly openEngine: (settings: SandboxSettings) => Promise<OpenedEngine>;
  readonly git: Pick<Git, 'probeRepository'>;
  readonly steps: LaunchSteps;
}
