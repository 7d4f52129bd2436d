import { describe, expect, test } from 'vitest';
import { refuseSandboxChange, type DeclaredSandbox } from '../../src/chain/index.ts';
import { resolveSandbox, type Sandbox } from '../../src/config/index.ts';

const written = { kind: 'docker', image: 'node:22', resources: { memory: '4g' } } as const;
const repo = { path: '/code/basket', line: 3, sandbox: resolveSandbox(written) };

function refuse(sandbox: Sandbox | null): readonly string[] {
  const declared: DeclaredSandbox = { part: 'build.main.make', file: '/c/mine.yaml', line: 7, sandbox };
  return refuseSandboxChange(repo, { id: 'mine', sandboxes: [declared] }).map((error) => error.message);
}

describe('the sandbox lock (CC 3.1)', () => {
  test('lets a chain repeat the sandbox in another spelling of the same', () => {
    expect(
      refuse(resolveSandbox({ ...written, resources: { memory: '4096m' }, network: {}, credentials: [] })),
    ).toEqual([]);
  });

  test.each([
    ['image', { ...written, image: 'node:24' }, 'sandbox.image'],
    ['memory', { ...written, resources: { memory: '8g' } }, 'sandbox.resources.memory'],
    ['network', { ...written, network: { runtime: {} } }, 'sandbox.network'],
    ['several', { kind: 'docker', image: 'x' }, 'sandbox.image, sandbox.resources.memory'],
    ['none at all', false, 'sandbox'],
  ] as const)('refuses another one, naming both places and the field: %s', (_name, other, field) => {
    expect(refuse(resolveSandbox(other))).toEqual([
      `The chain mine cannot change the sandbox of /code/basket (repos.yaml:3): the policy of build.main.make (/c/mine.yaml:7) differs in ${field}.`,
    ]);
  });

  test('has nothing to hold for a repository without a sandbox', () => {
    const sandboxes = [{ part: 'the chain', file: 'x', line: 1, sandbox: resolveSandbox(written) }];
    expect(refuseSandboxChange({ ...repo, sandbox: null }, { id: 'mine', sandboxes })).toEqual([]);
  });
});
