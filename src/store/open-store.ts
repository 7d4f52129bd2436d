import { chmodSync, closeSync, openSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { baseErrors, KraftError, toTimestamp, type Clock } from '../base/index.ts';
import type { EventRow } from '../events/index.ts';
import type { Item, Thread, ThreadView } from '../items/index.ts';
import { storeErrors } from './errors.ts';
import type { Answer, Arguments, Failure, Method, Request, Response } from './protocol.ts';
import type { BoardRows, Change, EventQuery, ReviewChange, SessionRow, Store } from './store.ts';

export interface StoreOptions {
  /** Absolute path of the database file; its folder exists. */
  readonly path: string;
  readonly clock: Clock;
}

/** Opens (and makes or migrates) the database of a home. Errors: STORE_TOO_NEW, STORE_CORRUPT, STORE_UNUSABLE. */
export async function openStore(options: StoreOptions): Promise<Store> {
  makePrivate(options.path);
  // The same folder holds the thread's source as `.ts` here and as `.js` once compiled.
  const entry = `./store-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`;
  const worker = new Worker(new URL(entry, import.meta.url), {
    workerData: { path: options.path },
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  await new Promise<void>((resolve, reject) => {
    worker.once('message', (first: Response) => {
      if (first.kind === 'refused') reject(toError(first.error));
      else resolve();
    });
    worker.once('error', (error) =>
      reject(storeErrors.create('STORE_UNUSABLE', { path: options.path, why: String(error) }, error)),
    );
  });
  return new WorkerStore(worker, options.clock);
}

/** SQLite gives its -wal and -shm files the mode of the database itself, so that one is enough to settle. */
function makePrivate(path: string): void {
  try {
    closeSync(openSync(path, 'a', 0o600));
    chmodSync(path, 0o600);
  } catch (error) {
    throw storeErrors.create(
      'STORE_UNUSABLE',
      { path, why: error instanceof Error ? error.message : 'unknown' },
      error,
    );
  }
}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

class WorkerStore implements Store {
  readonly #worker: Worker;
  readonly #clock: Clock;
  readonly #waiting = new Map<number, Waiting>();
  readonly #listeners = new Set<(rows: readonly EventRow[]) => void>();
  readonly #exited: Promise<void>;
  #lastId = 0;
  #closed = false;

  constructor(worker: Worker, clock: Clock) {
    this.#worker = worker;
    this.#clock = clock;
    worker.on('message', (response: Response) => this.#settle(response));
    worker.on('error', () => this.#end());
    this.#exited = new Promise((resolve) => {
      worker.once('exit', () => {
        this.#end();
        resolve();
      });
    });
  }

  async createItem(item: Item, events: Change['events']): Promise<void> {
    await this.#call('createItem', item, events, this.#now());
  }
  async apply(change: Change): Promise<void> {
    await this.#call('apply', change, this.#now());
  }
  async applyReview(change: ReviewChange): Promise<void> {
    await this.#call('applyReview', change, this.#now());
  }
  listThreads(itemId: string): Promise<readonly ThreadView[]> {
    return this.#call('listThreads', itemId);
  }
  findThreads(prefix: string): Promise<readonly Thread[]> {
    return this.#call('findThreads', prefix);
  }
  getItem(id: string): Promise<Item | null> {
    return this.#call('getItem', id);
  }
  findItems(prefix: string): Promise<readonly Item[]> {
    return this.#call('findItems', prefix);
  }
  listItems(filter: Parameters<Store['listItems']>[0]): Promise<readonly Item[]> {
    return this.#call('listItems', filter);
  }
  getSession(id: string): Promise<SessionRow | null> {
    return this.#call('getSession', id);
  }
  listSessions(filter: Parameters<Store['listSessions']>[0]): Promise<readonly SessionRow[]> {
    return this.#call('listSessions', filter);
  }
  events(query: EventQuery): Promise<readonly EventRow[]> {
    return this.#call('events', query);
  }
  board(query: Parameters<Store['board']>[0]): Promise<BoardRows> {
    return this.#call('board', query);
  }
  spentUsd(since: string): Promise<number> {
    return this.#call('spentUsd', since);
  }
  onEvents(listener: (rows: readonly EventRow[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#closed) {
      this.#closed = true;
      this.#worker.postMessage('close');
    }
    await this.#exited;
  }

  #now(): string {
    return toTimestamp(this.#clock.nowMs());
  }

  #call<M extends Method>(method: M, ...args: Arguments<M>): Promise<Answer<M>> {
    if (this.#closed) return Promise.reject(storeErrors.create('STORE_CLOSED', { what: method }));
    const request: Request = { id: ++this.#lastId, method, args };
    return new Promise<Answer<M>>((resolve, reject) => {
      this.#waiting.set(request.id, { resolve: resolve as (value: unknown) => void, reject });
      this.#worker.postMessage(request);
    });
  }

  #settle(response: Response): void {
    if (response.kind !== 'answer' && response.kind !== 'failed') return;
    const waiting = this.#waiting.get(response.id);
    this.#waiting.delete(response.id);
    if (response.kind === 'failed') {
      waiting?.reject(toError(response.error));
      return;
    }
    waiting?.resolve(response.value);
    if (response.committed.length > 0) for (const listener of this.#listeners) listener(response.committed);
  }

  #end(): void {
    this.#closed = true;
    for (const waiting of this.#waiting.values())
      waiting.reject(storeErrors.create('STORE_CLOSED', { what: 'an answer' }));
    this.#waiting.clear();
  }
}

function toError(failure: Failure): KraftError {
  if ('report' in failure) return new KraftError(failure.report, undefined);
  return baseErrors.create('BUG', { what: failure.text });
}
