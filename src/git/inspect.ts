import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { safeLine } from '../base/index.ts';
import { ancestors, gitlinkMode, movedGitlinks, parseEntries, type Pin, type TreeEntry } from '../refs/index.ts';
import { gitErrors } from './errors.ts';
import type { Repository, Worktree } from './git.ts';
import { explainEnd, largeOutputBytes, type GitPlace, type GitRunner } from './run-git.ts';
import { UntrustedDir } from './untrusted-dir.ts';
import { stateDir, withView, type WorktreeView } from './view.ts';
import { readFilterPins } from './worktree.ts';

// A FIFO by the name of .gitignore blocks git until this is over; the item then stops with the reason.
const inspectTimeoutMs = 120_000;

export interface Inspected {
  readonly repository: Repository;
  readonly worktree: Worktree;
}

/** Nested repositories and gitlinks that a worker planted (SI 2.7), sorted. Enters none of them. Errors: WORKTREE_UNREADABLE. */
export async function findPlanted(git: GitRunner, runDir: string, what: Inspected): Promise<readonly string[]> {
  return withView(git, runDir, what, async (view) => {
    const root = what.worktree.path;
    const index = parseEntries(await read(git, view.place, root, ['ls-files', '-s', '-z']));
    const others = splitZ(await read(git, view.place, root, ['ls-files', '-z', '--others', '--exclude-standard']));
    const base = await listEntries(git, view.place, root, what.worktree.baseCommit);
    const branch = view.head === what.worktree.baseCommit ? base : await listEntries(git, view.place, root, view.head);
    const links = index.filter((entry) => entry.mode === gitlinkMode).map((entry) => entry.path);
    const nested = others.filter((path) => path.endsWith('/')).map((path) => path.slice(0, -1));
    const places = [...ancestors([...index.map((entry) => entry.path), ...others]), ...links, ...nested];
    const holders = await dirsHoldingGit(root, places);
    return [
      ...new Set([...movedGitlinks(index, base), ...movedGitlinks(branch, base), ...nested, ...holders]),
    ].toSorted();
  });
}

async function listEntries(
  git: GitRunner,
  place: GitPlace,
  root: string,
  commit: string,
): Promise<readonly TreeEntry[]> {
  return parseEntries(await read(git, place, root, ['ls-tree', '-r', '-z', '--full-tree', commit]));
}

/** Which of the directories, looked at without following a link on the way, hold a `.git` of any kind or cannot be told. */
async function dirsHoldingGit(root: string, dirs: readonly string[]): Promise<readonly string[]> {
  const real = new Map<string, boolean>();
  const isReal = async (dir: string): Promise<boolean> => {
    const known = real.get(dir);
    if (known !== undefined) return known;
    const slash = dir.lastIndexOf('/');
    const inside = slash < 0 || (await isReal(dir.slice(0, slash)));
    const answer = inside && (await lookAt(join(root, dir))) === 'dir';
    real.set(dir, answer);
    return answer;
  };
  const holders: string[] = [];
  for (const dir of new Set(dirs)) {
    if (!(await isReal(dir))) continue;
    // Unknown is not clean: a directory that cannot be looked into counts as holding one.
    if ((await lookAt(join(root, dir, '.git'))) !== 'absent') holders.push(dir);
  }
  return holders;
}

async function lookAt(path: string): Promise<'absent' | 'dir' | 'other'> {
  try {
    return (await lstat(path)).isDirectory() ? 'dir' : 'other';
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'absent' : 'other';
  }
}

const operations: Readonly<Record<string, string>> = {
  MERGE_HEAD: 'a merge',
  CHERRY_PICK_HEAD: 'a cherry-pick',
  REVERT_HEAD: 'a revert',
  BISECT_LOG: 'a bisection',
  'rebase-merge': 'a rebase',
  'rebase-apply': 'a rebase',
  sequencer: 'a series of cherry-picks or reverts',
};

