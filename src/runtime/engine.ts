import type { ContainerSpec } from './container.ts';

export type EngineKind = 'docker' | 'podman';
export type LimitName = 'cpu' | 'memory' | 'swap' | 'pids';

/** What the engine says of itself. `unknown` is an answer that could not be read: never a default (SI 1.3). */
export interface EngineFacts {
  readonly kind: EngineKind;
  /** Server version as printed. */
  readonly serverVersion: string;
  readonly rootless: boolean | 'unknown';
  /** Whether the engine applies SELinux labels; whether the host enforces is asked apart (`probeSelinuxEnforcing`). */
  readonly appliesSelinuxLabels: boolean | 'unknown';
  readonly enforceable: ReadonlySet<LimitName> | 'unknown';
  /** Null: a local engine on this kernel. Else why Kraft will not launch there (VM, tcp, ssh, another machine). */
  readonly remote: { readonly endpoint: string; readonly why: string } | null;
  /** How the engine stores layers (`overlay`, `vfs`, …); null when it did not say. */
  readonly storageDriver: string | null;
  /** The endpoint in use, for people (`unix:///var/run/docker.sock`). */
  readonly endpoint: string;
}

/** Facts whose identity is known: the only ones that a launch may be planned with. */
export interface KnownEngineFacts extends EngineFacts {
  readonly rootless: boolean;
  readonly appliesSelinuxLabels: boolean;
}

/** A local image. */
export interface ImageInfo {
  /** Without `sha256:`. */
  readonly id: string;
  readonly env: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly sizeBytes: number;
  readonly createdAt: string;
}

/** A container's end as the engine tells it (SI 6.4). */
export interface ContainerState {
  readonly id: string;
  readonly running: boolean;
  /** First process of the container as the host numbers it; null while there is none. */
  readonly pid: number | null;
  /** Null while it runs, and of one that was never started. */
  readonly exitCode: number | null;
  readonly oomKilled: boolean;
  /** 0 when the container has no memory limit. */
  readonly memoryLimitBytes: number;
}

export interface ListedContainer {
  readonly name: string;
  readonly id: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Result of a throw-away container, run to its end. */
export interface ThrowawayResult {
  /** Null when it did not end in time or the engine gave no answer. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut: boolean;
}

/** How to start a session's attached client by hand (`process.startClient`). */
export interface ClientCommand {
  readonly file: string;
  readonly args: readonly string[];
  /** Environment the client itself needs (PATH, HOME, DOCKER_HOST, CONTAINERS_CONF, a private DOCKER_CONFIG …). */
  readonly env: Readonly<Record<string, string>>;
}

/** Docker or Podman. Every call is bounded in time; a call without an answer throws a catalogued error. */
export interface Engine {
  readonly kind: EngineKind;
  /** Absolute path of the CLI. */
  readonly cli: string;
  /** Asks the engine anew; launches and doctor go through `EngineProbe`, which caches. Errors: ENGINE_UNREACHABLE. */
  probe(timeoutMs: number): Promise<EngineFacts>;
  /** Null when the image is not here. */
  inspectImage(reference: string): Promise<ImageInfo | null>;
  /** Pulls; `onProgress` gets lines for people. Errors: IMAGE_PULL_FAILED. */
  pullImage(
    reference: string,
    options: { readonly timeoutMs: number; readonly onProgress: ((line: string) => void) | null },
  ): Promise<void>;
  listImages(reference: string): Promise<readonly (ImageInfo & { readonly tags: readonly string[] })[]>;
  /** Builds `tag` from a context folder that holds a Dockerfile. Errors: IMAGE_BUILD_FAILED. */
  buildImage(options: {
    readonly contextDir: string;
    readonly tags: readonly string[];
    readonly labels: Readonly<Record<string, string>>;
    readonly timeoutMs: number;
    readonly onProgress: ((line: string) => void) | null;
  }): Promise<void>;
  /** Runs a container to its end and gives what it printed; `env` holds the values of the spec's bare names. */
  runThrowaway(
    spec: ContainerSpec,
    options: {
      readonly env: Readonly<Record<string, string>>;
      readonly timeoutMs: number;
      readonly input: string | null;
    },
  ): Promise<ThrowawayResult>;
  /**
   * Starts a named container that goes on by itself, and gives its id; bounded by 30 s. One that did not start is removed.
   * Errors: CONTAINER_NOT_STARTED with the engine's words.
   */
  startContainer(spec: ContainerSpec & { readonly name: string }): Promise<string>;
  /** Runs a program inside a running container; an engine that cannot is an exit code too (125 and up). */
  exec(
    name: string,
    argv: readonly string[],
    options: { readonly input: string | null; readonly timeoutMs: number },
  ): Promise<ThrowawayResult>;
  /** The attached client of a named container; pure but for the paths found at construction. */
  clientCommand(spec: ContainerSpec, env: Readonly<Record<string, string>>): ClientCommand;
  /** Null when there is no such container. */
  inspectContainer(name: string): Promise<ContainerState | null>;
  /** Force-removes; an absent container is success. */
  removeContainer(name: string): Promise<void>;
  /** Containers that carry the label, running or not. */
  listContainers(label: { readonly key: string; readonly value: string }): Promise<readonly ListedContainer[]>;
  /** Signals the container's PID 1; an absent container is success. */
  killContainer(name: string, signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL'): Promise<void>;
}
