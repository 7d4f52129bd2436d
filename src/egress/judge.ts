import type { Decision, EgressPolicy, HostPort } from './decision.ts';
import { decide, needsAddresses } from './decide.ts';
import { renderAuthority } from './host-port.ts';
import type { OwnAddresses } from './own-addresses.ts';
import { describeOutage, type Outage } from './render-answer.ts';
import type { Lookup, SessionResolver } from './resolver.ts';

export interface Judged {
  readonly decision: Decision;
  /** Whom to dial: every one of them was judged. Empty for what is not dialled. */
  readonly addresses: readonly string[];
  readonly outage: Outage | null;
}

/** The decision on a request, asked of the resolver when the lists let it pass. Never rejects. */
export type Judge = (target: HostPort) => Promise<Judged>;

export interface JudgeOptions {
  readonly policy: EgressPolicy;
  readonly resolver: SessionResolver;
  readonly ownAddresses: OwnAddresses;
}

/** A verdict with what it was made from: as long as that is the same, so is the verdict. */
interface Kept {
  readonly found: Lookup;
  readonly own: ReadonlySet<string>;
  readonly judged: Judged;
}

const keptMax = 256;

/** Judges the requests of one session. */
export function openJudge({ policy, resolver, ownAddresses }: JudgeOptions): Judge {
  const kept = new Map<string, Kept>();
  return async (target) => {
    const own = ownAddresses();
    const key = renderAuthority(target);
    const known = kept.get(key);
    if (known === undefined && !needsAddresses(policy, target)) {
      const addresses = target.kind === 'name' ? [] : [target.host];
      return { decision: decide(policy, target, null, own), addresses, outage: null };
    }
    const found = await resolver.lookup(target.host);
    if (known?.found === found && known.own === own) return known.judged;
    if (found.kind === 'outage') {
      return {
        decision: decide(policy, target, null, own),
        addresses: [],
        outage: describeOutage('lookup', found.code),
      };
    }
    const { addresses } = found;
    // Interfaces may have come while the name was looked up.
    const judged = { decision: decide(policy, target, addresses, ownAddresses()), addresses, outage: null };
    if (kept.size >= keptMax) kept.clear();
    kept.set(key, { found, own: ownAddresses(), judged });
    return judged;
  };
}
