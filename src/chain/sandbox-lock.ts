import { isDeepStrictEqual } from 'node:util';
import type { KraftError } from '../base/index.ts';
import { sameSandbox, type ResolvedRepo, type Sandbox } from '../config/index.ts';
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
        fields: listDifferences(other, sandbox),
      }),
    );
}

/** Names of the fields in which two sandboxes differ, without their values. */
function listDifferences(a: Sandbox | null, b: Sandbox): readonly string[] {
  if (a === null) return ['sandbox'];
  const [left, right] = [flatten(a), flatten(b)];
  const keys = [...new Set([...Object.keys(left), ...Object.keys(right)])];
  return keys.filter((key) => !isDeepStrictEqual(left[key], right[key])).map((key) => `sandbox.${key}`);
}

function flatten(sandbox: Sandbox): Readonly<Record<string, unknown>> {
  if (sandbox.kind === 'kit') return { ...sandbox };
  const { resources, ...rest } = sandbox;
  const limits = { cpu: resources.cpu, memory: resources.memoryBytes, pids: resources.pids };
  return {
    ...rest,
    ...Object.fromEntries(Object.entries(limits).map(([key, value]) => [`resources.${key}`, value])),
  };
}