/** Null when HEAD is the item's branch and nothing is half done in the worktree, else the reason (SI 2.7). */
export async function checkWorktree(runDir: string, worktree: Worktree): Promise<string | null> {
  await using dir = await UntrustedDir.open(await stateDir(runDir, worktree));
  if (dir === null) return 'the state of the worktree cannot be read';
  const head = (await dir.read('HEAD', 4096))?.toString('utf8').trim();
  if (head === undefined) return 'the HEAD of the worktree cannot be read';
  for (const [name, words] of Object.entries(operations)) {
    if (await dir.has(name)) return `${words} was left in progress`;
  }
  if (head === `ref: refs/heads/${worktree.branch}`) return null;
  const where = head.startsWith('ref: refs/heads/') ? head.slice('ref: refs/heads/'.length) : 'a bare commit';
  return `HEAD is on ${safeLine(where).slice(0, 200)} instead of ${worktree.branch}`;
}

/** Paths that differ between the base commit and the branch, plus what the working tree changes on top, sorted. */
export async function changedPaths(git: GitRunner, runDir: string, what: Inspected): Promise<readonly string[]> {
  const pins = await readFilterPins(git, what.repository.commonDir, 'repository');
  return withView(git, runDir, what, async (view) => {
    const committed = await committedPaths(git, view, what.worktree);
    const uncommitted = await readStatus(git, view, { pins, path: what.worktree.path });
    return [...new Set([...committed, ...uncommitted.map(pathIn)])].toSorted();
  });
}

/** Files of the working tree that are not so on the branch, untracked ones included and ignored ones not, sorted. */
export async function listUncommitted(git: GitRunner, runDir: string, what: Inspected): Promise<readonly string[]> {
  const pins = await readFilterPins(git, what.repository.commonDir, 'repository');
  return withView(git, runDir, what, async (view) => {
    const records = await readStatus(git, view, { pins, path: what.worktree.path });
    return records
      .filter((record) => !/^(?: D|D ) /u.test(record))
      .map(pathIn)
      .toSorted();
  });
}

async function readStatus(
  git: GitRunner,
  view: WorktreeView,
  { pins, path }: { readonly pins: readonly Pin[]; readonly path: string },
): Promise<readonly string[]> {
  const status = await git.result({
    args: ['status', '--porcelain', '-z', '--no-renames', '--untracked-files=all', '--ignore-submodules=all'],
    action: 'compare the worktree',
    place: view.place,
    pins,
    timeoutMs: inspectTimeoutMs,
    outputMaxBytes: largeOutputBytes,
  });
  refuseUnreadable(status, path);
  return splitZ(status.stdout);
}

/** The path behind the two letters of a record of `git status`. */
function pathIn(record: string): string {
  return record.slice(3);
}

/** Files of the worktree that are neither tracked nor ignored. Reads names alone, so no filter runs. */
export async function listUntracked(git: GitRunner, runDir: string, what: Inspected): Promise<readonly string[]> {
  return withView(git, runDir, what, async (view) => {
    const args = ['ls-files', '-z', '--others', '--exclude-standard', '--directory', '--no-empty-directory'];
    return splitZ(await read(git, view.place, what.worktree.path, args)).toSorted();
  });
}

async function committedPaths(git: GitRunner, view: WorktreeView, worktree: Worktree): Promise<readonly string[]> {
  const args = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', worktree.baseCommit, view.head];
  return splitZ(await read(git, view.place, worktree.path, args));
}

async function read(git: GitRunner, place: GitPlace, root: string, args: readonly string[]): Promise<string> {
  const done = await git.result({
    args,
    action: 'look at the worktree',
    place,
    timeoutMs: inspectTimeoutMs,
    outputMaxBytes: largeOutputBytes,
  });
  refuseUnreadable(done, root);
  return done.stdout;
}

function refuseUnreadable(done: Awaited<ReturnType<GitRunner['result']>>, path: string): void {
  if (done.truncated) throw gitErrors.create('WORKTREE_UNREADABLE', { path, why: 'it holds more than Kraft reads' });
  // A directory that git could not list is only a warning to git; what is in it is unknown, though.
  if (done.exitCode !== 0 || /could not open directory/u.test(done.stderr)) {
    throw gitErrors.create('WORKTREE_UNREADABLE', { path, why: explainEnd(done) });
  }
}

function splitZ(output: string): readonly string[] {
  return output.split('\0').filter((record) => record !== '');
}
