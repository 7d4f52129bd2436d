import type { Git, Repository } from '../git/index.ts';
import { renderMergeCommand, renderNextCommand, type Item } from '../items/index.ts';
import type { SessionRow, Spend, Store } from '../store/index.ts';
import type { Commit, ItemView, PublicItem } from './kraft.ts';
import { viewNodes } from './node-views.ts';

/** The item without what is frozen onto it: that holds the values of the repository's `env`. */
export function toPublicItem(item: Item): PublicItem {
  const hidden: readonly string[] = ['frozen', 'frozenChain'] satisfies readonly (keyof Item)[];
  return Object.fromEntries(Object.entries(item).filter(([key]) => !hidden.includes(key))) as unknown as PublicItem;
}

/** Everything that a person sees of an item. Its commits are left out while its repository cannot be read. */
export async function readItemView(
  edges: { readonly store: Store; readonly git: Git; readonly findRepository: (path: string) => Promise<Repository> },
  item: Item,
): Promise<ItemView> {
  const [sessions, threads, commits] = await Promise.all([
    edges.store.listSessions({ itemId: item.id, statuses: null }),
    edges.store.listThreads(item.id),
    readCommits(edges, item).catch((): readonly Commit[] => []),
  ]);
  return {
    item: toPublicItem(item),
    sessions,
    nodes: viewNodes(item, sessions),
    spend: sumSpend(sessions),
    openThreads: threads.filter((thread) => thread.status === 'open').length,
    commits,
    mergeCommand: commits.length === 0 ? null : renderMergeCommand(item),
    nextCommand: renderNextCommand(item),
  };
}

async function readCommits(
  edges: Parameters<typeof readItemView>[0],
  { repo, branch, baseCommit }: Item,
): Promise<readonly Commit[]> {
  if (baseCommit === null) return [];
  return edges.git.branchLog({ repository: await edges.findRepository(repo), branch, baseCommit });
}

/** What the sessions used together, as far as their agents said it; null when none said anything. */
export function sumSpend(sessions: readonly SessionRow[]): Spend | null {
  const said = sessions.flatMap(({ inputTokens, cachedTokens, outputTokens }) =>
    [inputTokens, cachedTokens, outputTokens].filter((count) => count !== null),
  );
  const costs = sessions.flatMap(({ costUsd }) => costUsd ?? []);
  if (said.length === 0 && costs.length === 0) return null;
  return {
    tokens: said.length === 0 ? null : said.reduce((sum, count) => sum + count, 0),
    costUsd: costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0),
  };
}
