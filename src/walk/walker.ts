import type { Item, WorkerCalls } from '../items/index.ts';
import type { LaunchPlan } from '../launch/index.ts';
import type { Reviews } from './reviews.ts';
import type { StorageReport } from './storage.ts';

/** What a person files. `repo` is the absolute path of a connected repository. */
export interface FileRequest {
  readonly title: string;
  readonly description: string;
  readonly repo: string;
  /** Null: the repository's `default_chain_template`. */
  readonly chain: string | null;
  /** Null: the chain's own, else `demo`. */
  readonly harness: string | null;
  readonly baseBranch: string | null;
  /** Starts at once (waits for a slot like any other). */
  readonly autostart: boolean;
}

/** What a person may say with a resume or a retry. */
export interface ResumeOptions {
  /** Words for the next agent, given to it once; null for none. */
  readonly steer: string | null;
}

/** Where a retry goes on. */
export interface RetryOptions extends ResumeOptions {
  /** Canonical path of a node, step or task; null for the node that the item stopped in. */
  readonly path: string | null;
  /** From the first node. Worktree and commits stay. */
  readonly restart: boolean;
}

/** What a person passes over, and why. */
export interface SkipRequest {
  /** Null: the node or gate at which the item stands; else a step or task of it. */
  readonly path: string | null;
  readonly note: string;
}

/** How an item is archived. */
export interface ArchiveOptions {
  /** Also what lies uncommitted in the worktree. */
  readonly yes: boolean;
  /** Also what its sessions printed. */
  readonly logs: boolean;
}

/** What was found of the sessions that an earlier daemon left. */
export interface ReattachReport {
  readonly adopted: number;
  readonly resolved: number;
  readonly unknown: number;
  /** Items that went on. */
  readonly continued: number;
  /** Names of leftover containers that were removed. */
  readonly swept: readonly string[];
}

/**
 * Takes items through their chains. Ids may be prefixes. Every verb answers the item as it then is; a verb that does not
 * apply throws its catalogued refusal. Disposing leaves sessions running for the next daemon to adopt.
 */
export interface Walker extends AsyncDisposable {
  file(request: FileRequest): Promise<Item>;
  start(id: string): Promise<Item>;
  pause(id: string): Promise<Item>;
  resume(id: string, options?: ResumeOptions): Promise<Item>;
  retry(id: string, options?: Partial<RetryOptions>): Promise<Item>;
  skip(id: string, request: SkipRequest): Promise<Item>;
  abandon(id: string): Promise<Item>;
  /** Frees what an ended item holds. Errors: ITEM_OPEN, ARCHIVE_LOSES, ARCHIVE_FAILED. */
  archive(id: string, options: ArchiveOptions): Promise<Item>;
  /** What every item holds on the disk. */
  storage(): Promise<StorageReport>;
  /** Gates and threads, as a person answers them. */
  readonly reviews: Reviews;
  /** What a worker asks over its channel. */
  readonly workers: WorkerCalls;
  find(id: string): Promise<Item>;
  /** To be awaited once, before anything else, when the daemon starts. */
  reattach(): Promise<ReattachReport>;
  /** Pauses every running or waiting item and waits until their sessions have ended; answers how many. */
  pauseAll(): Promise<number>;
  runningSessionCount(): Promise<number>;
  /** The prompt that the item's agent gets. */
  prompt(id: string): Promise<string>;
  /** The plan of the agent's next launch, for an item that has a worktree. Starts nothing. Errors: as a start, ITEM_HAS_NO_WORKTREE. */
  plan(id: string): Promise<LaunchPlan>;
  /** Resolves when no walk is under way (tests, `admin stop --pause`). */
  idle(): Promise<void>;
}
