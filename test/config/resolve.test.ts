import { describe, expect, it } from 'vitest';
import { checkRepos } from '../../src/config/load.ts';
import { PolicyFile } from '../../src/config/policy-schema.ts';
import { sameSandbox, type LoadedRepos, type Sandbox } from '../../src/config/index.ts';
import { sampleRepo } from '../support/sample-repo.ts';

async function load(text: string, policy: unknown = {}): Promise<LoadedRepos> {
  return (await checkRepos(Buffer.from(text), PolicyFile.parse(policy))).loaded;
}

async function only(lines: string, policy: unknown = {}): Promise<LoadedRepos['repos'][number]> {
  const { repos } = await load(`repos:\n  - path: /a\n${lines.replace(/^/gm, '    ')}\n`, policy);
  const [repo] = repos;
  if (repo === undefined) throw new Error('no entry');
  return repo;
}

async function sandboxOf(block: string): Promise<Sandbox | null> {
  return (await only(`sandbox: ${block}`)).sandbox;
}

describe('an entry', () => {
  it('has every default filled', async () => {
    expect(await only('name: null')).toEqual(sampleRepo({ path: '/a', line: 2 }));
  });

  it.each([
    ['test_command: ""', { kind: 'none' }],
    ['test_command: null', { kind: 'undeclared' }],
    ['test_command: make test', { kind: 'scopes', scopes: [{ paths: ['**'], command: 'make test' }] }],
    [
      'test_command: ""\ntest_scopes: [{paths: [a], command: x}]',
      { kind: 'scopes', scopes: [{ paths: ['a'], command: 'x' }] },
    ],
  ])('with %j has tests %j', async (lines, tests) => {
    expect((await only(lines)).tests).toEqual(tests);
  });

  it('tells an undecided setup from one that is deliberately nothing', async () => {
    expect((await only('setup_command: ""')).setupCommand).toBe('');
    expect((await only('setup_command: null')).setupCommand).toBeNull();
  });

  it('keeps a far unknown key, and warns of it with its line (CC 1.4)', async () => {
    const loaded = await load('repos:\n  - path: /a\n    frobnicate: 1\n    default_model: x\n');
    expect(loaded.repos[0]?.unknownKeys).toEqual([
      { key: 'frobnicate', line: 3 },
      { key: 'default_model', line: 4 },
    ]);
    expect(loaded.warnings.map((w) => [w.code, w.report.details['line']])).toEqual([
      ['KRAFT_CONFIG_UNREAD_KEY', 3],
      ['KRAFT_CONFIG_UNREAD_KEY', 4],
    ]);
    expect(loaded.warnings[1]?.remedy).toContain('`models`');
  });

  it('takes its areas, workspaces and review as written', async () => {
    const loaded = await load(
      'repos:\n  - path: /a\n    id: a\n    automated_review: {check: lint}\n    areas:\n      web: {paths: [web/**], setup: npm ci, verification: {test_scopes: [{paths: [web/**], command: npm test}]}}\n' +
        'workspaces:\n  w: {root: a, members: {m: {repository: a, path: sub/./m}}}\n',
    );
    expect(loaded.repos[0]).toMatchObject({
      automatedReview: { check: 'lint' },
      areas: { web: { setup: 'npm ci', scopes: [{ paths: ['web/**'], command: 'npm test' }] } },
    });
    expect(loaded.workspaces).toEqual([
      { id: 'w', root: 'a', rootPointerDefault: 'ignore', members: [{ name: 'm', repository: 'a', path: 'sub/m' }] },
    ]);
  });
});

