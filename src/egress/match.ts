import type { HostPattern } from '../config/index.ts';
import type { HostPort } from './decision.ts';

/** A list laid out for look-up: a request costs the same whatever the number of entries. */
interface ListIndex {
  readonly exact: ReadonlyMap<string, readonly HostPattern[]>;
  readonly oneLabel: ReadonlyMap<string, readonly HostPattern[]>;
  readonly any: readonly HostPattern[];
}

/** Lists do not change once they are resolved, so each is laid out once. */
const indexes = new WeakMap<readonly HostPattern[], ListIndex>();

/** The entry of a list that covers a target: one that names it, else one for its level, else `*`; null for none. */
export function findMatch(list: readonly HostPattern[], target: HostPort): HostPattern | null {
  const index = indexOf(list);
  return (
    onPort(index.exact.get(target.host), target.port) ??
    onPort(index.oneLabel.get(parentOf(target)), target.port) ??
    onPort(index.any, target.port)
  );
}

/** The entry that names a target itself, which alone opens an address that is not public. */
export function findExactMatch(list: readonly HostPattern[], target: HostPort): HostPattern | null {
  return onPort(indexOf(list).exact.get(target.host), target.port);
}

/** The name without its first label; the empty one, which no entry has, where there is none. */
function parentOf(target: HostPort): string {
  const dot = target.kind === 'name' ? target.host.indexOf('.') : -1;
  return dot === -1 ? '' : target.host.slice(dot + 1);
}

function onPort(entries: readonly HostPattern[] | undefined, port: number): HostPattern | null {
  return entries?.find((entry) => entry.port === null || entry.port === port) ?? null;
}

function indexOf(list: readonly HostPattern[]): ListIndex {
  const known = indexes.get(list);
  if (known !== undefined) return known;
  const index = {
    exact: new Map<string, HostPattern[]>(),
    oneLabel: new Map<string, HostPattern[]>(),
    any: list.filter(({ host }) => host.kind === 'any'),
  };
  for (const entry of list) {
    if (entry.host.kind === 'exact') append(index.exact, entry.host.name, entry);
    if (entry.host.kind === 'one-label') append(index.oneLabel, entry.host.suffix, entry);
  }
  indexes.set(list, index);
  return index;
}

function append(to: Map<string, HostPattern[]>, key: string, entry: HostPattern): void {
  const entries = to.get(key);
  if (entries === undefined) to.set(key, [entry]);
  else entries.push(entry);
}
