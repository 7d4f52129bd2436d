import type { Chain } from '../chain/index.ts';
import type { Clock, Ids, Log } from '../base/index.ts';
import type { AgentProfile, HomePaths, PolicySettings, ResolvedRepo } from '../config/index.ts';
import type { Git } from '../git/index.ts';
import type { SelectedHarness } from '../harness/index.ts';
import type { DoctorRowName, Launcher } from '../launch/index.ts';
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
  /** The agent profiles of harnesses.yaml. */
  readonly loadAgentProfiles: () => Promise<Readonly<Record<string, AgentProfile>>>;
  /** One row of doctor, asked anew; null when it has no such row. Null where there is no doctor to ask. */
  readonly lookAtRow: ((row: DoctorRowName, repoPath: string) => Promise<SeenRow | null>) | null;
  /** Between two looks at what the log of a running session says that it uses. */
  readonly usagePollMs: number;
  /** Calls once after a time (at most 7 days); what it answers takes that back. It keeps no process alive. */
  readonly alarm: (ms: number, ring: () => void) => () => void;
  /** How long a write waits before it is tried again on a full disk. */
  readonly fullDiskRetryMs: number;
}

/** A row of doctor as far as a stop tells it. */
export interface SeenRow {
  /** As doctor prints it: `sandbox sample`. */
  readonly name: string;
  readonly outcome: string;
  readonly detail: string;
}
