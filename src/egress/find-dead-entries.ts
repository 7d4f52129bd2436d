import { covers, parseHostPattern, type HostPattern, type NetworkPhase, type Phase } from '../config/index.ts';
import { decide } from './decide.ts';
import type { EgressPolicy } from './decision.ts';
import { parseHostPort } from './host-port.ts';

/** An entry of an allow list that allows nothing, and why as a clause about it. */
export interface DeadEntry {
  readonly entry: string;
  readonly why: string;
}

/** Any port stands for all of them where an entry names none. */
const anyPort = 443;

/** Entries that nothing comes through: a wider deny entry, or a name or address that is refused whatever the lists say. */
export function findDeadEntries(lists: NetworkPhase): readonly DeadEntry[] {
  const deny = parseAll(lists.deny);
  return parseAll(lists.allow).flatMap((entry) => {
    const by = deny.find((each) => covers(each, entry));
    if (by !== undefined) return [{ entry: entry.text, why: `the deny list has ${by.text}` }];
    const why = refusedAlways(entry);
    return why === null ? [] : [{ entry: entry.text, why }];
  });
}

/** Asked of the proxy's own decision (PF-E12), with a list that holds the entry alone. */
function refusedAlways(entry: HostPattern): string | null {
  if (entry.host.kind !== 'exact') return null;
  const parsed = parseHostPort(entry.host.name, entry.port ?? anyPort);
  if (parsed.kind === 'refused') return parsed.problem;
  const decision = decide({ phase: 'runtime', allow: [entry], deny: [] }, parsed.target, null, new Set());
  if (decision.reason === 'not on the allow list' || decision.reason === 'Kraft itself')
    return 'the name is Kraft’s own';
  return decision.allow ? null : `it is ${decision.reason}`;
}

/** Names of which every host one level below is allowed, and they themselves are neither allowed nor denied. */
export function findLeftOutApexes(lists: NetworkPhase): readonly { readonly entry: string; readonly apex: string }[] {
  const listed = parseAll([...lists.allow, ...lists.deny]);
  return parseAll(lists.allow).flatMap((entry) => {
    if (entry.host.kind !== 'one-label' || !entry.host.suffix.includes('.')) return [];
    const apex = entry.host.suffix;
    const isListed = listed.some(({ host }) => host.kind === 'any' || (host.kind === 'exact' && host.name === apex));
    return isListed ? [] : [{ entry: entry.text, apex: entry.port === null ? apex : `${apex}:${entry.port}` }];
  });
}

/** The hosts that a harness needs and a deny list refuses, with the entry that does. */
export function findDeniedHosts(
  network: Readonly<Record<Phase, NetworkPhase>>,
  harnessHosts: readonly string[],
): readonly { readonly host: string; readonly by: string }[] {
  const deny: EgressPolicy['deny'] = parseAll(network.runtime.deny);
  return parseAll(harnessHosts).flatMap((host) => {
    const onHttps = host.port === null ? { ...host, port: anyPort } : host;
    const by = deny.find((each) => covers(each, onHttps));
    return by === undefined ? [] : [{ host: host.text, by: by.text }];
  });
}

function parseAll(entries: readonly string[]): readonly HostPattern[] {
  return entries.flatMap((text) => {
    const parsed = parseHostPattern(text);
    return parsed.kind === 'pattern' ? [parsed.pattern] : [];
  });
}
