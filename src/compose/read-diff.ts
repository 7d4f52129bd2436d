import { asKraftError } from '../base/index.ts';
import type { Git, Repository } from '../git/index.ts';
import { renderDiffCommand, type Item } from '../items/index.ts';
import { worktreeOf } from '../walk/index.ts';
import type { Diff, Kraft } from './kraft.ts';

const diffMaxBytes = 8 * 1024 * 1024;

const formatFlags = { patch: [], stat: ['--stat'], 'name-only': ['--name-only'] } as const;

/** What the item's branch changed, and what lies in its worktree besides. Errors: NOT_A_REPOSITORY, GIT_FAILED. */
export async function readDiff(
  edges: { readonly git: Git; readonly findRepository: (path: string) => Promise<Repository> },
  item: Item,
  { format, ignoreWhitespace }: Omit<Parameters<Kraft['diff']>[0], 'itemId'>,
): Promise<Diff> {
  const { git } = edges;
  const { branch, baseCommit } = item;
  if (baseCommit === null) return nothing;
  const repository = await edges.findRepository(item.repo);
  const untracked = await readUntracked(git, repository, item);
  if ((await git.branchCommit(repository, branch)) === null) return { ...nothing, ...untracked };
  const range = { repository, branch, baseCommit };
  const { text, truncated } = await git.branchDiff({ ...range, format, ignoreWhitespace, maxBytes: diffMaxBytes });
  const flags = [...formatFlags[format], ...(ignoreWhitespace ? ['-w'] : [])];
  return {
    text: truncated ? text.slice(0, text.lastIndexOf('\n') + 1) : text,
    truncated,
    command: renderDiffCommand({ ...item, baseCommit }, flags),
    ...untracked,
  };
}

type Untracked = Pick<Diff, 'untracked' | 'untrackedCount' | 'untrackedProblem'>;

const untrackedMax = 1000;
const noneUntracked: Untracked = { untracked: [], untrackedCount: 0, untrackedProblem: null };
const nothing: Diff = { text: '', truncated: false, command: null, ...noneUntracked };

/** The diff does not depend on what a worker made of its worktree. */
async function readUntracked(git: Git, repository: Repository, item: Item): Promise<Untracked> {
  const worktree = worktreeOf(item);
  if (worktree === null) return noneUntracked;
  try {
    const paths = await git.listUntracked({ repository, worktree });
    return { untracked: paths.slice(0, untrackedMax), untrackedCount: paths.length, untrackedProblem: null };
  } catch (error) {
    return { ...noneUntracked, untrackedProblem: asKraftError(error).message };
  }
}
