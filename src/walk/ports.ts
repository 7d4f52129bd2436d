import type { Chain } from '../chain/index.ts';
import type { Clock, Ids, Log } from '../base/index.ts';
import type { HomePaths, PolicySettings, ResolvedRepo } from '../config/index.ts';
import type { Git } from '../git/index.ts';
import type { SelectedHarness } from '../harness/index.ts';
import type { Launcher } from '../launch/index.ts';
import type { Store } from '../store/index.ts';

/** Everything that a walk touches. The readers read anew at each call and throw the file's own errors. */
export interface WalkPorts {
  readonly store: Store;
  readonly git: Git;
  readonly launcher: Launcher;
  readonly paths: HomePaths;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly loadRepos: () => Promise<readonly ResolvedRepo[]>;
  readonly loadPolicy: () => Promise<PolicySettings>;
  /** `id` as a person writes it; `default` resolves to a shipped chain. */
  readonly loadChain: (id: string) => Promise<Chain>;
  /** A profile of harnesses.yaml or a harness id. */
  readonly loadHarness: (name: string) => Promise<SelectedHarness>;
  /** How long a write waits before it is tried again on a full disk. */
  readonly fullDiskRetryMs: number;
}
