import { existsSync, realpathSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import type { PublicRepo } from '../compose/index.ts';

/** The connected repository that holds a directory (the innermost one), or null. */
export function findRepoOf(cwd: string, repos: readonly PublicRepo[]): PublicRepo | null {
  const at = real(cwd);
  const holding = repos.filter(({ path }) => at === path || at.startsWith(path + sep));
  return holding.toSorted((a, b) => b.path.length - a.path.length)[0] ?? null;
}

/** `--repo` as typed: a path is made absolute, a label is passed on as it is. */
export function readRepoOption(typed: string, cwd: string): string {
  const path = resolve(cwd, typed);
  return typed.includes('/') || typed === '.' || existsSync(path) ? real(path) : typed;
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
