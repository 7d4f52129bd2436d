import { join } from 'node:path';
import { systemClock, toTimestamp, type Log } from '../base/index.ts';
import type { HomePaths } from '../config/index.ts';
import { openStore, type Store } from '../store/index.ts';
import { createDormantKraft } from './dormant-kraft.ts';
import type { Environment } from './environment.ts';
import type { Kraft } from './kraft.ts';

/** Where a program runs Kraft, and where it says what it does. */
export interface OpenKraftOptions extends Environment {
  /** Of `openHome`; its lock is the caller's. */
  readonly paths: HomePaths;
  readonly log: Log;
}

/**
 * Opens the facade and takes over what an earlier daemon left unfinished. A home with nothing unfinished is served from
 * its database alone, and everything else is loaded when something first needs it: an idle daemon stays small.
 * Preconditions: this process holds the home's lock. Errors: those of the store.
 */
export async function openKraft(options: OpenKraftOptions): Promise<Kraft> {
  const { paths, version, log } = options;
  const store = await openStore({ path: join(paths.run, 'orchestrator.db'), clock: systemClock });
  const startedAt = toTimestamp(systemClock.nowMs());
  const wake = async (): Promise<Kraft> => {
    const { wakeKraft } = await import('./wake-kraft.ts');
    return wakeKraft(options, store, startedAt);
  };
  try {
    if (await hasUnfinished(store)) return await wake();
  } catch (error) {
    await store[Symbol.asyncDispose]();
    throw error;
  }
  return createDormantKraft({ store, paths, version, startedAt, wake, log });
}

/** Whether an earlier daemon left items on their way, or for a time to come, or sessions without an end: each may have a container. */
async function hasUnfinished(store: Store): Promise<boolean> {
  const [items, sessions] = await Promise.all([
    store.listItems({ repo: null, statuses: ['active', 'queued', 'rate_limited'] }),
    store.listSessions({ itemId: null, statuses: ['pending', 'running', 'unknown'] }),
  ]);
  return items.length + sessions.length > 0;
}
