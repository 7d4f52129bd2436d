import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ResolvedRepo, Sandbox } from '../../src/config/index.ts';
import { thaw } from '../../src/walk/index.ts';
import { Home } from './home.ts';

const docker = (sandbox: Sandbox | null): Extract<Sandbox, { kind: 'docker' }> => sandbox as never;

test('a filed item waits for its start and holds what was frozen then', async () => {
  const home = await Home.open();
  const item = await home.file('demo: print 1', { title: '  Fix the Basket! ', baseBranch: 'release/1.x' });

  expect(item).toMatchObject({
    title: 'Fix the Basket!',
    status: 'paused',
    started: false,
    chain: 'quick-task',
    harness: 'demo',
    branch: `kraft/${item.id}-fix-the-basket`,
    baseBranch: 'release/1.x',
    worktree: null,
  });
  expect(thaw(item).repo).toEqual(home.repo);
  expect(await home.eventTypes(item.id)).toEqual(['work_item_created']);
  expect(await home.walker.prompt(item.id)).toContain('demo: print 1');
});

test.each([
  ['an empty title', { title: ' ' }, 'TITLE_EMPTY'],
  ['a title of control characters', { title: '\u202e\u0007' }, 'TITLE_EMPTY'],
  ['a title without end', { title: 'x'.repeat(201) }, 'TITLE_EMPTY'],
  ['a base branch that is an option', { baseBranch: '--upload-pack=x' }, 'BASE_BRANCH_INVALID'],
  ['a base branch with a blank', { baseBranch: 'a b' }, 'BASE_BRANCH_INVALID'],
  ['a repository that is not connected', { repo: '/elsewhere' }, 'REPO_NOT_CONNECTED'],
  ['an unknown chain', { chain: 'nope' }, 'CHAIN_UNKNOWN'],
  ['an unknown harness', { harness: 'nope' }, 'HARNESS_UNKNOWN'],
])('filing refuses %s and records nothing', async (_name, request, code) => {
  const home = await Home.open();
  await expect(home.file('x', request)).rejects.toMatchObject({ code: `KRAFT_${code}` });
  expect(await home.store.listItems({ repo: null, statuses: null })).toEqual([]);
});

test('filing refuses a repository without a sandbox and names how to give it one', async () => {
  const home = await Home.open();
  home.repo = { ...home.repo, sandbox: null };
  await expect(home.file('x')).rejects.toMatchObject({
    code: 'KRAFT_SANDBOX_MISSING',
    remedy: expect.stringContaining('kraft repo connect') as string,
  });
  home.repo = { ...home.repo, sandbox: { kind: 'kit', runtime: 'docker', kit: 'x' }, enabled: false };
  await expect(home.file('x')).rejects.toMatchObject({ code: 'KRAFT_REPO_DISABLED' });
});

describe('the sandbox lock (CC 3.1)', () => {
  const write = (home: Home, image: string): void => {
    mkdirSync(join(home.base, 'config', 'chains'), { recursive: true });
    writeFileSync(
      join(home.base, 'config', 'chains', 'mine.yaml'),
      `nodes:\n  - id: build\n    tasks:\n      - id: make\n        kind: subprocess\n        command: make\n        policy:\n          sandbox: {kind: docker, image: ${image}}\n`,
    );
  };

  test('refuses at filing a chain that changes the sandbox, and records nothing', async () => {
    const home = await Home.open();
    write(home, 'another');

    await expect(home.file('x', { chain: 'mine' })).rejects.toMatchObject({
      code: 'KRAFT_SANDBOX_LOCKED',
      message: expect.stringMatching(
        /repos\.yaml:\d+\): the policy of build\.main\.make \(.*mine\.yaml:8\) differs in sandbox\.image/,
      ) as string,
    });
    expect(await home.store.listItems({ repo: null, statuses: null })).toEqual([]);
  });

  test('holds again when a start takes what was written since, and leaves the item as it was', async () => {
    const home = await Home.open();
    write(home, docker(home.repo.sandbox).image);
    const item = await home.file('x', { chain: 'mine' });
    write(home, 'another');

    await expect(home.walker.start(item.id)).rejects.toMatchObject({ code: 'KRAFT_SANDBOX_LOCKED' });
    expect(await home.store.getItem(item.id)).toEqual(item);
  });
});

