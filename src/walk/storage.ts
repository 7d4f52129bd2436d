import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sessionOf, setupPrefix } from '../launch/index.ts';
import type { Item } from '../items/index.ts';
import { findRepository } from './item-traces.ts';
import { TreeMeasure, type Measured } from './measure-tree.ts';
import type { WalkPorts } from './ports.ts';

/** What an item holds on the disk, in bytes. */
export interface ItemStorage {
  readonly id: string;
  readonly title: string;
  readonly status: Item['status'];
  readonly archived: boolean;
  readonly branch: string;
  /** Whether its branch is in the repository; null when that cannot be read. */
  readonly hasBranch: boolean | null;
  readonly worktreeBytes: number;
  readonly refStoreBytes: number;
  readonly homeBytes: number;
  readonly resultBytes: number;
  readonly logBytes: number;
  readonly totalBytes: number;
}

/** Something in Kraft's directories that belongs to no item. */
export interface StrayStorage {
  readonly path: string;
  readonly bytes: number;
}

export interface StorageReport {
  /** Those that hold most come first; items that hold nothing are left out. */
  readonly items: readonly ItemStorage[];
  readonly strays: readonly StrayStorage[];
  readonly totalBytes: number;
  /** Not everything could be looked at: there may be more. */
  readonly isPartial: boolean;
}

type Part = 'worktree' | 'refStore' | 'home' | 'result' | 'log';

/** One entry of Kraft's directories. `itemId` is null for what no item owns. */
interface Entry {
  readonly path: string;
  readonly part: Part;
  readonly itemId: string | null;
}

/** Looks at what every item of the home holds. Changes nothing. */
export async function readStorage(ports: WalkPorts): Promise<StorageReport> {
  const items = await ports.store.listItems({ repo: null, statuses: null });
  const sessions = await ports.store.listSessions({ itemId: null, statuses: null });
  const entries = await listEntries(ports, ownerIn(items, new Map(sessions.map((row) => [row.id, row.itemId]))));
  const measure = new TreeMeasure();
  const sizes = new Map<Entry, Measured>();
  for (const entry of entries) sizes.set(entry, await measure.measure([entry.path]));
  const branches = await listBranches(ports, items);
  const rows = items.map((item) => toRow(item, { sizes, branches: branches.get(item.repo) ?? null }));
  return {
    items: rows.filter(({ totalBytes }) => totalBytes > 0).toSorted((a, b) => b.totalBytes - a.totalBytes),
    strays: entries.flatMap((entry) =>
      entry.itemId === null ? [{ path: entry.path, bytes: sizes.get(entry)?.bytes ?? 0 }] : [],
    ),
    totalBytes: [...sizes.values()].reduce((sum, { bytes }) => sum + bytes, 0),
    isPartial: [...sizes.values()].some(({ isPartial }) => isPartial),
  };
}

/** Directories among the worktrees that no item has. */
export async function findStrayWorktrees({
  store,
  paths,
}: Pick<WalkPorts, 'store' | 'paths'>): Promise<readonly string[]> {
  const dir = join(paths.run, 'worktrees');
  // Read before the items: a worktree is made after its item was filed.
  const names = await namesIn(dir);
  const known = new Set((await store.listItems({ repo: null, statuses: null })).map(({ id }) => id));
  return names.filter((name) => !known.has(name)).map((name) => join(dir, name));
}

/** What one item holds of that which archiving frees. */
export async function measureItem(
  ports: WalkPorts,
  itemId: string,
  { sessionIds, logs }: { readonly sessionIds: readonly string[]; readonly logs: boolean },
): Promise<Measured> {
  const owns = ownerIn([{ id: itemId }], new Map(sessionIds.map((id) => [id, itemId])));
  const own = (await listEntries(ports, owns)).filter((entry) => entry.itemId === itemId);
  return new TreeMeasure().measure(own.filter(({ part }) => logs || part !== 'log').map(({ path }) => path));
}

interface Owners {
  readonly item: (name: string) => string | null;
  readonly session: (name: string) => string | null;
}

function ownerIn(items: readonly Pick<Item, 'id'>[], sessions: ReadonlyMap<string, string>): Owners {
  const ids = new Set(items.map(({ id }) => id));
  const item = (name: string): string | null => (ids.has(name) ? name : null);
  return {
    item,
    session: (name) => {
      const session = sessionOf(name);
      const setup = items.find(({ id }) => session.startsWith(setupPrefix(id)));
      return sessions.get(session) ?? setup?.id ?? null;
    },
  };
}

async function listEntries({ git, paths }: WalkPorts, owners: Owners): Promise<readonly Entry[]> {
  const list = async (dir: string, part: Part, ownerOf: (name: string) => string | null): Promise<readonly Entry[]> =>
    (await namesIn(join(paths.run, dir)))
      .filter((name) => !isDaemons(dir, name))
      .map((name) => ({ path: join(paths.run, dir, name), part, itemId: ownerOf(name) }));
  const stores = (await git.listRefStores()).flatMap(({ itemId, paths: parts }) =>
    parts.map((path): Entry => ({ path, part: 'refStore', itemId: itemId === null ? null : owners.item(itemId) })),
  );
  return [
    ...(await list('worktrees', 'worktree', owners.item)),
    ...stores,
    ...(await list('sandbox-home', 'home', owners.item)),
    ...(await list('results', 'result', owners.session)),
    ...(await list('logs', 'log', owners.session)),
    ...(await list('egress', 'log', owners.session)),
  ];
}

/** The daemon's own log lies beside those of sessions. */
function isDaemons(dir: string, name: string): boolean {
  return dir === 'logs' && name.startsWith('server.');
}

/** Names in one of Kraft's directories; none where it was not made yet. Other failures are thrown: unknown is not empty. */
async function namesIn(dir: string): Promise<readonly string[]> {
  try {
    return await readdir(dir);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

/** Branches of items by the path of their repository; null where it cannot be read. */
async function listBranches(
  ports: WalkPorts,
  items: readonly Item[],
): Promise<ReadonlyMap<string, ReadonlySet<string> | null>> {
  const found = new Map<string, ReadonlySet<string> | null>();
  for (const path of new Set(items.map(({ repo }) => repo))) {
    try {
      const repository = await findRepository(ports, path);
      found.set(path, repository === null ? null : new Set(await ports.git.listItemBranches(repository)));
    } catch {
      found.set(path, null);
    }
  }
  return found;
}

function toRow(
  item: Item,
  { sizes, branches }: { readonly sizes: ReadonlyMap<Entry, Measured>; readonly branches: ReadonlySet<string> | null },
): ItemStorage {
  const sum = (part: Part): number =>
    [...sizes].reduce(
      (bytes, [entry, found]) => (entry.itemId === item.id && entry.part === part ? bytes + found.bytes : bytes),
      0,
    );
  const parts = {
    worktreeBytes: sum('worktree'),
    refStoreBytes: sum('refStore'),
    homeBytes: sum('home'),
    resultBytes: sum('result'),
    logBytes: sum('log'),
  };
  const { id, title, status, branch } = item;
  return {
    id,
    title,
    status,
    archived: item.archivedAt !== null,
    branch,
    hasBranch: branches === null ? null : branches.has(branch),
    ...parts,
    totalBytes: Object.values(parts).reduce((total, bytes) => total + bytes, 0),
  };
}
