import type { ContainerState, EngineKind } from '../runtime/index.ts';
import { type MemoryEvidence, isHostShort, isLimitKill } from './memory-evidence.ts';

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
 * after the grace, unconfirmed. A kill that the cgroup counted while its limit was far is the machine's, also where the
 * engine flags it: on cgroup v2 engines flag every kill. Pure.
 */
export function confirmOom(evidence: OomEvidence): OomVerdict {
  const { state } = evidence;
  if (state === null) return { kind: 'no kill' };
  return state.memoryLimitBytes === 0 ? judgeUnlimited(evidence, state) : judgeLimited(evidence, state);
}

function judgeLimited(evidence: OomEvidence, state: ContainerState): OomVerdict {
  const { counted, stoppedByKraft } = evidence;
  const memoryBytes = state.memoryLimitBytes;
  if (counted !== null && counted.kills > 0) {
    if (isLimitKill(counted)) return { kind: 'killed', memoryBytes, confirmed: true };
    return stoppedByKraft ? { kind: 'no kill' } : { kind: 'host short' };
  }
  if (isTold(evidence, state)) return { kind: 'killed', memoryBytes, confirmed: true };
  if (state.exitCode !== 137) return { kind: 'no kill' };
  if (!evidence.graceOver) return { kind: 'ask again' };
  if (stoppedByKraft) return { kind: 'no kill' };
  if (counted !== null && isHostShort(counted)) return { kind: 'host short' };
  return { kind: 'killed', memoryBytes, confirmed: false };
}

/** Without a limit there is none to blame, whatever the engine flags; the machine may have run out all the same. */
function judgeUnlimited({ counted, stoppedByKraft }: OomEvidence, state: ContainerState): OomVerdict {
  if (counted === null || stoppedByKraft) return { kind: 'no kill' };
  const killed = counted.kills > 0 || (state.exitCode === 137 && isHostShort(counted));
  return killed ? { kind: 'host short' } : { kind: 'no kill' };
}

/** Docker's word is its flag alone; Podman's is also the file of its conmon. */
function isTold(evidence: OomEvidence, state: ContainerState): boolean {
  return state.oomKilled || (evidence.kind === 'podman' && evidence.oomFile);
}
