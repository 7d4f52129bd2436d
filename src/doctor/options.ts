import type { Clock } from '../base/index.ts';
import type { HomePaths, PolicySettings, ResolvedRepo, SandboxSettings } from '../config/index.ts';
import type { Git } from '../git/index.ts';
import type { Engine } from '../runtime/index.ts';

/** What the operating system says: asked through a port so that a test can stand on any host. */
export interface HostProbe {
  readonly uid: number;
  readonly gid: number;
  totalMemoryBytes(): number;
  /** Bytes free for this user on the file system of `path` (or of its nearest existing parent). */
  freeBytes(path: string): Promise<number>;
  /** Permission bits and owner of a path; null when it does not exist. */
  fileMode(path: string): Promise<{ readonly mode: number; readonly uid: number } | null>;
  /** A fresh empty directory that a container may be given, with its removal. */
  makeProbeDir(): Promise<{ readonly path: string; remove(): Promise<void> }>;
}

/** Each loader throws a KraftError that names file and line, as it does for a launch. */
export interface ConfigLoaders {
  repos(): Promise<readonly ResolvedRepo[]>;
  sandbox(): Promise<SandboxSettings>;
  policy(): Promise<PolicySettings>;
  /** Chains, harness files, `harnesses.yaml`: whatever else a launch reads; resolves when all of it loads. */
  others(): Promise<void>;
}

/** The daemon that answers on the socket, or that this doctor runs in. */
export interface DaemonFacts {
  readonly pid: number;
  readonly version: string;
}

/** Steps of a launch that doctor repeats; each throws or returns the catalogued error that a launch would stop with. */
export interface LaunchSteps {
  /** Programs that the repository's tasks need inside its image (agent CLIs, git, sh …). */
  programs(repo: ResolvedRepo): Promise<readonly string[]>;
  /** Setup and test commands that the repository's own files propose, each with the marker that it came from. */
  propose(repo: ResolvedRepo): Promise<{ readonly setup: string | null; readonly test: string | null }>;
}

/** Everything that doctor reaches; null says that this host or command has no such thing. */
export interface DoctorOptions {
  readonly paths: HomePaths;
  readonly version: string;
  readonly clock: Clock;
  /** The environment a launch would read: the daemon's when doctor runs in it. */
  readonly env: (name: string) => string | undefined;
  readonly host: HostProbe;
  readonly config: ConfigLoaders;
  /** Null: no daemon answers. */
  readonly daemon: DaemonFacts | null;
  /** Opens and asks the engine anew, never from a cache. */
  readonly openEngine: (settings: SandboxSettings) => Promise<Engine>;
  readonly git: Pick<Git, 'probeRepository'>;
  readonly steps: LaunchSteps;
}
