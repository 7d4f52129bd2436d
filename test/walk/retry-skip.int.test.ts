import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ResolvedRepo } from '../../src/config/index.ts';
import type { Item } from '../../src/items/index.ts';
import { thaw, walkErrors } from '../../src/walk/index.ts';
import { Home } from './home.ts';

// `land` and `checks.slow.tests` fail until the worktree has the file `ok`, which git does not see.
const chain = (policy: string): string => `
nodes:
  - id: build
    tasks: [{ id: make, kind: subprocess, command: 'true' }]
  - id: checks
    steps:
      - id: quick
        tasks: [{ id: lint, kind: subprocess, command: 'true' }]
      - id: slow
        tasks:
          - { id: tests, kind: subprocess, command: 'test -f .env' }
          - { id: types, kind: subprocess, command: 'true' }
  - { id: look, kind: gate }
  - id: land
    tasks: [{ id: push, kind: subprocess, command: 'test -f .env'${policy} }]
`;

async function homeWith(policy = ''): Promise<Home> {
  const home = await Home.open();
  mkdirSync(join(home.base, 'config', 'chains'));
  writeChain(home, policy);
  home.repo = { ...home.repo, defaultChain: 'own' };
  return home;
}

function writeChain(home: Home, policy: string): void {
  writeFileSync(join(home.base, 'config', 'chains', 'own.yaml'), chain(policy));
}

async function tasks(home: Home, { id, attempt }: Item): Promise<readonly string[]> {
  return (await home.sessions(id)).filter((row) => row.attempt === attempt).map(({ task }) => task);
}

async function payloads(home: Home, id: string, type: string): Promise<readonly unknown[]> {
  return (await home.events(id)).filter((event) => event.type === type).map(({ payload }) => payload);
}

const sandboxOf = (repo: ResolvedRepo): Extract<ResolvedRepo['sandbox'], { kind: 'docker' }> =>
  repo.sandbox as Extract<ResolvedRepo['sandbox'], { kind: 'docker' }>;

test('a retry enters its node at a step or a task, and at the node’s beginning when none is named', async () => {
  const home = await homeWith();
  const stopped = await home.run('x');
  expect(stopped).toMatchObject({ status: 'needs_human', nextNode: 'checks', attempt: 1 });

  await home.walker.retry(stopped.id, { path: 'checks.slow' });
  const second = await home.rest(stopped.id);
  expect((await tasks(home, second)).toSorted()).toEqual(['checks.slow.tests', 'checks.slow.types']);

  await Promise.all([
    home.walker.retry(second.id, { path: 'checks.slow.tests' }),
    home.walker.retry(second.id, { path: 'checks.slow.tests' }),
  ]);
  const third = await home.rest(second.id);
  expect(third.attempt).toBe(3);
  expect(await tasks(home, third)).toEqual(['checks.slow.tests']);

  writeFileSync(home.worktree(third.id, '.env'), '');
  await home.walker.retry(third.id, { restart: true });
  const fourth = await home.rest(third.id);
  expect(fourth).toMatchObject({ status: 'needs_human', stop: { kind: 'gate' }, nextNode: 'look' });
  expect((await tasks(home, fourth))[0]).toBe('build.main.make');
  expect(await payloads(home, fourth.id, 'run_forked')).toEqual([
    { path: 'checks.slow', attempt: 2, reopened: [] },
    { path: 'checks.slow.tests', attempt: 3, reopened: [] },
    { path: 'build', attempt: 4, reopened: [] },
  ]);
  await expect(home.walker.retry(fourth.id)).rejects.toMatchObject({ code: 'KRAFT_ITEM_AT_GATE' });
  await expect(home.walker.retry(fourth.id, { path: 'nowhere' })).rejects.toMatchObject({
    code: 'KRAFT_CHAIN_PATH_UNKNOWN',
  });
  expect((await home.item(fourth.id)).attempt).toBe(4);
});

test('skip passes over a task, a gate and the last node, each once however often it is asked', async () => {
  const home = await homeWith();
  const { id } = await home.run('x');
  const note = 'Looked at by hand.';
  const twice = async (path: string | null): Promise<Item> => {
    await Promise.all([home.walker.skip(id, { path, note }), home.walker.skip(id, { path, note })]);
    return home.rest(id);
  };

  // What passed in this attempt is not run again.
  expect(await twice('checks.slow.tests')).toMatchObject({ stop: { kind: 'gate' }, nextNode: 'look', attempt: 1 });
  expect(await tasks(home, await home.item(id))).toHaveLength(4);
  expect(await twice(null)).toMatchObject({ status: 'needs_human', nextNode: 'land' });
  expect(await twice(null)).toMatchObject({ status: 'completed', nextNode: null, skipped: [] });

  await home.walker.skip(id, { path: 'land', note });
  await expect(home.walker.skip(id, { path: null, note })).rejects.toMatchObject({ code: 'KRAFT_ITEM_ENDED' });
  expect(await payloads(home, id, 'scope_skipped')).toEqual([{ node_id: 'checks', path: 'checks.slow.tests', note }]);
  expect(await payloads(home, id, 'node_skipped')).toEqual([
    { node_id: 'look', gate: true, note, by: 'human' },
    { node_id: 'land', gate: false, note, by: 'human' },
  ]);
});

