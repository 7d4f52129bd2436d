import type { Phase, ResolvedRepo, Sandbox } from '../config/index.ts';
import type { SessionStatus } from '../events/index.ts';
import type { ConfigDir } from '../harness/index.ts';
import type { RefStore, Worktree, Identity } from '../git/index.ts';
import type { ContainerSpec, EngineFacts } from '../runtime/index.ts';
import type { ProcessIdentity } from '../process/index.ts';
import type { EgressLists } from '../egress/index.ts';
import type { NetworkPlan } from './route.ts';

export type DockerSandbox = Extract<Sandbox, { kind: 'docker' }>;

/** What is to run, whoever asks: an agent, a test scope, or the setup command. */
export interface LaunchRequest {
  readonly itemId: string;
  readonly sessionId: string;
  /** `setup` publishes nothing, has no results directory and no session row. */
  readonly role: LaunchRole;
  readonly phase: Phase;
  readonly repo: ResolvedRepo;
  readonly sandbox: DockerSandbox;
  readonly worktree: Worktree;
  readonly store: RefStore;
  readonly identity: Identity;
  /** argv in the container; the setup command is `sh -c <text>` (`shellCommand`). */
  readonly command: readonly string[];
  /** Literals of the harness and of the task: never a secret. */
  readonly env: Readonly<Record<string, string>>;
  /** Further variable names that the harness takes from the daemon (agent credentials). */
  readonly envNames: readonly string[];
  /** Config files that the harness wants its product to find; null for none. */
  readonly configDir: ConfigDir | null;
  /** Hosts that its harness cannot do without; they join the runtime phase's allow list. */
  readonly harnessHosts: readonly string[];
  readonly timeCapMs: number | null;
}

export type LaunchRole = 'agent' | 'subprocess' | 'setup';

/** What running, teardown and adoption need of a launch: paths of its traces and what it runs under. */
export interface LaunchTrack {
  readonly itemId: string;
  readonly sessionId: string;
  readonly role: LaunchRole;
  readonly container: string;
  readonly logPath: string;
  /** Exit code of the client, as decimal text. */
  readonly exitPath: string;
  /** Where Docker writes the container id; null where the engine is Podman. */
  readonly cidFile: string | null;
  /** Working directory of the client; Podman's conmon may drop its `oom` file here. Removed by teardown. */
  readonly clientDir: string;
  /** Host path of the result file; null for a setup command. */
  readonly resultPath: string | null;
  /** Memory limit that the container runs under, null for none. */
  readonly memoryBytes: number | null;
  readonly timeCapMs: number | null;
}

/** The whole launch as data: what a dry run prints, a golden test reads and `run` executes. */
export interface LaunchPlan {
  readonly track: LaunchTrack;
  readonly container: ContainerSpec;
  /** Bare names of the container and where `run` reads their values at the moment of use. */
  readonly secretNames: readonly { readonly name: string; readonly source: 'daemon' | 'repository' }[];
  /** Directories that must exist before the start, with their mode; made in this order. */
  readonly directories: readonly { readonly path: string; readonly mode: number }[];
  /** Files of Kraft's own that are mounted read-only, written anew right before the start; mode 0644, never a secret. */
  readonly files: readonly { readonly path: string; readonly content: string }[];
  /** Host paths that must belong to the user Kraft runs as (SI 1.10). */
  readonly owned: readonly string[];
  /** The results directory on the host; null for a setup command. */
  readonly resultDir: string | null;
  /** Null: open egress. Otherwise the container joins the network of the relay that `run` gets for it. */
  readonly network: NetworkPlan | null;
}

/** Why Kraft ended a launch itself. */
export type StopCause = 'pause' | 'cancel' | 'cap' | 'log' | 'relay';

