import type { Chain } from '../chain/index.ts';
import type { ResolvedRepo } from '../config/index.ts';
import type { Worktree } from '../git/index.ts';
import type { Item } from '../items/index.ts';

/** What is frozen onto an item: an edit of a configuration file reaches it at its next start or retry, never midway. */
export interface Frozen {
  readonly repo: ResolvedRepo;
  readonly chain: Chain;
}

export function freeze(frozen: Frozen): Pick<Item, 'frozen' | 'frozenChain'> {
  return { frozen: JSON.stringify(frozen.repo), frozenChain: JSON.stringify(frozen.chain) };
}

export function thaw(item: Pick<Item, 'frozen' | 'frozenChain'>): Frozen {
  return { repo: JSON.parse(item.frozen) as ResolvedRepo, chain: JSON.parse(item.frozenChain) as Chain };
}

/** `sandbox: false` written later does not take the sandbox off an item that had one (SI 1.19). */
export function keepSandbox(live: ResolvedRepo, before: ResolvedRepo): ResolvedRepo {
  return live.sandbox === null ? { ...live, sandbox: before.sandbox } : live;
}

/** The worktree as Kraft recorded it when it was made; null before. */
export function worktreeOf(item: Item): Worktree | null {
  const { worktree, adminDir, baseCommit, base, branch } = item;
  if (worktree === null || adminDir === null || baseCommit === null) return null;
  return { path: worktree, adminDir, branch, baseCommit, base: base ?? baseCommit };
}
