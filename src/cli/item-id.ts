import { realpathSync } from 'node:fs';
import { join, sep } from 'node:path';
import type { Io } from './command.ts';
import { usageErrors } from './errors.ts';
import { findPaths } from '../daemon-client/index.ts';

/**
 * The item that is meant: as typed, else KRAFT_WORK_ITEM_ID, else the one whose worktree holds the working directory.
 * Errors: ITEM_ID_MISSING.
 */
export function resolveItemId(typed: string | null, command: string, io: Io): string {
  const found = typed ?? findItemId(io);
  if (found === null || found === '') throw usageErrors.create('ITEM_ID_MISSING', { command });
  return found;
}

/** As `resolveItemId`, for verbs that also make sense without an item; null when none is meant. */
export function findItemId(io: Io): string | null {
  const named = io.env('KRAFT_WORK_ITEM_ID');
  if (named !== undefined && named !== '') return named;
  const worktrees = join(findPaths(io).run, 'worktrees') + sep;
  const cwd = realCwd(io.cwd);
  return cwd.startsWith(worktrees) ? (cwd.slice(worktrees.length).split(sep)[0] ?? null) : null;
}

function realCwd(cwd: string): string {
  try {
    return realpathSync(cwd);
  } catch {
    return cwd;
  }
}
