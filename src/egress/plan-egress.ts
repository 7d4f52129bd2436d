import { parseHostPattern, type HostPattern, type NetworkPhase, type Phase } from '../config/index.ts';
import type { EgressLists, EgressPolicy } from './decision.ts';
import { egressErrors } from './errors.ts';

export interface EgressRequest {
  /** The repository's, resolved; a phase that is not written denies everything there already. */
  readonly network: Readonly<Record<Phase, NetworkPhase>>;
  readonly phase: Phase;
  /** What the session's harness declares under `network.requires`; empty for a launch without an agent. */
  readonly harnessHosts: readonly string[];
}

/**
 * The lists a session is launched under (SI 4.2): the repository's for the phase, and in `runtime` the harness's hosts
 * behind them. Order is kept and each entry stands once; a deny still wins over a harness's host.
 */
export function planEgress({ network, phase, harnessHosts }: EgressRequest): EgressLists {
  const lists = network[phase];
  const joined = phase === 'runtime' ? harnessHosts : [];
  return {
    phase,
    allow: texts('allow', [...lists.allow, ...joined]),
    deny: texts('deny', lists.deny),
  };
}

function texts(list: string, entries: readonly string[]): readonly string[] {
  return [...new Set(parseEntries(list, entries).map(({ text }) => text))];
}

/**
 * The same, parsed for decisions. Raises EGRESS_LISTS_UNREADABLE for an entry that is no pattern: leaving one out of a
 * deny list would open what it closed.
 */
export function resolveEgressPolicy(lists: EgressLists): EgressPolicy {
  return {
    phase: lists.phase,
    allow: parseEntries('allow', lists.allow),
    deny: parseEntries('deny', lists.deny),
  };
}

function parseEntries(list: string, entries: readonly string[]): readonly HostPattern[] {
  return entries.map((entry) => {
    const parsed = parseHostPattern(entry);
    if (parsed.kind === 'refused') {
      throw egressErrors.create('EGRESS_LISTS_UNREADABLE', { list, problem: parsed.problem });
    }
    return parsed.pattern;
  });
}
