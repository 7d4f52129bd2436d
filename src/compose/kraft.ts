import type { EventRow, SessionStatus } from '../events/index.ts';
import type { Item } from '../items/index.ts';
import type { SessionRow, Spend } from '../store/index.ts';
import type { DoctorReport } from '../doctor/index.ts';
import type { EgressHost } from '../egress/index.ts';
import type { LaunchPlan } from '../launch/index.ts';
import type { Phase, ResolvedRepo } from '../config/index.ts';
import type { ReviewKraft } from './review-kraft.ts';
import type { ArchiveOptions, ResumeOptions, RetryOptions, SkipRequest, StorageReport } from '../walk/index.ts';

export type {
  ArchiveOptions,
  ItemStorage,
  ResumeOptions,
  RetryOptions,
  SkipRequest,
  StorageReport,
} from '../walk/index.ts';

/** An item as front doors show it. What is frozen onto it stays inside: it holds values of the repository's `env`. */
export type PublicItem = Omit<Item, 'frozen' | 'frozenChain'>;

/** A connected repository as front doors show it: `env` by its names alone. */
export type PublicRepo = Omit<ResolvedRepo, 'env'> & { readonly envNames: readonly string[] };

export interface Commit {
  readonly commit: string;
  readonly subject: string;
  readonly author: string;
  /** UTC RFC 3339. */
  readonly at: string;
}

/** Where a node of an item's chain stands; `asks`: a gate that waits for an answer. */
export type NodeState = 'done' | 'running' | 'waiting' | 'paused' | 'stopped' | 'asks' | 'to_come' | 'not_run';

export interface NodeView {
  readonly id: string;
  readonly kind: 'exec' | 'gate';
  readonly state: NodeState;
  /** Those of its steps, in order; empty for a gate. */
  readonly tasks: readonly TaskView[];
}

export interface TaskView {
  /** Canonical path. */
  readonly path: string;
  readonly kind: 'agent' | 'subprocess' | 'builtin';
  /** A person passed over it, its step or its node. */
  readonly skipped: boolean;
  /** Its newest session, with the status of that; null when none ran. */
  readonly sessionId: string | null;
  readonly status: SessionStatus | null;
}

/** An item with what a person wants to see beside it (`view show`, `GET /api/work-items/{id}`). */
export interface ItemView {
  readonly item: PublicItem;
  readonly sessions: readonly SessionRow[];
  /** Its chain, node by node; empty when what is frozen onto it cannot be read. */
  readonly nodes: readonly NodeView[];
  /** What its sessions used together; null while no agent said anything. */
  readonly spend: Spend | null;
  /** Review threads that are not resolved. */
  readonly openThreads: number;
  /** Commits of the branch since its base, newest first. */
  readonly commits: readonly Commit[];
  /** The command that merges the branch; null until something is committed. */
  readonly mergeCommand: string | null;
  /** The verb that takes the item on (`kraft item start abc`), null when ended or running. */
  readonly nextCommand: string | null;
}

/** What is going on, as one moment saw it (`view watch`). */
export interface Board {
  /** Position of the newest event: what comes after it is news. */
  readonly seq: number;
  /** Items that have not ended and a few that were completed last; the last changed first. */
  readonly items: readonly BoardItem[];
}

export interface BoardItem {
  readonly item: PublicItem;
  /** Sessions that wait or run. */
  readonly sessions: readonly SessionRow[];
  readonly lastEvent: EventRow | null;
  /** Null while no agent said what it used. */
  readonly spend: Spend | null;
}

/** What an item's branch changed since its base, as the person's repository has it. Written by a worker: data. */
export interface Diff {
  readonly text: string;
  /** The text ends early, after a whole line. */
  readonly truncated: boolean;
  /** What shows all of it; null until the branch has a commit. */
  readonly command: string | null;
  /** Files of the worktree that are neither committed nor ignored: no part of the branch. At most 1000 of them. */
  readonly untracked: readonly string[];
  /** How many there are. */
  readonly untrackedCount: number;
  /** Why those are not known; null when they are. */
  readonly untrackedProblem: string | null;
}

/** What the sessions of an item asked the network for (`view egress`), as the decision logs under `run/egress` have it. */
export interface EgressView {
  readonly itemId: string;
  /** In the order in which they began; without those that ran under no network policy. */
  readonly sessions: readonly SessionEgress[];
  /** What would open what was refused, as far as an allow entry can. */
  readonly suggestions: readonly EgressSuggestion[];
}

/** `hosts` are as a session asked for them: their names are a worker's own words, data. */
export interface SessionEgress {
  readonly sessionId: string;
  /** Canonical path of its task; null for a setup command. */
  readonly task: string | null;
  readonly phase: Phase;
  readonly hosts: readonly EgressHost[];
  /** Hosts beyond the 500 that are listed. */
  readonly leftOut: number;
  /** Requests of which nothing but their number was kept. */
  readonly dropped: number;
  /** Requests that were not understood, and answered 400. */
  readonly malformed: number;
}

