import { hasCode } from '../base/index.ts';
import { baseRef, branchRef, configValue, isBranchName } from '../refs/index.ts';
import { gitErrors } from './errors.ts';
import type { Repository } from './git.ts';
import { readDefaultBranch, readOriginDefault } from './probe-repository.ts';
import { readConfig } from './read-config.ts';
import { atGitDir, explainEnd, type GitRunner } from './run-git.ts';

const fetchTimeoutMs = 60_000;
const candidatesShown = 12;

export interface BaseOptions {
  readonly itemId: string;
  readonly baseBranch: string | null;
}

export interface ResolvedBase {
  readonly commit: string;
  /** What it was taken from, for people. */
  readonly base: string;
}

/**
 * The commit that an item starts from, kept alive by `refs/kraft/base/<item>`. With an origin: fetched now, else as last
 * fetched. Without: a local branch, by default what is checked out. Moves no other ref of the repository.
 * Errors: BASE_BRANCH_UNKNOWN, BASE_UNAVAILABLE.
 */
export async function resolveBase(git: GitRunner, repository: Repository, options: BaseOptions): Promise<ResolvedBase> {
  const { baseBranch } = options;
  const config = await readConfig(git, atGitDir(repository.commonDir));
  const hasOrigin = (configValue(config, 'remote.origin.url') ?? '') !== '';
  if (baseBranch !== null && !isBranchName(baseBranch))
    throw await unknownBranch(git, repository, baseBranch, hasOrigin);
  if (!hasOrigin) return fromLocal(git, repository, options);
  const sshCommand = configValue(config, 'core.sshcommand');
  return fromOrigin(git, repository, { ...options, ownSsh: sshCommand !== null && sshCommand !== '' });
}

async function fromLocal(git: GitRunner, repository: Repository, options: BaseOptions): Promise<ResolvedBase> {
  const { baseBranch } = options;
  const commit = await commitOf(git, repository, baseBranch === null ? 'HEAD' : branchRef(baseBranch));
  if (commit === null) {
    if (baseBranch === null) throw gitErrors.create('REPOSITORY_EMPTY', { path: repository.root });
    throw await unknownBranch(git, repository, baseBranch, false);
  }
  await keepBase(git, repository, options.itemId, commit);
  const name = baseBranch ?? (await readDefaultBranch(git, repository)) ?? 'HEAD';
  return { commit, base: `local ${name}` };
}

async function fromOrigin(
  git: GitRunner,
  repository: Repository,
  options: BaseOptions & { readonly ownSsh: boolean },
): Promise<ResolvedBase> {
  const branch = options.baseBranch ?? (await readOriginDefault(git, repository));
  const name = branch ?? 'HEAD';
  const source = branch === null ? 'HEAD' : branchRef(branch);
  const failure = await fetchBase(git, repository, `+${source}:${baseRef(options.itemId)}`, options.ownSsh);
  const fetched = failure === null ? await commitOf(git, repository, baseRef(options.itemId)) : null;
  if (fetched !== null) return { commit: fetched, base: `origin/${name}` };
  const why = failure ?? 'origin gave no commit';
  if (/couldn't find remote ref/iu.test(why)) throw await unknownBranch(git, repository, name, true);
  const last = await commitOf(git, repository, `refs/remotes/origin/${name}`);
  if (last === null) throw gitErrors.create('BASE_UNAVAILABLE', { branch: name, why });
  await keepBase(git, repository, options.itemId, last);
  git.log.warn(`fetching origin/${name} failed, its last fetched state is used: ${why}`);
  return { commit: last, base: `origin/${name} as last fetched (fetching it now failed: ${why})` };
}

/** Null when fetched, else why not. `--refmap=` keeps git from moving the person's remote-tracking refs on the way. */
async function fetchBase(
  git: GitRunner,
  repository: Repository,
  refspec: string,
  ownSsh: boolean,
): Promise<string | null> {
  const flags =
    '--quiet --no-tags --no-write-fetch-head --no-auto-maintenance --no-recurse-submodules --no-prune --refmap=';
  try {
    const done = await git.result({
      args: ['fetch', ...flags.split(' '), 'origin', refspec],
      action: 'fetch the base branch from origin',
      place: atGitDir(repository.commonDir),
      scope: 'person',
      writes: true,
      timeoutMs: fetchTimeoutMs,
      env: ownSsh ? {} : git.batchSsh,
    });
    return done.exitCode === 0 ? null : explainEnd(done);
  } catch (error) {
    if (hasCode(error, 'GIT_TIMED_OUT')) return error.message.replace(/\.$/u, '');
    throw error;
  }
}

async function keepBase(git: GitRunner, repository: Repository, itemId: string, commit: string): Promise<void> {
  await git.text({
    args: ['update-ref', baseRef(itemId), commit],
    action: 'keep the base commit',
    place: atGitDir(repository.commonDir),
    writes: true,
  });
}

/** The commit behind a full ref name, or null. */
export async function commitOf(git: GitRunner, repository: Repository, ref: string): Promise<string | null> {
  const done = await git.result({
    args: ['rev-parse', '--quiet', '--verify', `${ref}^{commit}`],
    action: `read ${ref}`,
    place: atGitDir(repository.commonDir),
  });
  return done.exitCode === 0 ? done.stdout.trim() : null;
}

async function unknownBranch(
  git: GitRunner,
  repository: Repository,
  branch: string,
  onOrigin: boolean,
): Promise<ReturnType<typeof gitErrors.create>> {
  const prefix = onOrigin ? 'refs/remotes/origin/' : 'refs/heads/';
  const listed = await git.text({
    args: ['for-each-ref', '--sort=-committerdate', '--format=%(refname)', prefix],
    action: 'list the branches',
    place: atGitDir(repository.commonDir),
  });
  const names = listed
    .split('\n')
    .filter((ref) => ref.startsWith(prefix) && ref !== `${prefix}HEAD` && !ref.startsWith('refs/heads/kraft/'))
    .map((ref) => ref.slice(prefix.length));
  const candidates = names.slice(0, candidatesShown);
  return gitErrors.create('BASE_BRANCH_UNKNOWN', {
    branch,
    where: onOrigin ? 'on origin' : 'in the repository',
    candidates,
  });
}
