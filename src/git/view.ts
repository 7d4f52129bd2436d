import { open, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { branchRef, storeLayout } from '../refs/index.ts';
import { gitErrors } from './errors.ts';
import type { Repository, Worktree } from './git.ts';
import { commitOf } from './resolve-base.ts';
import type { GitPlace, GitRunner } from './run-git.ts';
import { withScratchDir } from './scratch.ts';
import { kindOf } from './trusted-files.ts';
import { UntrustedDir } from './untrusted-dir.ts';

const indexMaxBytes = 1024 ** 3;

/** A worktree as Kraft's own git calls see it. */
export interface WorktreeView {
  readonly place: GitPlace;
  /** Commit of the item's branch in the person's repository, or the base. */
  readonly head: string;
}

/** The admin directory that tells the state of a worktree: the worker's, or the real one while there is no store. */
export async function stateDir(runDir: string, worktree: Worktree): Promise<string> {
  const { adminDir } = storeLayout(runDir, worktree.adminDir);
  return (await kindOf(adminDir)) === 'dir' ? adminDir : worktree.adminDir;
}

/**
 * Lends `work` a git directory of Kraft's own for the time of a call: HEAD at the branch, a copy of the worktree's index,
 * and the person's repository as its common directory. So no configuration, no ref and no lock that a worker could write
 * takes part. Errors: WORKTREE_UNREADABLE when the index is no regular file of bounded size.
 */
export async function withView<T>(
  git: GitRunner,
  runDir: string,
  what: { readonly repository: Repository; readonly worktree: Worktree },
  work: (view: WorktreeView) => Promise<T>,
): Promise<T> {
  const { repository, worktree } = what;
  return withScratchDir(runDir, 'git-view', async (dir) => {
    const head = (await commitOf(git, repository, branchRef(worktree.branch))) ?? worktree.baseCommit;
    await writeFile(join(dir, 'HEAD'), `${head}\n`);
    await writeFile(join(dir, 'commondir'), `${repository.commonDir}\n`);
    await copyIndex(await stateDir(runDir, worktree), dir, worktree.path);
    return work({ place: { cwd: worktree.path, gitDir: dir, workTree: worktree.path }, head });
  });
}

async function copyIndex(from: string, to: string, worktree: string): Promise<void> {
  await using dir = await UntrustedDir.open(from);
  if (dir === null || !(await copyOne(dir, 'index', to))) {
    throw gitErrors.create('WORKTREE_UNREADABLE', { path: worktree, why: 'its index cannot be read' });
  }
  const names = (await dir.list(10_000)) ?? [];
  for (const name of names) if (/^sharedindex\.[0-9a-f]{40,64}$/u.test(name)) await copyOne(dir, name, to);
}

async function copyOne(dir: UntrustedDir, name: string, to: string): Promise<boolean> {
  await using source = await dir.file(name);
  if (source === null) return false;
  const { size, atime, mtime } = await source.stat();
  if (size > indexMaxBytes) return false;
  const target = join(to, name);
  await using copy = await open(target, 'wx', 0o600);
  await copy.writeFile(source.createReadStream({ autoClose: false, end: Math.max(0, size - 1) }));
  await utimes(target, atime, mtime);
  return true;
}
