import { readdir, realpath } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import type { KraftError } from '../base/index.ts';
import { configFlag, configValue, withoutUserInfo, type ConfigEntry } from '../refs/index.ts';
import { gitErrors } from './errors.ts';
import type { Repository, RepositoryProbe } from './git.ts';
import { readConfig } from './read-config.ts';
import { atGitDir, explainEnd, type GitPlace, type GitRunner } from './run-git.ts';
import { kindOf, readIfPresent } from './trusted-files.ts';

const nothing: Omit<RepositoryProbe, 'problem'> = {
  repository: null,
  linkedWorktreeOf: null,
  hasCommit: false,
  bare: false,
  originUrl: null,
  defaultBranch: null,
  branchKraft: false,
  notes: [],
};

/** Looks at a path that a person named. Never throws for what the path is: that is `problem`. */
export async function probeRepository(git: GitRunner, path: string): Promise<RepositoryProbe> {
  if ((await kindOf(await realpath(path).catch(() => path))) !== 'dir') {
    return { ...nothing, problem: gitErrors.create('REPOSITORY_MISSING', { path }) };
  }
  const place: GitPlace = { cwd: await realpath(path), gitDir: null, workTree: null };
  const found = await locate(git, place);
  if ('problem' in found) return { ...nothing, problem: found.problem };
  if (found.bare) return { ...nothing, bare: true, problem: gitErrors.create('REPOSITORY_BARE', { path }) };
  const linkedWorktreeOf = found.gitDir === found.commonDir ? null : await mainWorkingTree(git, found.commonDir);
  const config = await readConfig(git, place);
  const repository: Repository = {
    root: found.root,
    commonDir: found.commonDir,
    refStorage: configValue(config, 'extensions.refstorage') ?? 'files',
    objectFormat: found.objectFormat,
  };
  const refs = await readRefs(git, repository);
  const facts = {
    ...nothing,
    repository,
    linkedWorktreeOf,
    ...refs,
    originUrl: originUrl(config),
  };
  return {
    ...facts,
    notes: refs.hasCommit ? await collectNotes(git, repository, config) : [],
    problem: findProblem(path, facts, repository),
  };
}

function originUrl(config: readonly ConfigEntry[]): string | null {
  const url = configValue(config, 'remote.origin.url');
  return url === null || url === '' ? null : withoutUserInfo(url);
}

interface Location {
  readonly bare: boolean;
  readonly root: string;
  readonly gitDir: string;
  readonly commonDir: string;
  readonly objectFormat: 'sha1' | 'sha256';
}

async function locate(git: GitRunner, place: GitPlace): Promise<Location | { readonly problem: KraftError }> {
  const flags = '--is-bare-repository --show-object-format --absolute-git-dir --path-format=absolute --git-common-dir';
  const done = await git.result({
    args: ['rev-parse', ...flags.split(' ')],
    action: 'look at the repository',
    place,
    scope: 'person',
  });
  const [bare, format, gitDir, commonDir] = done.stdout.split('\n');
  if (done.exitCode !== 0 || gitDir === undefined || commonDir === undefined) {
    return { problem: explainUnreadable(place.cwd, explainEnd(done)) };
  }
  const top =
    bare === 'true'
      ? null
      : await git.result({
          args: ['rev-parse', '--show-toplevel'],
          action: 'find the working tree',
          place,
          scope: 'person',
        });
  if (top !== null && top.exitCode !== 0) {
    return { problem: gitErrors.create('NOT_A_REPOSITORY', { path: place.cwd, why: explainEnd(top) }) };
  }
  return {
    bare: bare === 'true',
    root: top === null ? '' : await realpath(top.stdout.replace(/\n$/u, '')),
    gitDir: await realpath(gitDir),
    commonDir: await realpath(commonDir),
    objectFormat: format === 'sha256' ? 'sha256' : 'sha1',
  };
}

function explainUnreadable(path: string, why: string): KraftError {
  // Git before 2.45 does not know other ref storages and calls the extension unknown.
  if (/refstorage/iu.test(why)) return gitErrors.create('REF_STORAGE_UNSUPPORTED', { path, storage: 'reftable' });
  return gitErrors.create('NOT_A_REPOSITORY', { path, why });
}

async function mainWorkingTree(git: GitRunner, commonDir: string): Promise<string> {
  if (basename(commonDir) === '.git') return dirname(commonDir);
  const listed = await git.text({
    args: ['worktree', 'list', '--porcelain'],
    action: 'list the worktrees',
    place: atGitDir(commonDir),
  });
  return /^worktree (.+)$/mu.exec(listed)?.[1] ?? commonDir;
}

