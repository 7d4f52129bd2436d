import type { ContainerState, EngineKind } from '../runtime/index.ts';

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
  /** `oomGraceMs` have passed since the client's end. */
  readonly graceOver: boolean;
  /** Kraft itself ended the container (pause, time cap, cancel): its 137 is Kraft's. */
  readonly stoppedByKraft: boolean;
}

/** `ask again`: nothing is decided yet, look once more after `oomPollMs`. */
export type OomVerdict =
  | { readonly kind: 'no kill' }
  | { readonly kind: 'killed'; readonly memoryBytes: number; readonly confirmed: boolean }
  | { readonly kind: 'ask again' };

/**
 * Whether the memory limit killed the container (SI 6.4). The kernel's word may come late or never (cgroup v2, and v1
 * since Linux 4.19), so an exit of 137 under a limit counts after the grace, unconfirmed.
 */
export function confirmOom(evidence: OomEvidence): OomVerdict {
  const { state } = evidence;
  if (state === null || state.memoryLimitBytes === 0) return { kind: 'no kill' };
  const memoryBytes = state.memoryLimitBytes;
  if (state.oomKilled || (evidence.kind === 'podman' && evidence.oomFile))
    return { kind: 'killed', memoryBytes, confirmed: true };
  if (state.exitCode !== 137) return { kind: 'no kill' };
  if (!evidence.graceOver) return { kind: 'ask again' };
  return evidence.stoppedByKraft ? { kind: 'no kill' } : { kind: 'killed', memoryBytes, confirmed: false };
}
