import { basename, dirname, join } from 'node:path';
import {
  branchRef,
  decideStore,
  parseSidecar,
  planStoreMounts,
  storeLayout,
  type AlternatePaths,
  type ListedRef,
  type Sidecar,
  type StoreLayout,
} from '../refs/index.ts';
import { buildStore, ensurePlaceholders, readRefs, readStoreFacts, type StoreFacts } from './make-store.ts';
import type { PublishOutcome, RefStore, Repository, Worktree } from './git.ts';
import { publishBranch } from './publish.ts';
import { readSidecar, writeSidecar } from './sidecar-file.ts';
import type { GitRunner } from './run-git.ts';
import { kindOf, makePrivateDir, namesIn, readIfPresent, removeTree } from './trusted-files.ts';

export interface OpenStoreOptions {
  readonly repository: Repository;
  readonly worktree: Worktree;
  readonly itemId: string;
  readonly sessionId: string | null;
  readonly liveSessionIds: readonly string[];
}

/** Where stores lie and what the container calls their parts. */
export interface StorePlace {
  readonly runDir: string;
  readonly paths: AlternatePaths;
}

/** Builds or reuses the store of a worktree (SI 2.2, 2.3). Precondition: the store's lock is held. */
export async function openStore(
  git: GitRunner,
  place: StorePlace,
  options: OpenStoreOptions,
): Promise<{ readonly store: RefStore; readonly carried: PublishOutcome }> {
  const { repository, worktree, sessionId } = options;
  const layout = storeLayout(place.runDir, worktree.adminDir);
  const facts = await readStoreFacts(git, repository, worktree);
  const sidecar = await readSidecar(layout);
  const action = decideStore({
    sidecar,
    exists: (await kindOf(layout.dir)) === 'dir',
    branch: worktree.branch,
    sessionId,
    liveSessionIds: options.liveSessionIds,
  });
  const store = (): RefStore => toRefStore(facts, layout, place.paths);
  if (action === 'reuse' && sidecar !== null) {
    await ensurePlaceholders(facts, layout);
    if (sessionId !== null && !sidecar.sessions.includes(sessionId)) {
      await writeSidecar(layout, { ...sidecar, sessions: [...sidecar.sessions, sessionId] });
    }
    return { store: store(), carried: { kind: 'unchanged' } };
  }
  const carried = await carryOver(git, place, options, sidecar);
  const refs = await readRefs(git, repository.commonDir);
  await rebuild({ place, options, facts, layout, refs });
  return { store: store(), carried };
}

// What a crashed session left is published before its store goes; `publishBranch` keeps what it cannot publish.
async function carryOver(
  git: GitRunner,
  place: StorePlace,
  options: OpenStoreOptions,
  sidecar: Sidecar | null,
): Promise<PublishOutcome> {
  if (sidecar === null || sidecar.branch === null) return { kind: 'unchanged' };
  const sessionId = sidecar.sessions.at(-1) ?? options.itemId;
  return publishBranch(git, place.runDir, { ...options, sessionId });
}

async function rebuild(what: {
  readonly place: StorePlace;
  readonly options: OpenStoreOptions;
  readonly facts: StoreFacts;
  readonly layout: StoreLayout;
  readonly refs: readonly ListedRef[];
}): Promise<void> {
  const { options, layout, refs, facts } = what;
  const branch = options.sessionId === null ? null : options.worktree.branch;
  const current = refs.find((ref) => ref.name === branchRef(options.worktree.branch))?.objectId ?? null;
  const before = await readSidecar(layout);
  await makePrivateDir(dirname(layout.dir));
  // Without its record a store counts as half built: a crash from here on ends in building it again.
  await removeTree(layout.sidecar);
  await buildStore({
    facts,
    layout,
    paths: what.place.paths,
    refs,
    itemId: options.itemId,
    keepAdminDir: before !== null && before.branch !== null && before.synced === current,
  });
  await writeSidecar(layout, {
    work_item_id: options.itemId,
    common: options.repository.commonDir,
    worktree_gitdir: options.worktree.adminDir,
    branch,
    synced: branch === null ? null : current,
    sessions: options.sessionId === null ? [] : [options.sessionId],
  });
}

function toRefStore(facts: StoreFacts, layout: StoreLayout, paths: AlternatePaths): RefStore {
  return {
    dir: layout.dir,
    sidecar: layout.sidecar,
    commonDir: facts.commonDir,
    adminDir: facts.adminDir,
    mounts: planStoreMounts(facts, layout, paths),
  };
}

/** Removes a store and everything beside it, the record last, so that a crash leaves something to find it by. Idempotent. */
export async function discardStore(layout: StoreLayout): Promise<void> {
  for (const path of [layout.dir, layout.adminDir, layout.shadowDir, layout.sidecar]) await removeTree(path);
}

/** Admin directories of the stores that belong to an item, also of worktrees that are gone. */
export async function storesOfItem(runDir: string, itemId: string): Promise<readonly string[]> {
  const dir = join(runDir, 'sandbox-git');
  const found: string[] = [];
  for (const name of await namesIn(dir)) {
    if (!name.endsWith('.json')) continue;
    const sidecar = parseSidecar((await readIfPresent(join(dir, name))) ?? '');
    if (sidecar?.work_item_id === itemId && storeNameMatches(runDir, sidecar.worktree_gitdir, name)) {
      found.push(sidecar.worktree_gitdir);
    }
  }
  return found;
}

/** Every store with the item that its record names (null where there is none to read), and the paths that it is made of. */
export async function listStores(
  runDir: string,
): Promise<readonly { readonly itemId: string | null; readonly paths: readonly string[] }[]> {
  const dir = join(runDir, 'sandbox-git');
  const stores = Map.groupBy(await namesIn(dir), (name) => name.replace(/\.(?:json|worktree|ro)$/u, ''));
  return Promise.all(
    [...stores].map(async ([store, names]) => {
      const sidecar = parseSidecar((await readIfPresent(join(dir, `${store}.json`))) ?? '');
      return { itemId: sidecar?.work_item_id ?? null, paths: names.map((name) => join(dir, name)) };
    }),
  );
}

function storeNameMatches(runDir: string, adminDir: string, name: string): boolean {
  return basename(storeLayout(runDir, adminDir).sidecar) === name;
}
