import type { ContainerState, EngineKind } from '../runtime/index.ts';
import { type MemoryEvidence, isHostShort } from './memory-evidence.ts';

/** How long after exit 137 the engine is asked for its flag, and how often (SI 0.5). */
export const oomGraceMs = 2_000;
export const oomPollMs = 100;

/** What was seen at one moment after the client's end, before the container is removed. */
export interface OomEvidence {
  readonly kind: EngineKind;
  /** Null: the container is gone, or the engine gave no answer. */
  readonly state: ContainerState | null;
  /** conmon left a file `oom` in the client's working directory; counts on Podman only. */
  readonly oomFile: boolean;
  /** What its cgroup said while it was alive; null when that could not be read. */
  readonly counted: MemoryEvidence | null;
  /** `oomGraceMs` have passed since the client's end. */
  readonly graceOver: boolean;
  /** Kraft itself ended the container (pause, time cap, cancel): its 137 is Kraft's. */
  readonly stoppedByKraft: boolean;
}

/**
 * `ask again`: nothing is decided yet, look once more after `oomPollMs`. `host short`: the machine as a whole ran out of
 * memory, and that may have ended it; the limit has nothing to do with it as far as anybody knows.
 */
export type OomVerdict =
  | { readonly kind: 'no kill' }
  | { readonly kind: 'host short' }
  | { readonly kind: 'killed'; readonly memoryBytes: number; readonly confirmed: boolean }
  | { readonly kind: 'ask again' };

/**
 * Whether the memory limit killed the container (SI 6.4). The kernel's word may come late or never (cgroup v2, and v1
 * since Linux 4.19), so a kill that the cgroup counted is as good, and without one an exit of 137 under a limit counts
 * after the grace, unconfirmed.
 */
export function confirmOom(evidence: OomEvidence): OomVerdict {
  const { state, counted } = evidence;
  if (state === null || state.memoryLimitBytes === 0) return { kind: 'no kill' };
  const memoryBytes = state.memoryLimitBytes;
  if (isTold(evidence, state) || (counted?.kills ?? 0) > 0) return { kind: 'killed', memoryBytes, confirmed: true };
  if (state.exitCode !== 137) return { kind: 'no kill' };
  if (!evidence.graceOver) return { kind: 'ask again' };
  if (evidence.stoppedByKraft) return { kind: 'no kill' };
  if (counted !== null && isHostShort(counted)) return { kind: 'host short' };
  return { kind: 'killed', memoryBytes, confirmed: false };
}

/** Docker's word is its flag alone; Podman's is also the file of its conmon. */
function isTold(evidence: OomEvidence, state: ContainerState): boolean {
  return state.oomKilled || (evidence.kind === 'podman' && evidence.oomFile);
}
