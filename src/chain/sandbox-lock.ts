import type { KraftError } from '../base/index.ts';
import { listSandboxChanges, sameSandbox, type ResolvedRepo } from '../config/index.ts';
import type { Chain } from './chain.ts';
import { chainErrors } from './errors.ts';
import type { ChainPart } from './parts.ts';

/** Whether a part says anything about the sandbox; `false` says "none" and is a word like any other. */
export function declaresSandbox({ policy }: Pick<ChainPart, 'policy'>): boolean {
  return policy !== undefined && policy.sandbox !== null;
}

/**
 * The lock of CC 3.1: what a repository has as its sandbox, its chain may repeat and not change. Both are compared in their
 * normal form. Pure. Answers one SANDBOX_LOCKED for each part that differs; nothing for a repository without a sandbox.
 */
export function refuseSandboxChange(
  repo: Pick<ResolvedRepo, 'path' | 'line' | 'sandbox'>,
  chain: Pick<Chain, 'id' | 'sandboxes'>,
): readonly KraftError[] {
  const { sandbox } = repo;
  if (sandbox === null) return [];
  return chain.sandboxes
    .filter((declared) => !sameSandbox(declared.sandbox, sandbox))
    .map(({ part, file, line, sandbox: other }) =>
      chainErrors.create('SANDBOX_LOCKED', {
        chain: chain.id,
        part,
        file,
        line,
        repo: repo.path,
        repoLine: repo.line,
        fields: listSandboxChanges(other, sandbox),
      }),
    );
}
