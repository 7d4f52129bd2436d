import { type KraftError, gatherErrors, renderSize } from '../base/index.ts';
import { type ContainerLimits, type EngineFacts, type LimitName, renderCpus } from '../runtime/index.ts';
import { limitErrors } from './errors.ts';

/** Processes of a container when `resources.pids` is unset, where they can be counted at all. */
export const defaultPids = 4096;

/** What a sandbox asks for (`resources` of repos.yaml); null is unset. */
export interface RequestedLimits {
  readonly cpu: number | null;
  readonly memoryBytes: number | null;
  readonly pids: number | null;
}

/** Limits for a container; with a `refusal` nothing may run. */
export interface LimitsPlan {
  readonly limits: ContainerLimits;
  readonly refusal: KraftError | null;
}

/**
 * Requested limits against what the machine enforces. A limit that is asked for and would be ignored is refused, the
 * default of pids is only dropped (SI 6.2, 6.3). Errors: LIMIT_UNENFORCEABLE, LIMIT_UNKNOWN, all of them gathered.
 */
export function planLimits(requested: RequestedLimits, facts: Pick<EngineFacts, 'enforceable' | 'kind'>): LimitsPlan {
  const enforced = facts.enforceable === 'unknown' ? new Set<LimitName>() : facts.enforceable;
  const problems = listRequested(requested)
    .filter(([limit]) => !enforced.has(limit))
    .map(([limit, value]) => refuse(limit, value, facts));
  const [first, ...rest] = problems;
  return {
    limits: {
      cpu: requested.cpu,
      memoryBytes: requested.memoryBytes,
      closeSwap: requested.memoryBytes !== null && enforced.has('swap'),
      pids: requested.pids ?? (enforced.has('pids') ? defaultPids : null),
    },
    refusal: first === undefined ? null : gatherErrors([first, ...rest]),
  };
}

function listRequested(requested: RequestedLimits): [LimitName, string][] {
  const asked: [LimitName, string][] = [];
  if (requested.cpu !== null) asked.push(['cpu', renderCpus(requested.cpu)]);
  if (requested.memoryBytes !== null) asked.push(['memory', renderSize(requested.memoryBytes)]);
  if (requested.pids !== null) asked.push(['pids', String(requested.pids)]);
  return asked;
}

function refuse(limit: LimitName, value: string, facts: Pick<EngineFacts, 'enforceable' | 'kind'>): KraftError {
  const engine = facts.kind === 'docker' ? 'Docker' : 'Podman';
  if (facts.enforceable === 'unknown') return limitErrors.create('LIMIT_UNKNOWN', { limit, value, engine });
  return limitErrors.create('LIMIT_UNENFORCEABLE', { limit, value, controller: limit, engine });
}