/** A launch whose client runs. */
export interface RunningLaunch {
  readonly track: LaunchTrack;
  readonly client: ProcessIdentity;
  /** What the engine calls the container; null until it has said it (Docker's id file). Read anew each time. */
  readonly containerId: string | null;
  /** Id of its relay; null under open egress. */
  readonly relay: string | null;
  /** Resolves once the container is over and teardown is done; never rejects. */
  readonly finished: Promise<FinishedLaunch>;
  /**
   * Asks it to end: `pause` by SIGINT first, `cancel` and `cap` (it has used more than it may) by SIGTERM, then by force
   * after a grace of 10 s. Idempotent; `finished` says how it went.
   */
  stop(cause: 'pause' | 'cancel' | 'cap'): void;
}

/** A process of the container was killed by its memory limit. */
export interface MemoryKill {
  readonly memoryBytes: number;
  readonly confirmed: boolean;
  /** The most that the container's cgroup was seen to use; null when it could not be read. */
  readonly peakBytes: number | null;
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
  readonly oom: MemoryKill | null;
  /** What the log lacks. */
  readonly output: { readonly reason: string; readonly droppedBytes: number | null } | null;
  /** The worker's own result object (bounded, unknown keys dropped), null when there is none. */
  readonly result: WorkerResult | null;
  /** Set when the container could not be removed: something may still write. Do not publish; stop the item as infra. */
  readonly leftBehind: string | null;
}

/** Result protocol (CC 6.7). Written by the worker: data, never trusted. */
export interface WorkerResult {
  readonly status: 'done' | 'done_with_concerns' | 'failed' | 'needs_context';
  readonly concerns: string | null;
  readonly question: string | null;
  readonly summary: string | null;
  readonly costUsd: number | null;
  readonly model: string | null;
  /** Tokens that the worker says it used; null when it says nothing. */
  readonly usage: WorkerUsage | null;
  /** At most 200 are kept. */
  readonly findings: readonly WorkerFinding[];
  /** Entries of `findings` that were no findings, or one too many. */
  readonly droppedFindings: number;
  /** A judge's or gate reviewer's word; null for none, and for one that the protocol does not know. */
  readonly verdict: WorkerVerdict | null;
  readonly suggestedAction: { readonly action: 'skip' | 'retry' | 'abandon'; readonly reason: string | null } | null;
}

export type WorkerVerdict =
  'continue' | 'stop_needs_human' | 'stop_downgrade' | 'approve' | 'reject' | 'fixed' | 'undecided';

/** Counts of tokens. */
export interface WorkerUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
}

/** What an agent found wrong. */
export interface WorkerFinding {
  readonly severity: 'critical' | 'important' | 'minor';
  readonly message: string;
  /** Who found it, as the agent names it (`source_plugin`). */
  readonly source: string;
  readonly file: string | null;
  readonly line: number | null;
  /** Tag of an earlier finding that it is the same as. */
  readonly sameAs: string | null;
}

/** A program that a task of the item needs inside the image. */
export interface ProgramNeed {
  readonly program: string;
  /** Who needs it, for people: `the setup command`, `harness claude`, `the test command \`npm test\``. */
  readonly neededBy: string;
  /** Arguments with which it must start and exit 0 (`--version`); null where being there is enough. */
  readonly startsWith: readonly string[] | null;
}

export interface PreflightRequest {
  readonly repo: ResolvedRepo;
  readonly sandbox: DockerSandbox;
  readonly programs: readonly ProgramNeed[];
  /** Lines for people while an image is pulled; null for none. */
  readonly onProgress: ((line: string) => void) | null;
}

/** What a launch of this repository would run on; every refusal has been thrown already. */
export interface Preflight {
  readonly facts: EngineFacts;
  readonly imageId: string;
  readonly pulled: boolean;
  /** Things that do not stop a launch (an unusable SSL_CERT_FILE, a probe without an answer, a default limit left out). */
  readonly warnings: readonly string[];
}

