/** One bind mount. */
export interface Mount {
  /** Absolute, symlink-resolved path on the host. */
  readonly source: string;
  /** Absolute path in the container. */
  readonly target: string;
  readonly readOnly: boolean;
}

/** Limits as flags are made of them; null leaves the flag out (SI 6.2). */
export interface ContainerLimits {
  /** CPUs, fractions allowed, at least 0.01. */
  readonly cpu: number | null;
  readonly memoryBytes: number | null;
  /** True where swap can be limited too: `--memory-swap` gets the same value. */
  readonly closeSwap: boolean;
  readonly pids: number | null;
}

/**
 * One container, as plain data: everything that ends up on an engine's command line, and nothing else.
 * Rendered by `renderRunArgs`; a plan holds it, a golden test reads it.
 */
export interface ContainerSpec {
  /** Null: throw-away (`--rm`, no name). Named: kept after exit, without a log of its own (SI 1.4). */
  readonly name: string | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly image: string;
  /** Replaces the image's Cmd. */
  readonly command: readonly string[];
  /** Null keeps the image's own entrypoint. */
  readonly entrypoint: string | null;
  /** `uid:gid` inside the container; null leaves the image's. */
  readonly user: string | null;
  /** `keep-id` on rootless Podman, else null. */
  readonly userNamespace: string | null;
  /** Host mounts in the order in which they are made. */
  readonly mounts: readonly Mount[];
  /** Path -> options, e.g. `/kraft/oneshot-home` -> `mode=1777`. */
  readonly tmpfs: Readonly<Record<string, string>>;
  readonly workingDir: string | null;
  /** `NAME=VALUE` on the command line: never a secret. */
  readonly envLiterals: Readonly<Record<string, string>>;
  /** Passed bare, so that the value comes from the client's own environment. */
  readonly envNames: readonly string[];
  /** `none`, `container:<name>`, or null for the engine's default network. */
  readonly network: string | null;
  readonly limits: ContainerLimits;
  /** `--init`: PID 1 that forwards signals. */
  readonly init: boolean;
  readonly readOnlyRoot: boolean;
  /** Keeps standard input open (one-shots that are spoken to). */
  readonly interactive: boolean;
  /** Host path where Docker writes the container id; must not exist before. Null for none. */
  readonly cidFile: string | null;
  /** `never` where a missing image must be an answer rather than a download; null for the engine's default. */
  readonly pull: 'never' | null;
  /** SELinux: label the mounts shared, switch labels off, or nothing to say. */
  readonly selinux: 'relabel' | 'disable' | null;
}
