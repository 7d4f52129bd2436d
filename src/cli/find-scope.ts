import type { Io } from './command.ts';
import { usageErrors } from './errors.ts';
import { findRepoOf, readRepoOption } from './find-repo.ts';
import type { RemoteKraft } from './remote-kraft.ts';

export interface Scope {
  /** Path or label; null for every repository. */
  readonly repo: string | null;
  /** Label of the repository at hand, when that is what chose the items. */
  readonly here: string | null;
}

/** `--repo`, else the repository of the working directory, else all (CC 5.1). Errors: OPTIONS_CONFLICT. */
export async function findScope(
  kraft: Pick<RemoteKraft, 'repos'>,
  io: Io,
  asked: { readonly command: string; readonly all: boolean; readonly repo: string | null },
): Promise<Scope> {
  if (asked.repo !== null) {
    if (!asked.all) return { repo: readRepoOption(asked.repo, io.cwd), here: null };
    throw usageErrors.create('OPTIONS_CONFLICT', { command: asked.command, options: ['--all', '--repo'] });
  }
  const here = asked.all ? null : findRepoOf(io.cwd, await kraft.repos());
  return { repo: here?.path ?? null, here: here?.label ?? null };
}
