import type { KraftError } from '../../base/index.ts';
import type { ResolvedRepo } from '../../config/index.ts';
import { gitErrors, type RepositoryProbe } from '../../git/index.ts';
import type { DoctorContext } from '../context.ts';
import { attempt, fail, ok, type Finding } from '../finding.ts';

/** Whether the path is a repository that Kraft can work in; each reason why not. */
export async function checkRepository({ options }: DoctorContext, repo: ResolvedRepo): Promise<readonly Finding[]> {
  const probe = await attempt(() => options.git.probeRepository(repo.path));
  if (!probe.ok) return [fail(probe.error)];
  const problems = listProblems(repo.path, probe.value);
  if (problems.length > 0) return problems.map(fail);
  const { originUrl, defaultBranch, notes } = probe.value;
  const origin = originUrl === null ? 'no origin' : `default branch ${defaultBranch ?? 'unknown'} of its origin`;
  return [ok(`${repo.path}; ${origin}.`), ...notes.map((note) => ok(note))];
}

/** What the probe itself refuses for, and whatever else its facts say: all of it in one run. */
function listProblems(path: string, probe: RepositoryProbe): readonly KraftError[] {
  const problems: KraftError[] = probe.problem === null ? [] : [probe.problem];
  const { repository, linkedWorktreeOf } = probe;
  if (linkedWorktreeOf !== null)
    problems.push(gitErrors.create('REPOSITORY_LINKED_WORKTREE', { path, main: linkedWorktreeOf }));
  if (probe.bare) problems.push(gitErrors.create('REPOSITORY_BARE', { path }));
  if (repository !== null && !probe.hasCommit) problems.push(gitErrors.create('REPOSITORY_EMPTY', { path }));
  if (probe.branchKraft) problems.push(gitErrors.create('BRANCH_KRAFT_EXISTS', { path }));
  if (repository !== null && repository.refStorage !== 'files')
    problems.push(gitErrors.create('REF_STORAGE_UNSUPPORTED', { path, storage: repository.refStorage }));
  return problems.filter((problem, at) => problems.findIndex((other) => other.code === problem.code) === at);
}
