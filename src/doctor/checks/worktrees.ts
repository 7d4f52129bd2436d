import type { DoctorContext } from '../context.ts';
import { doctorErrors } from '../errors.ts';
import { fail, ok, skipped, type Finding } from '../finding.ts';

const shownMax = 10;

/** Directories among the worktrees that no item has; those of ended and archived items are known (CC 7.2). */
export async function checkWorktrees({ options }: DoctorContext): Promise<readonly Finding[]> {
  if (options.strayWorktrees === null) return [skipped('Not compared with the items.', 'Needs a running daemon.')];
  const paths = await options.strayWorktrees();
  if (paths.length === 0) return [ok('each belongs to an item; `kraft admin storage` shows what they hold.')];
  const more = paths.length > shownMax ? [`${paths.length - shownMax} more`] : [];
  return [fail(doctorErrors.create('WORKTREES_STRAY', { paths: [...paths.slice(0, shownMax), ...more] }))];
}
