import type { EventRow, Finding, JudgeVerdict, KraftEvent, SessionStatus } from '../events/index.ts';
import type { Item, Thread, ThreadComment, ThreadView } from '../items/index.ts';

/** One session's row. */
export interface SessionRow {
  readonly id: string;
  readonly itemId: string;
  readonly nodeId: string;
  /** Canonical task path (`implementation.main.agent`). */
  readonly task: string;
  readonly attempt: number;
  /** Which run of the task in this attempt, from 0: a fix loop and a recovery run it again. */
  readonly run: number;
  readonly harness: string | null;
  readonly status: SessionStatus;
  /** `docker`: the backend's name, whichever engine runs it (SI 1.1). */
  readonly backend: 'docker';
  readonly engine: 'docker' | 'podman';
  readonly container: string;
  readonly containerId: string | null;
  /** Unwrapped command text, for people. */
  readonly command: string;
  readonly pid: number | null;
  readonly bootId: string | null;
  readonly startTicks: string | null;
  readonly exitCode: number | null;
  /** Absolute paths. */
  readonly logPath: string;
  readonly resultDir: string;
  readonly exitPath: string;
  /** Memory limit the container runs under in bytes, null for none. */
  readonly memoryBytes: number | null;
  readonly timeCapMs: number | null;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  /** From start to end in milliseconds; null until it has ended. */
  readonly wallMs: number | null;
  /** Why it ended so, when the status alone does not say it. */
  readonly reason: string | null;
  /** The agent's own name for its session, as its log gave it; null when it has none. Written by a worker: data. */
  readonly agentSession: string | null;
  /** What the agent says that it used; null where it said nothing. Input is without what came from a cache. */
  readonly model: string | null;
  readonly inputTokens: number | null;
  readonly cachedTokens: number | null;
  readonly outputTokens: number | null;
  readonly costUsd: number | null;
  /** What the worker's result found wrong. */
  readonly findings: readonly Finding[];
  /** What a judge's result says of going on; null from everybody else. */
  readonly verdict: JudgeVerdict['payload']['verdict'] | null;
  /** Its relay's id; null for a session without a network policy, and until it has one. */
  readonly relay: string | null;
  /** What it was launched to reach, so that a daemon that comes back goes on with the same; null for open egress. */
  readonly egress: LaunchedLists | null;
}

/** What a session was launched to reach (the shape of `egress.EgressLists`), as text. */
export interface LaunchedLists {
  readonly phase: 'install' | 'runtime';
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

/** A change of one or more rows with the events that say so: one transaction, on disk when the promise resolves. */
export interface Change {
  readonly itemId: string;
  readonly events: readonly { readonly event: KraftEvent; readonly nodeId: string | null }[];
  /** Columns of the item that change; empty for none. */
  readonly item: Partial<Omit<Item, 'id' | 'createdAt'>>;
  /** Session rows to insert or to update by id. */
  readonly sessions: readonly (SessionRow | ({ readonly id: string } & Partial<Omit<SessionRow, 'id'>>))[];
  /** The status the item must still have; null when any will do. A mismatch throws ITEM_MOVED and changes nothing. */
  readonly expectStatus: readonly Item['status'][] | null;
}

/** A change with what is said of the item's changes. */
export interface ReviewChange extends Change {
  /** Threads to insert, or to update by id; the store keeps their times. */
  readonly threads: readonly Omit<Thread, 'createdAt' | 'updatedAt'>[];
  /** Comments to add, in order. */
  readonly comments: readonly (Omit<ThreadComment, 'createdAt'> & { readonly threadId: string })[];
}

export interface EventQuery {
  readonly itemId: string | null;
  readonly type: string | null;
  /** Only rows with a greater seq. */
  readonly afterSeq: number;
  /** 1 to 500. */
  readonly limit: number;
}

/** What a live board shows, as one moment saw it. */
export interface BoardRows {
  /** Position of the newest event of the store, 0 for none: what comes after it is news. */
  readonly seq: number;
  /** Items that have not ended, then the `completedMax` that were completed last; the last changed first. */
  readonly items: readonly Item[];
  /** Their sessions that wait or run. */
  readonly sessions: readonly SessionRow[];
  /** The last event of each. */
  readonly events: readonly EventRow[];
  /** What their sessions used; an item whose agents said nothing is left out. */
  readonly spend: readonly ({ readonly itemId: string } & Spend)[];
}

/** Sums of what agents said that they used; null where none said anything. */
export interface Spend {
  /** Input, what came from a cache and output together. */
  readonly tokens: number | null;
  readonly costUsd: number | null;
}

/** The one database of a home. Runs in a worker thread: no call blocks the daemon's event loop. */
export interface Store extends AsyncDisposable {
  createItem(item: Item, events: Change['events']): Promise<void>;
  apply(change: Change): Promise<void>;
  applyReview(change: ReviewChange): Promise<void>;
  /** Threads of an item, oldest first. */
  listThreads(itemId: string): Promise<readonly ThreadView[]>;
  /** Threads of any item whose id starts with the prefix. */
  findThreads(prefix: string): Promise<readonly Thread[]>;
  getItem(id: string): Promise<Item | null>;
  /** Items whose id starts with the prefix (ended ones too). */
  findItems(prefix: string): Promise<readonly Item[]>;
  listItems(filter: {
    readonly repo: string | null;
    readonly statuses: readonly Item['status'][] | null;
  }): Promise<readonly Item[]>;
  getSession(id: string): Promise<SessionRow | null>;
  listSessions(filter: {
    readonly itemId: string | null;
    readonly statuses: readonly SessionStatus[] | null;
  }): Promise<readonly SessionRow[]>;
  events(query: EventQuery): Promise<readonly EventRow[]>;
  /** Null `repo`: of every repository. */
  board(query: { readonly repo: string | null; readonly completedMax: number }): Promise<BoardRows>;
  /** US dollars of the sessions of all items that ended at `since` (RFC 3339) or later, or have not ended. */
  spentUsd(since: string): Promise<number>;
  /** Called after each commit with the new rows; returns the unsubscribe. */
  onEvents(listener: (rows: readonly EventRow[]) => void): () => void;
}
