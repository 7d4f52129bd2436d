import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { explainRefusal, renderAllowCommand, type EgressSummary } from '../egress/index.ts';
import type { Item } from '../items/index.ts';
import { setupPrefix } from '../launch/index.ts';
import type { SessionRow, Store } from '../store/index.ts';
import type { EgressSuggestion, EgressView, SessionEgress } from './kraft.ts';

/** Hosts of one session that are shown. */
const hostsMax = 500;
const suffix = '.jsonl';

/** Where the decision logs of the sessions lie, and how one is read. */
export interface EgressEdges {
  readonly store: Pick<Store, 'listSessions'>;
  readonly runDir: string;
  readonly readLog: (path: string) => Promise<EgressSummary>;
}

/** What the sessions of an item, its setup commands included, asked the network for; those without a policy are left out. */
export async function readEgress(edges: EgressEdges, item: Pick<Item, 'id' | 'repo'>): Promise<EgressView> {
  const dir = join(edges.runDir, 'egress');
  const [rows, logged] = await Promise.all([
    edges.store.listSessions({ itemId: item.id, statuses: null }),
    listLogged(dir),
  ]);
  const known = new Map(rows.map((row) => [row.id, row]));
  const own = logged.filter((id) => known.has(id) || id.startsWith(setupPrefix(item.id)));
  const sessions: SessionEgress[] = [];
  for (const id of own) {
    sessions.push(viewSession(id, known.get(id) ?? null, await edges.readLog(join(dir, id + suffix))));
    // A full log is a while of work, and the daemon has others.
    await nextTurn();
  }
  sessions.sort((one, other) => orderOf(one, known).localeCompare(orderOf(other, known)));
  return { itemId: item.id, sessions, suggestions: suggest(sessions, item.repo) };
}

/** Ids of the sessions that have a decision log. */
async function listLogged(dir: string): Promise<readonly string[]> {
  // Without the folder no session of this home ever ran under a network policy.
  const names = await readdir(dir).catch((): string[] => []);
  return names.filter((name) => name.endsWith(suffix)).map((name) => name.slice(0, -suffix.length));
}

function viewSession(sessionId: string, row: SessionRow | null, log: EgressSummary): SessionEgress {
  return {
    sessionId,
    task: row?.task ?? null,
    phase: row === null ? 'install' : 'runtime',
    hosts: log.hosts.slice(0, hostsMax),
    leftOut: Math.max(0, log.hosts.length - hostsMax),
    dropped: log.dropped,
    malformed: log.malformed,
  };
}

/** When a session began, as far as it is known; setup commands have no row, and what asked for nothing comes last. */
function orderOf({ sessionId, hosts }: SessionEgress, known: ReadonlyMap<string, SessionRow>): string {
  const first = hosts.map(({ firstAt }) => firstAt).sort()[0];
  return known.get(sessionId)?.createdAt ?? first ?? '~';
}

/** What would open the refused hosts, each command once; what no allow entry opens has none. */
function suggest(sessions: readonly SessionEgress[], repo: string): readonly EgressSuggestion[] {
  const found = new Map<string, EgressSuggestion>();
  for (const { phase, hosts } of sessions) {
    for (const { host, port, refused, reason } of hosts) {
      if (refused === 0 || reason === null) continue;
      if (explainRefusal({ host, port, phase, reason }, repo).final) continue;
      const command = renderAllowCommand({ host, port, phase }, repo);
      found.set(command, { host, port, phase, command });
    }
  }
  return [...found.values()];
}
