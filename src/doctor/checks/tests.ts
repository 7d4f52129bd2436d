import { safeLine } from '../../base/index.ts';
import type { ResolvedRepo } from '../../config/index.ts';
import type { DoctorContext } from '../context.ts';
import { doctorErrors } from '../errors.ts';
import { attempt, ok, warn, type Finding } from '../finding.ts';

/** Whether anything checks what an agent did. */
export async function checkTests({ options }: DoctorContext, repo: ResolvedRepo): Promise<readonly Finding[]> {
  switch (repo.tests.kind) {
    case 'scopes': {
      const scopes = repo.tests.scopes.map((s) => `\`${safeLine(s.command)}\` for ${s.paths.map(safeLine).join(', ')}`);
      return [ok(`${scopes.join('; ')}.`)];
    }
    case 'none':
      return [warn(doctorErrors.create('TESTS_NONE', { repo: repo.label }))];
    case 'undeclared': {
      const proposed = await attempt(() => options.steps.propose(repo));
      const proposal = proposed.ok && proposed.value.test !== null ? safeLine(proposed.value.test) : null;
      return [warn(doctorErrors.create('TESTS_PROPOSAL', { path: repo.path, proposal }))];
    }
  }
}