describe('an item that would use what is not built yet stops before anything is made, naming it', () => {
  test.each<[string, (repo: ResolvedRepo) => Partial<ResolvedRepo>, RegExp]>([
    [
      'credentials',
      (repo) => ({
        sandbox: {
          ...docker(repo.sandbox),
          credentials: [{ env: 'A', service: null, sentinel: null, inject: [], phases: ['runtime'], source: null }],
        },
      }),
      /credentials/,
    ],
    // KRAFT_ITEM_NEEDS_UNBUILT names these two, the launch's own refusal the one above.
    ['a kit', () => ({ sandbox: { kind: 'kit', runtime: 'docker', kit: 'x' } }), /kind kit/],
    ['steering', () => ({ steering: ['style'] }), /steering \(style\)/],
  ])('%s', async (_name, change, reason) => {
    const home = await Home.open();
    home.repo = { ...home.repo, ...change(home.repo) };

    const item = await home.run('demo: print 1');

    expect(item).toMatchObject({ status: 'needs_human', worktree: null, stop: { kind: 'config' } });
    expect(item.stop?.reason).toMatch(reason);
    expect(home.launcher.calls).toEqual([]);
  });

  test('a chain with a forge task', async () => {
    const home = await Home.open();
    mkdirSync(join(home.base, 'config', 'chains'));
    writeFileSync(
      join(home.base, 'config', 'chains', 'long.yaml'),
      'nodes: [{id: land, tasks: [{id: open, kind: forge, target: mr.open_draft}]}]\n',
    );

    const item = await home.run('demo: print 1', { chain: 'long' });

    expect(item.stop).toMatchObject({ kind: 'config', code: 'KRAFT_CHAIN_PART_NOT_BUILT' });
    expect(item.stop?.reason).toContain('land.main.open: the forge task mr.open_draft');
  });
});

test('a harness that its sandbox or policy does not allow stops the item before a worktree is made', async () => {
  const home = await Home.open();
  home.repo = { ...home.repo, policy: { ...home.repo.policy, allowedHarnesses: ['claude'] } };

  const item = await home.run('demo: print 1');

  expect(item.stop).toMatchObject({ kind: 'config', code: 'KRAFT_HARNESS_NOT_ALLOWED' });
  expect(home.launcher.calls).toEqual([]);
});

test('an edit reaches a stopped item at its retry, but never takes its sandbox away (SI 1.19)', async () => {
  const home = await Home.open();
  home.repo = { ...home.repo, tests: { kind: 'undeclared' } };
  const stopped = await home.run('demo: write wanted.txt x');
  expect(stopped.stop).toMatchObject({ code: 'KRAFT_TESTS_UNDECLARED' });

  const { sandbox } = home.repo;
  home.repo = { ...home.repo, tests: { kind: 'none' }, sandbox: null };
  await home.walker.retry(stopped.id);

  const item = await home.rest(stopped.id);
  expect(item.status).toBe('completed');
  expect(thaw(item).repo.sandbox).toEqual(sandbox);
});

test('a repository without an identity for commits stops its item and says how to set one', async () => {
  const home = await Home.open();
  home.person('config', '--unset', 'user.email');

  const item = await home.run('demo: print 1');

  expect(item.stop).toMatchObject({ kind: 'config', code: 'KRAFT_IDENTITY_MISSING' });
  expect(item.stop?.remedy).toContain('config user.email');
});

test('a repository that has gone is named when the item starts', async () => {
  const home = await Home.open();
  home.person('branch', 'kraft');

  const item = await home.run('demo: print 1');

  expect(item.stop).toMatchObject({ kind: 'config', code: 'KRAFT_REPO_UNUSABLE' });
  expect(item.stop?.reason).toContain('branch named kraft');
});
