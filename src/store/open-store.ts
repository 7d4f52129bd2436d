import type { Clock } from '../base/index.ts';
import type { Store } from './store.ts';

export interface StoreOptions {
  /** Absolute path of the database file; its folder exists. */
  readonly path: string;
  readonly clock: Clock;
}

/** Opens (and makes or migrates) the database of a home. Errors: STORE_TOO_NEW, STORE_CORRUPT, STORE_UNUSABLE. */
export declare function openStore(options: StoreOptions): Promise<Store>;
