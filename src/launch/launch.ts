import type { Phase, ResolvedRepo, Sandbox } from '../config/index.ts';
import type { SessionStatus } from '../events/index.ts';
import type { RefStore, Worktree, Identity } from '../git/index.ts';
import type { ContainerSpec } from '../runtime/index.ts';
import type { ProcessIdentity } from '../process/index.ts';

/** What is to run, whoever asks: an agent, a test scope, or the setup command. */
export interface LaunchRequest {
  readonly itemId: string;
  readonly sessionId: string;
  /** `setup` publishes nothing, has no results directory and no session row. */
  readonly role: 'agent' | 'subprocess' | 'setup';
  readonly phase: Phase;
  readonly repo: ResolvedRepo;
  readonly sandbox: Extract<Sandbox, { kind: 'docker' }>;
  readonly worktree: Worktree;
  readonly store: RefStore;
  readonly identity: Identity;
  /** argv in the container; the setup command is `sh -c <text>`. */
  readonly command: readonly string[];
  /** Literals of the harness and of the task: never a secret. */
  readonly env: Readonly<Record<string, string>>;
  /** Further variable names that the harness takes from the daemon (agent credentials). */
  readonly envNames: readonly string[];
  readonly timeCapMs: number | null;
}

/** The whole launch as data: what a dry run prints, a golden test reads and `run` executes. */
export interface LaunchPlan {
  readonly itemId: string;
  readonly sessionId: string;
  readonly role: LaunchRequest['role'];
  readonly container: ContainerSpec;
  /** Names whose values `run` reads from the daemon's environment or the repository's `env` at the moment of use. */
  readonly secretNames: readonly string[];
  /** Directories that must exist before the start, with their mode. */
  readonly directories: readonly { readonly path: string; readonly mode: number }[];
  readonly clientCwd: string;
  readonly logPath: string;
  readonly exitPath: string;
  readonly resultDir: string;
  /** Host path of the result file; null for a setup command. */
  readonly resultPath: string | null;
  readonly memoryBytes: number | null;
  readonly timeCapMs: number | null;
}

/** A launch whose client runs. */
export interface RunningLaunch {
  readonly plan: LaunchPlan;
  readonly client: ProcessIdentity;
  /** Resolves when the client has ended; for an adopted one it polls the process. */
  readonly ended: Promise<void>;
}

/** How it ended, after teardown: the container is gone, the result has been read. */
export interface FinishedLaunch {
  readonly status: Exclude<SessionStatus, 'pending' | 'running'>;
  readonly exitCode: number | null;
  /** Why, when the status alone does not say it. */
  readonly reason: string | null;
  /** Catalogue code of a configuration error. */
  readonly code: string | null;
  readonly remedy: string | null;
  readonly oom: { readonly memoryBytes: number; readonly confirmed: boolean } | null;
  /** What the log lacks. */
  readonly output: { readonly reason: string; readonly droppedBytes: number | null } | null;
  /** The worker's own result object (bounded, unknown keys dropped), null when there is none. */
  readonly result: WorkerResult | null;
}

/** Result protocol (CC 6.7). Written by the worker: data, never trusted. */
export interface WorkerResult {
  readonly status: 'done' | 'done_with_concerns' | 'failed' | 'needs_context';
  readonly concerns: string | null;
  readonly question: string | null;
  readonly summary: string | null;
  readonly costUsd: number | null;
  readonly model: string | null;
}