async function readRefs(
  git: GitRunner,
  repository: Repository,
): Promise<Pick<RepositoryProbe, 'hasCommit' | 'defaultBranch' | 'branchKraft'>> {
  const place = atGitDir(repository.commonDir);
  const head = await git.result({
    args: ['rev-parse', '--quiet', '--verify', 'HEAD^{commit}'],
    action: 'read HEAD',
    place,
  });
  const kraft = await git.result({
    args: ['show-ref', '--quiet', '--verify', 'refs/heads/kraft'],
    action: 'read the branches',
    place,
  });
  return {
    hasCommit: head.exitCode === 0,
    branchKraft: kraft.exitCode === 0,
    defaultBranch: await readDefaultBranch(git, repository),
  };
}

/** The branch that origin calls its default as last seen, else the one that is checked out; null when detached. */
export async function readDefaultBranch(git: GitRunner, repository: Repository): Promise<string | null> {
  for (const [ref, prefix] of [
    ['refs/remotes/origin/HEAD', 'refs/remotes/origin/'],
    ['HEAD', 'refs/heads/'],
  ] as const) {
    const done = await git.result({
      args: ['symbolic-ref', '--quiet', ref],
      action: 'read the default branch',
      place: atGitDir(repository.commonDir),
    });
    const target = done.stdout.trim();
    if (done.exitCode === 0 && target.startsWith(prefix)) return target.slice(prefix.length);
  }
  return null;
}

function findProblem(
  path: string,
  probe: Omit<RepositoryProbe, 'problem' | 'notes'>,
  repository: Repository,
): KraftError | null {
  const { linkedWorktreeOf } = probe;
  if (repository.commonDir.includes(`${sep}.git${sep}modules${sep}`)) {
    return gitErrors.create('REPOSITORY_SUBMODULE', { path });
  }
  if (linkedWorktreeOf !== null) {
    return gitErrors.create('REPOSITORY_LINKED_WORKTREE', { path, main: linkedWorktreeOf });
  }
  if (repository.refStorage !== 'files') {
    return gitErrors.create('REF_STORAGE_UNSUPPORTED', { path, storage: repository.refStorage });
  }
  if (!probe.hasCommit) return gitErrors.create('REPOSITORY_EMPTY', { path });
  return probe.branchKraft ? gitErrors.create('BRANCH_KRAFT_EXISTS', { path }) : null;
}

async function collectNotes(
  git: GitRunner,
  repository: Repository,
  config: readonly ConfigEntry[],
): Promise<readonly string[]> {
  const { commonDir } = repository;
  const notes: string[] = [];
  const hooksPath = configValue(config, 'core.hookspath');
  const hooks = hooksPath === null ? await listHooks(commonDir) : [`those of core.hooksPath ${hooksPath}`];
  if (hooks.length > 0 && hooksPath !== '' && hooksPath !== '/dev/null') {
    notes.push(
      `The repository's hooks (${hooks.join(', ')}) run neither in an item's worktree nor in Kraft's own git calls; what they check belongs into the test command.`,
    );
  }
  if (configFlag(config, 'commit.gpgsign')) {
    notes.push('commit.gpgSign is set: commits of an item are made without your key and stay unsigned.');
  }
  if (await usesLfs(git, repository)) {
    notes.push(
      'Git LFS is in use: Kraft checks LFS files out as pointers and runs no LFS filter; where an item needs their content, let the setup command run `git lfs checkout` in an image that has git-lfs. The hooks of git-lfs do not run in worktrees, so push LFS objects with `git lfs push`.',
    );
  }
  if (await hasSubmodules(git, repository)) {
    notes.push(
      'The repository has submodules: they are not initialised in worktrees, and an item that fills one or moves its pointer stops.',
    );
  }
  if ((await readIfPresent(join(commonDir, 'shallow'))) !== null) {
    notes.push('The clone is shallow: an item sees no more history than the clone has.');
  }
  if (config.some(({ key, value }) => key.endsWith('.promisor') && value !== 'false')) {
    notes.push('The clone is partial: objects that it lacks cannot be fetched from inside a session.');
  }
  return notes;
}

/** Names of the hooks that git would run for the person; the samples that git lays there are none. */
async function listHooks(commonDir: string): Promise<readonly string[]> {
  const entries = await readdir(join(commonDir, 'hooks')).catch(() => []);
  return entries.filter((name) => /^[a-z-]+$/u.test(name)).sort();
}

async function usesLfs(git: GitRunner, repository: Repository): Promise<boolean> {
  const attributes = await readIfPresent(join(repository.commonDir, 'info', 'attributes'));
  if (attributes?.includes('filter=lfs') === true) return true;
  const done = await git.result({
    args: ['grep', '--quiet', '-F', 'filter=lfs', 'HEAD', '--', '.gitattributes', ':(glob)**/.gitattributes'],
    action: 'look for LFS attributes',
    place: atGitDir(repository.commonDir),
  });
  return done.exitCode === 0;
}

async function hasSubmodules(git: GitRunner, repository: Repository): Promise<boolean> {
  const done = await git.result({
    args: ['cat-file', '-e', 'HEAD:.gitmodules'],
    action: 'look for submodules',
    place: atGitDir(repository.commonDir),
  });
  return done.exitCode === 0;
}