test('skip refuses what the chain does not let a person pass over, naming part and file', async () => {
  const home = await homeWith(', skippable: false');
  const { id } = await home.run('x');
  const note = 'Trust me.';
  await home.walker.skip(id, { path: null, note });
  await home.rest(id);
  await home.walker.skip(id, { path: null, note });
  expect(await home.rest(id)).toMatchObject({ status: 'needs_human', nextNode: 'land' });

  await expect(home.walker.skip(id, { path: null, note })).rejects.toMatchObject({
    code: 'KRAFT_PART_NOT_SKIPPABLE',
    message: expect.stringMatching(/^land\.main\.push may not .*own\.yaml:15\)\.$/u) as string,
  });
});

describe('the sandbox of an item that is taken on again', () => {
  test('is that of repos.yaml at a resume, which changes nothing else of what was frozen', async () => {
    const home = await homeWith();
    const { id } = await home.file('x');
    home.launcher.beforeStart = async () => {
      home.launcher.beforeStart = null;
      await home.walker.pause(id);
    };
    await home.walker.start(id);
    expect((await home.rest(id)).status).toBe('paused');
    const sandbox = { ...sandboxOf(home.repo), image: 'another', resources: { cpu: null, memoryBytes: 1, pids: null } };
    home.repo = { ...home.repo, setupCommand: 'false', sandbox };

    await Promise.all([home.walker.resume(id), home.walker.resume(id)]);

    const item = await home.rest(id);
    expect(item.nextNode).toBe('checks');
    expect(thaw(item).repo).toMatchObject({ sandbox, setupCommand: '' });
    expect(await payloads(home, id, 'sandbox_refrozen')).toEqual([
      { changed: ['sandbox.image', 'sandbox.resources.memory'] },
    ]);
    // Once it stands as it is frozen, a further retry has nothing to say of it.
    await home.walker.retry(id);
    expect(await payloads(home, id, 'sandbox_refrozen')).toHaveLength(1);
    await home.rest(id);
  });

  test('stops the item when its chain does not fit it any more, naming both, and changes nothing else', async () => {
    const home = await homeWith(', policy: { sandbox: { kind: docker, image: kraft-worker } }');
    const { id } = await home.file('x');
    home.launcher.beforeStart = async () => {
      home.launcher.beforeStart = null;
      await home.walker.pause(id);
    };
    await home.walker.start(id);
    const before = await home.rest(id);
    const { repo } = home;
    home.repo = { ...repo, sandbox: { ...sandboxOf(repo), image: 'another' } };

    const stopped = await home.walker.resume(id);

    expect(stopped).toEqual({
      ...before,
      status: 'needs_human',
      updatedAt: stopped.updatedAt,
      stop: expect.objectContaining({ kind: 'config', code: 'KRAFT_SANDBOX_LOCKED' }) as unknown,
    });
    expect(stopped.stop?.reason).toMatch(/repos\.yaml:1\).*own\.yaml:15\) differs in sandbox\.image/u);
    const again = await home.walker.retry(id);
    expect(again).toEqual({ ...stopped, updatedAt: again.updatedAt });
    expect(await payloads(home, id, 'work_item_needs_human')).toMatchObject([{ kind: 'config' }, { kind: 'config' }]);
    expect(await payloads(home, id, 'sandbox_refrozen')).toEqual([]);

    home.repo = repo;
    await home.walker.retry(id);
    expect(await home.rest(id)).toMatchObject({ attempt: 2, nextNode: 'checks' });
  });

  test('is not guessed while repos.yaml cannot be read: the verb fails and the item stays as it is', async () => {
    const home = await homeWith();
    const stopped = await home.run('x');
    home.reposError = walkErrors.create('REPO_NOT_CONNECTED', { repo: 'it' });

    await expect(home.walker.retry(stopped.id)).rejects.toMatchObject({ code: 'KRAFT_REPO_NOT_CONNECTED' });
    expect(await home.item(stopped.id)).toEqual(stopped);
    home.reposError = null;
    home.repo = { ...home.repo, enabled: false };
    await expect(home.walker.retry(stopped.id)).rejects.toMatchObject({ code: 'KRAFT_REPO_DISABLED' });
    expect(await home.item(stopped.id)).toEqual(stopped);
  });
});

describe('a worker’s own retry (CC 8.3)', () => {
  test('freezes nothing anew, takes its own stopped item up, and never what still runs', async () => {
    const home = await homeWith();
    const { id, frozen } = await home.run('x');
    const [row] = await home.sessions(id);
    // A session beside the walk, as its channel would name it.
    await home.store.apply({
      itemId: id,
      item: {},
      events: [],
      sessions: [{ ...row!, id: 'beside', status: 'running' }],
      expectStatus: null,
    });
    const who = { itemId: id, sessionId: 'beside' };
    home.repo = { ...home.repo, setupCommand: 'false', sandbox: { ...sandboxOf(home.repo), image: 'another' } };

    await expect(home.walker.workers.retry({ ...who, sessionId: row!.id }, null)).rejects.toMatchObject({
      code: 'KRAFT_WORKER_CALL_REFUSED',
    });
    await home.walker.workers.retry(who, null);

    await expect(home.walker.workers.retry(who, null)).rejects.toMatchObject({ code: 'KRAFT_WORKER_RETRY_RUNS' });
    expect(await home.rest(id)).toMatchObject({ attempt: 2, frozen });
    expect(await payloads(home, id, 'work_item_retried')).toEqual([{ by: 'agent', path: null }]);
    expect(await payloads(home, id, 'sandbox_refrozen')).toEqual([]);
  });
});
