import { safeLine } from '../../base/index.ts';
import type { ResolvedRepo } from '../../config/index.ts';
import type { DoctorContext } from '../context.ts';
import { doctorErrors } from '../errors.ts';
import { attempt, fail, ok, type Finding } from '../finding.ts';

/** Whether the repository says how a fresh worktree is set up; undecided stops every item. */
export async function checkSetup({ options }: DoctorContext, repo: ResolvedRepo): Promise<readonly Finding[]> {
  if (repo.setupCommand === '') return [ok('declared: nothing to set up.')];
  if (repo.setupCommand !== null) return [ok(`\`${safeLine(repo.setupCommand)}\`.`)];
  const proposed = await attempt(() => options.steps.propose(repo));
  const proposal = proposed.ok && proposed.value.setup !== null ? safeLine(proposed.value.setup) : null;
  return [fail(doctorErrors.create('SETUP_PROPOSAL', { path: repo.path, proposal }))];
}