/** A session row as far as adoption needs it (`store.SessionRow` with what is known of its item). */
export interface LaunchRecord {
  readonly id: string;
  readonly itemId: string;
  /** Null for a subprocess. */
  readonly harness: string | null;
  readonly engine: 'docker' | 'podman';
  readonly container: string;
  readonly pid: number | null;
  readonly bootId: string | null;
  readonly startTicks: string | null;
  readonly logPath: string;
  readonly resultDir: string;
  readonly exitPath: string;
  readonly memoryBytes: number | null;
  readonly timeCapMs: number | null;
  /** Its relay's id and what it may reach; null under open egress. */
  readonly relay: string | null;
  readonly egress: EgressLists | null;
  readonly createdAt: string;
  readonly startedAt: string | null;
  /** A person had asked for a pause: an earlier daemon may have ended it, and then its 137 is Kraft's. */
  readonly stopRequested: boolean;
}

/** What became of a session while the daemon was away (SI 1.15). */
export type Adoption =
  /** Client or container lives: taken over. */
  | { readonly kind: 'adopted'; readonly running: RunningLaunch }
  /** Over, with evidence of how; torn down. */
  | { readonly kind: 'ended'; readonly finished: FinishedLaunch }
  /** Over without evidence; torn down. The item stops for a person with this reason. */
  | { readonly kind: 'unknown'; readonly reason: string; readonly leftBehind: string | null };

/** What the walk hangs into a start. */
export interface StartHooks {
  /** Asked right before the spawn: false when the session is no longer pending, and then nothing is started. */
  readonly confirm: () => Promise<boolean>;
  /** Lines for people (a first copy of the image under keep-id takes long); null for none. */
  readonly onProgress: ((line: string) => void) | null;
}

/**
 * Starting, watching and ending containers of sessions and setup commands. Errors are catalogued. Disposing stops the
 * watching and nothing else: what runs goes on for the next daemon to adopt, and its `finished` never resolves here.
 */
export interface Launcher extends AsyncDisposable {
  /**
   * Everything that can be refused before a worktree is made (PF-D09, K11, SI 6.3, 5.8, disk floor); pulls a missing
   * image. To be called whenever an item is taken on, so that no pull falls into a task's time.
   */
  preflight(request: PreflightRequest): Promise<Preflight>;
  /** Whether a session of this sandbox would get its route, shown by a real relay that goes again. Errors: RELAY_*, CHANNEL_*. */
  probeRoute(request: Pick<PreflightRequest, 'repo' | 'sandbox'>): Promise<void>;
  /** Engine, image, limits and CA are asked anew, the rest is pure. Starts nothing: a dry run. */
  plan(request: LaunchRequest): Promise<LaunchPlan>;
  /** Executes a plan; null when `confirm` said no. */
  start(plan: LaunchPlan, repo: ResolvedRepo, hooks: StartHooks): Promise<RunningLaunch | null>;
  adopt(record: LaunchRecord): Promise<Adoption>;
  /**
   * Removes what earlier daemons left: containers of this home that belong to no live session, by label and by the ids
   * that their clients wrote down; their clients and directories; drafts; HOMEs of items that are not in `itemIds`.
   */
  sweep(keep: SweepKeep): Promise<SweepReport>;
  /** Removes the item's sandbox HOME (abandon, archive). Results and logs stay. */
  releaseItem(itemId: string): Promise<void>;
  /** Removes what the item's sessions and setup commands left: results, and with `logs` what they printed. Idempotent. */
  releaseSessions(what: ReleasedSessions): Promise<void>;
}

export interface ReleasedSessions {
  readonly itemId: string;
  readonly sessionIds: readonly string[];
  readonly logs: boolean;
}

/** What a sweep leaves as it is. */
export interface SweepKeep {
  readonly sessionIds: readonly string[];
  /** Every item of the home. */
  readonly itemIds: readonly string[];
}

export interface SweepReport {
  readonly removed: readonly string[];
  /** What could not be listed or removed, for people; a failed list removes nothing. */
  readonly problems: readonly string[];
}