describe('a sandbox in its normal form (CC 3.1)', () => {
  const same: readonly [string, string][] = [
    ['{kind: docker, image: x, resources: {}}', '{kind: docker, image: x}'],
    ['{kind: docker, image: x, network: {}}', '{kind: docker, image: x}'],
    ['{kind: docker, image: x, credentials: []}', '{kind: docker, image: x}'],
    [
      '{kind: docker, image: x, network: {runtime: {}}}',
      '{kind: docker, image: x, network: {install: {allow: []}, runtime: {deny: []}}}',
    ],
    ['{kind: docker, image: x, resources: {memory: 4G}}', '{kind: docker, image: x, resources: {memory: 4096m}}'],
    [
      '{kind: docker, image: x, network: {runtime: {allow: [A.com]}}, credentials: [{env: A, phase: [runtime, install, runtime]}]}',
      '{kind: docker, image: x, network: {runtime: {allow: [a.com]}}, credentials: [{env: A}]}',
    ],
    ['false', 'null'],
  ];
  it.each(same)('%s is %s', async (a, b) => {
    expect(sameSandbox(await sandboxOf(a), await sandboxOf(b))).toBe(true);
  });

  it.each([
    ['{kind: docker, image: x}', '{kind: docker, image: x, network: {runtime: {}}}'],
    ['{kind: docker, image: x}', '{kind: docker, image: y}'],
    ['{kind: docker, image: x}', '{kind: docker, image: x, resources: {pids: 4096}}'],
    ['{kind: docker, image: x}', 'false'],
  ])('%s is not %s', async (a, b) => {
    expect(sameSandbox(await sandboxOf(a), await sandboxOf(b))).toBe(false);
  });

  it('denies everything in a phase that is missing beside another', async () => {
    expect(await sandboxOf('{kind: docker, image: x, network: {runtime: {allow: [a.com]}}}')).toMatchObject({
      network: { install: { allow: [], deny: [] }, runtime: { allow: ['a.com'], deny: [] } },
    });
  });

  it('is taken from policy.sandbox when the entry has none', async () => {
    expect((await only('policy: {sandbox: {kind: docker, image: x}}')).sandbox).toMatchObject({ image: 'x' });
  });

  it('with `network: {}` is open, and says so (PF-F06)', async () => {
    const loaded = await load(
      'repos:\n  - path: /a\n    sandbox:\n      kind: docker\n      image: x\n      network: {}\n',
    );
    expect(loaded.repos[0]?.sandbox).toMatchObject({ network: null });
    expect(loaded.warnings.map((w) => [w.code, w.report.details['line']])).toEqual([['KRAFT_CONFIG_OPEN_NETWORK', 6]]);
  });
});

describe('the policy of a repository (CC 1.5)', () => {
  it('joins what every layer denies', async () => {
    const repo = await only('deny_tools: [Bash]\npolicy: {deny_tools: [Edit]}', {
      defaults: { deny_tools: ['Read'] },
      maxima: { deny_tools: ['Write', 'Bash'] },
    });
    expect(repo.toolPolicy.denyTools).toEqual(['Read', 'Edit', 'Bash', 'Write']);
    // What a chain's policies are met with: the entry's own words alone.
    expect(repo.policyLayer?.deny_tools).toEqual(['Edit', 'Bash']);
  });

  it.each([
    [null, null, null, null],
    [['A'], null, null, ['A']],
    [null, ['A', 'B'], null, ['A', 'B']],
    [['A', 'C'], ['B'], ['A', 'B'], ['A']],
    [null, null, ['A'], ['A']],
    [[], ['A'], null, []],
  ])('of own %j, default %j and maximum %j allows %j', async (own, fallback, maximum, allowed) => {
    const repo = await only(`policy: {allowed_tools: ${JSON.stringify(own)}}`, {
      defaults: { allowed_tools: fallback },
      maxima: { allowed_tools: maximum },
    });
    expect(repo.toolPolicy.allowedTools).toEqual(allowed);
  });

  it('grants only what a layer gives and the maximum allows', async () => {
    expect((await only('name: x', { maxima: { grants: ['git-push'] } })).toolPolicy.grants).toEqual([]);
    const repo = await only('policy: {grants: [git-push, git-commit]}', { maxima: { grants: ['git-commit'] } });
    expect(repo.toolPolicy.grants).toEqual(['git-commit']);
  });

  it.each([
    ['{}', 60],
    ['{time_cap_minutes: 30}', 30],
    ['{time_cap_minutes: 500}', 120],
  ])('with %s has a time cap of %i minutes under a default of 60 and a maximum of 120', async (own, minutes) => {
    const repo = await only(`policy: ${own}`, {
      defaults: { time_cap_minutes: 60 },
      maxima: { time_cap_minutes: 120 },
    });
    expect(repo.policy.timeCapMinutes).toBe(minutes);
  });
});