export interface EgressSuggestion {
  readonly host: string;
  readonly port: number;
  readonly phase: Phase;
  /** `kraft repo allow …`, to be typed as it stands. */
  readonly command: string;
}

export interface CreateItemRequest {
  readonly title: string;
  readonly description: string;
  /** Path of a connected repository, a path inside it, or its label. */
  readonly repo: string;
  readonly chain: string | null;
  readonly harness: string | null;
  readonly baseBranch: string | null;
  readonly autostart: boolean;
}

export interface Health {
  readonly status: 'ok' | 'degraded';
  readonly reasons: readonly string[];
  readonly version: string;
  readonly protocol: number;
  readonly pid: number;
  readonly home: string;
  readonly runDir: string;
  readonly startedAt: string;
  readonly activeItems: number;
  readonly runningSessions: number;
}

/** `reasons`: read configuration and disk for it too. Without them the answer costs nothing and wakes nothing. */
export interface HealthQuery {
  readonly reasons: boolean;
}

/** What a log reader gets: bytes from an offset, and whether more may come. */
export interface LogChunk {
  readonly sessionId: string;
  readonly text: string;
  /** Where the text begins; what lies between the offset that was asked for and here was dropped by the cap. */
  readonly startOffset: number;
  /** Where to go on. */
  readonly nextOffset: number;
  /** Bytes of the log when it was read, the dropped ones included. */
  readonly sizeBytes: number;
  readonly ended: boolean;
  /** A tail that begins later than was asked for: its lines are longer than what is gone back. */
  readonly shortened: boolean;
  /** Bytes that the cap dropped between head and tail; 0 for none. */
  readonly droppedBytes: number;
}

/** The facade: front doors call this and nothing else. Errors are KraftErrors. */
export interface Kraft extends ReviewKraft, AsyncDisposable {
  health(query: HealthQuery): Promise<Health>;
  createItem(request: CreateItemRequest): Promise<ItemView>;
  /** Each answers the item as it then is; idempotent where the item is already there. */
  startItem(id: string): Promise<ItemView>;
  pauseItem(id: string): Promise<ItemView>;
  resumeItem(id: string, options: ResumeOptions): Promise<ItemView>;
  retryItem(id: string, options: RetryOptions): Promise<ItemView>;
  skipItem(id: string, request: SkipRequest): Promise<ItemView>;
  abandonItem(id: string): Promise<ItemView>;
  archiveItem(id: string, options: ArchiveOptions): Promise<ItemView>;
  /** What every item holds on the disk; looks at each of their files. */
  storage(): Promise<StorageReport>;
  /** `id` may be a prefix; several matches are an error naming them. */
  showItem(id: string): Promise<ItemView>;
  /** Newest first. `repo`: label or path of a connected repository, or null for all; abandoned and archived items on request. */
  listItems(filter: {
    readonly repo: string | null;
    readonly includeAbandoned: boolean;
    readonly includeArchived: boolean;
  }): Promise<readonly PublicItem[]>;
  /** `repo` as for `listItems`. */
  board(query: { readonly repo: string | null }): Promise<Board>;
  events(query: {
    readonly itemId: string | null;
    readonly type: string | null;
    readonly afterSeq: number;
    readonly limit: number;
  }): Promise<readonly EventRow[]>;
  /** Waits up to `waitMs` for rows after `afterSeq`; empty when none came. */
  followEvents(query: {
    readonly itemId: string | null;
    readonly type: string | null;
    readonly afterSeq: number;
    readonly waitMs: number;
  }): Promise<readonly EventRow[]>;
  /**
   * At most 256 KiB of a log, from `offset` on, or from the beginning of its last `tailLines` lines. Null session: the
   * item's newest. `waitMs` > 0 waits for more output.
   */
  readLog(query: {
    readonly itemId: string;
    readonly sessionId: string | null;
    readonly offset: number;
    /** Null reads from `offset`. */
    readonly tailLines: number | null;
    readonly waitMs: number;
  }): Promise<LogChunk>;
  diff(query: {
    readonly itemId: string;
    readonly format: 'patch' | 'stat' | 'name-only';
    readonly ignoreWhitespace: boolean;
  }): Promise<Diff>;
  /** What its sessions asked the network for, was allowed and refused. */
  egress(query: { readonly itemId: string }): Promise<EgressView>;
  /** The prompt that the item's agent gets, and the plan of its next launch. */
  prompt(itemId: string): Promise<string>;
  plan(itemId: string): Promise<LaunchPlan>;
  repos(): Promise<readonly PublicRepo[]>;
  doctor(): Promise<DoctorReport>;
  /** Pauses every running item (`admin stop --pause`); answers how many. */
  pauseAll(): Promise<number>;
  /** Sessions that go on without the daemon, for `admin stop` to say. */
  runningSessionCount(): Promise<number>;
}
