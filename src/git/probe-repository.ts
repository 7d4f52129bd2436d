import { readdir, realpath } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import type { KraftError } from '../base/index.ts';
import { configFlag, configValue, isObjectId, withoutUserInfo, type ConfigEntry } from '../refs/index.ts';
import { gitErrors } from './errors.ts';
import type { Identity, Repository, RepositoryProbe } from './git.ts';
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
  identity: null,
  notes: [],
};

/**
 * Looks at a path that a person named. Never throws for what the path is: that is `problem`. Doctor asks this of every
 * repository, so what one process of git can answer is asked together: four in all for a usual repository.
 */
export async function probeRepository(
  git: GitRunner,
  path: string,
  env: Readonly<Record<string, string>>,
): Promise<RepositoryProbe> {
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
  const { hasSubmodules, ...heads } = await readHeads(git, repository);
  const facts = {
    ...nothing,
    repository,
    linkedWorktreeOf,
    ...heads,
    defaultBranch: await readDefaultBranch(git, repository),
    originUrl: originUrl(config),
    identity: findIdentity(config, env),
  };
  return {
    ...facts,
    notes: heads.hasCommit ? await collectNotes(git, repository, { config, hasSubmodules }) : [],
    problem: findProblem(path, facts, repository),
  };
}

function originUrl(config: readonly ConfigEntry[]): string | null {
  const url = configValue(config, 'remote.origin.url');
  return url === null || url === '' ? null : withoutUserInfo(url);
}

/** Author of an item's commits: the daemon's GIT_AUTHOR_*, then GIT_COMMITTER_*, then the repository's `user.*`. */
function findIdentity(config: readonly ConfigEntry[], env: Readonly<Record<string, string>>): Identity | null {
  const fromEnv = (field: string): string | null => env[`GIT_AUTHOR_${field}`] || env[`GIT_COMMITTER_${field}`] || null;
  const name = fromEnv('NAME') ?? configValue(config, 'user.name');
  const email = fromEnv('EMAIL') ?? configValue(config, 'user.email');
  return name === null || email === null || name === '' || email === '' ? null : { name, email };
}

interface Location {
  readonly bare: boolean;
  readonly root: string;
  readonly gitDir: string;
  readonly commonDir: string;
  readonly objectFormat: 'sha1' | 'sha256';
}

async function locate(git: GitRunner, place: GitPlace): Promise<Location | { readonly problem: KraftError }> {
  // What fails comes last: git has printed the others by then.
  const flags =
    '--is-bare-repository --show-object-format --absolute-git-dir --path-format=absolute --git-common-dir --show-toplevel';
  const done = await git.result({
    args: ['rev-parse', ...flags.split(' ')],
    action: 'look at the repository',
    place,
    scope: 'person',
  });
  const [bare, format, gitDir, commonDir, top] = done.stdout.split('\n');
  if (gitDir === undefined || commonDir === undefined) {
    return { problem: explainUnreadable(place.cwd, explainEnd(done)) };
  }
  if (bare !== 'true' && (done.exitCode !== 0 || top === undefined)) {
    return { problem: gitErrors.create('NOT_A_REPOSITORY', { path: place.cwd, why: explainEnd(done) }) };
  }
  return {
    bare: bare === 'true',
    root: bare === 'true' || top === undefined ? '' : await realpath(top),
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

async function readHeads(
  git: GitRunner,
  repository: Repository,
): Promise<Pick<RepositoryProbe, 'hasCommit' | 'branchKraft'> & { readonly hasSubmodules: boolean }> {
  const names = ['HEAD^{commit}', 'refs/heads/kraft', 'HEAD:.gitmodules'];
  const done = await git.result({
    args: ['cat-file', '--batch-check'],
    action: 'read HEAD and the branches',
    place: atGitDir(repository.commonDir),
    input: `${names.join('\n')}\n`,
  });
  // One line for each name, an object id first where there is one.
  const [head, kraft, modules] = done.stdout.split('\n').map((line) => isObjectId(line.split(' ')[0] ?? ''));
  return { hasCommit: head === true, branchKraft: kraft === true, hasSubmodules: modules === true };
}

/** The branch that origin calls its default as last seen, else the one that is checked out; null when detached. */
export async function readDefaultBranch(git: GitRunner, repository: Repository): Promise<string | null> {
  return (await readOriginDefault(git, repository)) ?? readTarget(git, repository, 'HEAD', 'refs/heads/');
}

/** The branch that origin calls its default, as last seen; null when it was never seen. */
export function readOriginDefault(git: GitRunner, repository: Repository): Promise<string | null> {
  return readTarget(git, repository, 'refs/remotes/origin/HEAD', 'refs/remotes/origin/');
}

/** What a symbolic ref leads to below `prefix`, whether that exists or not; null when it leads elsewhere or is none. */
async function readTarget(git: GitRunner, repository: Repository, ref: string, prefix: string): Promise<string | null> {
  const target = (await readSymref(git, repository, ref)) ?? '';
  return target.startsWith(prefix) ? target.slice(prefix.length) : null;
}

/** A symbolic ref is never packed: its file says where it leads. Another storage, or a link of old, is for git to read. */
async function readSymref(git: GitRunner, repository: Repository, ref: string): Promise<string | null> {
  const path = join(repository.commonDir, ref);
  const kind = repository.refStorage === 'files' ? await kindOf(path) : 'other';
  if (kind === null) return null;
  if (kind === 'file') return /^ref:\s*(\S+)\s*$/u.exec((await readIfPresent(path)) ?? '')?.[1] ?? null;
  const done = await git.result({
    args: ['symbolic-ref', '--quiet', ref],
    action: `read ${ref}`,
    place: atGitDir(repository.commonDir),
  });
  return done.exitCode === 0 ? done.stdout.trim() : null;
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
  { config, hasSubmodules }: { readonly config: readonly ConfigEntry[]; readonly hasSubmodules: boolean },
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
  if (hasSubmodules) {
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
