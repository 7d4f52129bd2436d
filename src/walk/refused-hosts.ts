import { explainRefusal, listRefusedHosts, renderAllowCommand, type RefusedHost } from '../egress/index.ts';
import type { EgressRefusal } from '../events/index.ts';
import type { Item, ItemStop, TaskFailure } from '../items/index.ts';
import type { WalkPorts } from './ports.ts';

/** Hosts that a stop names; `view egress` has all. */
const hostsMax = 20;
const pageRows = 500;

/**
 * Adds as `refused_hosts` what the network policy refused to the sessions that a stop is about, each with the command that
 * allows it: a refusal stops nothing by itself, and what failed may have failed for it. Without any the stop is as it was.
 */
export async function addRefusedHosts(
  { store }: Pick<WalkPorts, 'store'>,
  item: Pick<Item, 'id' | 'repo'>,
  { stop, failures }: { readonly stop: ItemStop; readonly failures: readonly TaskFailure[] },
): Promise<ItemStop> {
  const sessionIds = new Set([...sessionsOf(stop), ...failures.flatMap(({ sessionId }) => sessionId ?? [])]);
  if (sessionIds.size === 0) return stop;
  const refused: EgressRefusal[] = [];
  for (let afterSeq = 0; ;) {
    const rows = await store.events({ itemId: item.id, type: 'sandbox_egress_refused', afterSeq, limit: pageRows });
    for (const row of rows) {
      if (row.type === 'sandbox_egress_refused' && sessionIds.has(row.payload.session_id)) refused.push(row.payload);
      afterSeq = row.seq;
    }
    if (rows.length < pageRows) break;
  }
  return tellRefusedHosts(stop, item, listRefusedHosts(refused));
}

/** The stop with those hosts in its facts, and in its remedy where an allow entry opens one of them. Pure. */
export function tellRefusedHosts(
  stop: ItemStop,
  item: Pick<Item, 'id' | 'repo'>,
  hosts: readonly RefusedHost[],
): ItemStop {
  if (hosts.length === 0) return stop;
  const told = hosts.slice(0, hostsMax).map((refused) => {
    const { host, port, phase, reason } = refused;
    const { final, remedy } = explainRefusal(refused, item.repo);
    return { host, port, phase, reason, remedy, allow: final ? null : renderAllowCommand(refused, item.repo) };
  });
  const more = hosts.length - told.length;
  const facts = { ...stop.facts, refused_hosts: told, ...(more === 0 ? {} : { refused_hosts_left_out: more }) };
  const [first, ...others] = told.flatMap(({ allow }) => allow ?? []);
  if (first === undefined) return { ...stop, facts };
  const rest = others.length + more === 0 ? '' : `, or what of \`kraft view egress ${item.id} --suggest\` it needs`;
  return {
    ...stop,
    facts,
    remedy: `${stop.remedy} If it failed for a refused host, first run \`${first}\`${rest}.`.trim(),
  };
}

/** The sessions that a stop is about, by where stops name them. */
function sessionsOf({ sessionId, facts }: ItemStop): readonly string[] {
  const scopes: unknown = facts['failed_scopes'];
  const named: readonly unknown[] = [
    sessionId,
    facts['session_id'],
    ...(Array.isArray(scopes) ? scopes.map((scope: unknown) => (scope as { session_id?: unknown }).session_id) : []),
  ];
  return named.filter((id) => typeof id === 'string');
}
