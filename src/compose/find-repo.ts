import { sep } from 'node:path';
import type { ResolvedRepo } from '../config/index.ts';
import { composeErrors } from './errors.ts';

/**
 * The connected repository that a person means: by its path, by a path inside it (the innermost one), or by its label.
 * Errors: REPO_UNKNOWN, REPO_LABEL_AMBIGUOUS.
 */
export function findRepo(named: string, repos: readonly ResolvedRepo[]): ResolvedRepo {
  const holding = repos.filter(({ path }) => named === path || named.startsWith(path + sep));
  const [innermost] = holding.toSorted((a, b) => b.path.length - a.path.length);
  if (innermost !== undefined) return innermost;
  const [labelled, second] = repos.filter(({ label }) => label === named);
  if (labelled === undefined) throw composeErrors.create('REPO_UNKNOWN', { repo: named });
  if (second === undefined) return labelled;
  const paths = repos.filter(({ label }) => label === named).map(({ path }) => path);
  throw composeErrors.create('REPO_LABEL_AMBIGUOUS', { repo: named, paths });
}
