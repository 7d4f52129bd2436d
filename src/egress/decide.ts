import { classifyAddress } from './address-class.ts';
import type { Decision, DecisionReason, EgressPolicy, HostPort } from './decision.ts';
import { normalizeAddress } from './ip-address.ts';
import { findExactMatch, findMatch } from './match.ts';

/** The host that is Kraft itself, answered in the daemon on this port and never forwarded (SI 4.2). */
export const kraftHost = 'kraft';
export const kraftPort = 80;

/** A name that no list can open: the question of the self test before a worker starts (PF-E07). */
export const selfTestHost = 'selftest.kraft.invalid';

/** Names of metadata services, refused whatever they resolve to (SI 4.3). */
export const metadataNames: ReadonlySet<string> = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'metadata.azure.com',
  'instance-data',
  'instance-data.ec2.internal',
]);

/**
 * The verdict on one request, in the order of SI 4.2. Depends on nothing but what it is given (PF-E06). Pure.
 * `addresses` are what the name resolves to, all judged; null decides by the name alone. An address as target is its own
 * answer. `own` are this machine's addresses as `normalizeAddress` gives them. Precondition: a name that does not
 * resolve is an outage and is not asked about; an empty list is refused.
 */
export function decide(
  policy: EgressPolicy,
  target: HostPort,
  addresses: readonly string[] | null,
  own: ReadonlySet<string>,
): Decision {
  const verdict = (allow: boolean, reason: DecisionReason, rule: string | null): Decision => {
    return { allow, reason, rule, host: target.host, port: target.port, phase: policy.phase };
  };
  if (target.host === selfTestHost) return verdict(false, 'not on the allow list', null);
  if (target.host === kraftHost) {
    return target.port === kraftPort
      ? verdict(true, 'Kraft itself', null)
      : verdict(false, 'not on the allow list', null);
  }
  const denied = findMatch(policy.deny, target);
  if (denied !== null) return verdict(false, 'on the deny list', denied.text);
  const allowed = findMatch(policy.allow, target);
  if (allowed === null) return verdict(false, 'not on the allow list', null);
  if (metadataNames.has(target.host)) return verdict(false, 'a cloud metadata service', null);

  const judged = judgeAddresses(target.kind === 'name' ? addresses : [target.host], own);
  if (judged.class === 'never') return verdict(false, 'an address that is never reached', judged.address);
  if (judged.class === 'non-global' && findExactMatch(policy.allow, target) === null) {
    return verdict(false, 'a non-public address without an exact allow entry', judged.address);
  }
  return verdict(true, 'on the allow list', allowed.text);
}

type Judged =
  { readonly class: 'never' | 'non-global'; readonly address: string | null } | { readonly class: 'public' };

/** The worst of all addresses: one that is refused refuses the whole name, as any of them may be dialled. */
function judgeAddresses(addresses: readonly string[] | null, own: ReadonlySet<string>): Judged {
  if (addresses === null) return { class: 'public' };
  if (addresses.length === 0) return { class: 'never', address: null };
  const classes = addresses.map((address) => classifyAddress(address, own));
  for (const cls of ['never', 'non-global'] as const) {
    const at = classes.indexOf(cls);
    if (at !== -1) return { class: cls, address: normalizeAddress(addresses[at] ?? '') };
  }
  return { class: 'public' };
}

/** Whether a request must be resolved before it can be allowed: a name that the lists let through. */
export function needsAddresses(policy: EgressPolicy, target: HostPort): boolean {
  return target.kind === 'name' && target.host !== kraftHost && decide(policy, target, null, new Set()).allow;
}
