import { existsSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { walkErrors } from '../../src/walk/index.ts';
import { Home } from './home.ts';

const good = 'demo: write wanted.txt yes\ndemo: commit Add what was wanted';
const waiting = `demo: wait-for go\n${good}`;

/** An item whose agent waits for the file `go`. */
async function startWaiting(home: Home): Promise<string> {
  const { id } = await home.file(waiting);
  await home.walker.start(id);
  await home.until(id, 'worker_session_started');
  return id;
}

test('a running item pauses, says so in its session, and resumes with the same task', async () => {
  const home = await Home.open();
  const id = await startWaiting(home);

  expect((await home.walker.pause(id)).pauseRequested).toBe(true);
  // The second one finds the first at work.
  await home.walker.pause(id);

  expect(await home.rest(id)).toMatchObject({ status: 'paused', pauseRequested: false, stop: null });
  expect((await home.sessions(id)).map((row) => row.status)).toEqual(['paused']);
  await expect(home.walker.start(id)).rejects.toMatchObject({ code: 'KRAFT_ITEM_ALREADY_STARTED' });
  await expect(home.walker.retry(id)).rejects.toMatchObject({ code: 'KRAFT_ITEM_NOT_STOPPED' });

  writeFileSync(home.worktree(id, 'go'), '');
  await Promise.all([home.walker.resume(id), home.walker.resume(id)]);

  expect((await home.rest(id)).status).toBe('completed');
  expect((await home.sessions(id)).filter((row) => row.harness !== null).map((row) => row.status)).toEqual([
    'paused',
    'done',
  ]);
});

test('a resume that follows a pause at once waits for it and then goes on', async () => {
  const home = await Home.open();
  const id = await startWaiting(home);
  writeFileSync(home.worktree(id, 'go.later'), '');

  await home.walker.pause(id);
  writeFileSync(home.worktree(id, 'go'), '');
  await home.walker.resume(id);

  expect((await home.rest(id)).status).toBe('completed');
});

test('a pause during the setup command ends it, removes what was made, and resuming sets up anew', async () => {
  const home = await Home.open();
  home.repo = { ...home.repo, setupCommand: 'test -f go || { touch begun; sleep 60; }' };
  const { id } = await home.file(good);
  const begun = new Promise<void>((resolve) => {
    home.launcher.beforeStart = () => Promise.resolve(setImmediate(resolve)).then(() => undefined);
  });
  await home.walker.start(id);
  await begun;

  await home.walker.pause(id);

  expect(await home.rest(id)).toMatchObject({ status: 'paused', prepared: false, worktree: null });
  expect(existsSync(home.worktree(id))).toBe(false);
  expect(home.person('for-each-ref', '--format=%(refname)')).toBe('refs/heads/main');

  home.launcher.beforeStart = () => {
    writeFileSync(home.worktree(id, 'go'), '');
    return Promise.resolve();
  };
  await home.walker.resume(id);
  expect((await home.rest(id)).status).toBe('completed');
});

test('an item that is thrown away during its setup command ends at once and leaves nothing', async () => {
  const home = await Home.open();
  home.repo = { ...home.repo, setupCommand: 'sleep 60' };
  const { id } = await home.file(good);
  const begun = new Promise<void>((resolve) => {
    home.launcher.beforeStart = () => Promise.resolve(setImmediate(resolve)).then(() => undefined);
  });
  await home.walker.start(id);
  await begun;

  await Promise.all([home.walker.abandon(id), home.walker.pause(id).catch(() => undefined)]);

  expect(await home.rest(id)).toMatchObject({ status: 'abandoned', worktree: null, prepared: false });
  expect(existsSync(home.worktree(id))).toBe(false);
  expect(home.person('for-each-ref', '--format=%(refname)')).toBe('refs/heads/main');
});

test('a pause right before the spawn starts nothing', async () => {
  const home = await Home.open();
  const { id } = await home.file(good);
  home.launcher.beforeStart = async () => {
    await home.walker.pause(id);
  };

  await home.walker.start(id);

  expect((await home.rest(id)).status).toBe('paused');
  expect(home.launcher.calls.filter((call) => call.startsWith('start'))).toEqual([]);
  expect((await home.sessions(id)).map((row) => [row.status, row.pid])).toEqual([['paused', null]]);
});

test('start is safe twice and at once, and starts one walk', async () => {
  const home = await Home.open();
  const { id } = await home.file(good);

  await Promise.all([home.walker.start(id), home.walker.start(id), home.walker.start(id.slice(0, 4))]);

  expect((await home.rest(id)).status).toBe('completed');
  expect((await home.eventTypes(id)).filter((type) => type === 'work_item_resumed')).toHaveLength(1);
  expect(home.launcher.calls.filter((call) => call === 'preflight')).toHaveLength(1);
  await expect(home.walker.start(id)).rejects.toMatchObject({ code: 'KRAFT_ITEM_ENDED' });
});

test('a retry at once with another one counts one attempt', async () => {
  const home = await Home.open();
  home.repo = { ...home.repo, setupCommand: null };
  const stopped = await home.run(good);
  expect(stopped.status).toBe('needs_human');

  await Promise.allSettled([home.walker.retry(stopped.id), home.walker.retry(stopped.id)]);

  expect(await home.rest(stopped.id)).toMatchObject({ status: 'needs_human', attempt: 2 });
});

test('no git of the host looks at a worktree while a session of its item lives (SI-9.11 I15)', async () => {
  const home = await Home.open();
  const looks: string[] = [];
  const live = (name: string): void => {
    if (home.launcher.running.size > 0) looks.push(name);
  };
  const looking = [
    'findPlanted',
    'checkWorktree',
    'changedPaths',
    'publish',
    'discardRefStore',
    'removeWorktree',
  ] as const;
  for (const name of looking) {
    const real = home.git[name].bind(home.git) as (...given: unknown[]) => Promise<never>;
    home.git[name] = (...given: unknown[]) => {
      live(name);
      return real(...given);
    };
  }
  const first = await startWaiting(home);
  await home.walker.pause(first);
  await home.rest(first);
  writeFileSync(home.worktree(first, 'go'), '');
  await home.walker.resume(first);
  expect((await home.rest(first)).status).toBe('completed');
  const second = await startWaiting(home);
  await home.walker.abandon(second);
  expect(looks).toEqual([]);
});

test('abandon ends what runs and leaves nothing but the record; twice is once', async () => {
  const home = await Home.open();
  const id = await startWaiting(home);

  const [first, second] = await Promise.all([home.walker.abandon(id), home.walker.abandon(id)]);

  expect(first).toMatchObject({ status: 'abandoned', worktree: null, stop: null });
  expect(second.status).toBe('abandoned');
  expect(existsSync(home.worktree(id))).toBe(false);
  expect(home.person('for-each-ref', '--format=%(refname)')).toBe('refs/heads/main');
  expect(home.launcher.running.size).toBe(0);
  expect(home.launcher.calls.filter((call) => call === `release ${id}`)).toHaveLength(1);
  expect((await home.events(id)).filter((event) => event.type === 'work_item_abandoned')).toMatchObject([
    { payload: { by: 'human', branch_removed: true } },
  ]);
  expect(await home.eventTypes(id)).not.toContain('work_item_needs_human');
  await expect(home.walker.resume(id)).rejects.toMatchObject({ code: 'KRAFT_ITEM_ENDED' });
});

test('an item that was only filed is abandoned without a look at its repository', async () => {
  const home = await Home.open();
  const { id } = await home.file(good);

  expect((await home.walker.abandon(id)).status).toBe('abandoned');
  expect(await home.eventTypes(id)).toEqual(['work_item_created', 'work_item_abandoned']);
});

test('what abandon could not remove is not recorded as removed, and it can be asked again (PF-X07)', async () => {
  const home = await Home.open();
  const id = await startWaiting(home);
  home.launcher.releaseError = new Error('device busy');

  await expect(home.walker.abandon(id)).rejects.toMatchObject({ code: 'KRAFT_ABANDON_FAILED' });

  expect(await home.item(id)).toMatchObject({ status: 'needs_human', stop: { code: 'KRAFT_ABANDON_FAILED' } });
  home.launcher.releaseError = null;
  expect((await home.walker.abandon(id)).status).toBe('abandoned');
});

test('no more than max_concurrent items run, and those that wait follow in their order', async () => {
  const home = await Home.open();
  home.policy = { ...home.policy, maxConcurrent: 1 };
  const first = await startWaiting(home);
  const second = await home.file(good, { autostart: true });
  const third = await home.file(good, { autostart: true });

  expect([second.status, third.status]).toEqual(['queued', 'queued']);
  // A waiting item pauses at once and holds no slot; a waiting item is thrown away at once.
  expect((await home.walker.pause(third.id)).status).toBe('paused');
  writeFileSync(home.worktree(first, 'go'), '');
  await home.walker.idle();

  expect((await home.item(first)).status).toBe('completed');
  expect((await home.item(second.id)).status).toBe('completed');
  expect((await home.item(third.id)).status).toBe('paused');
  expect(home.launcher.mostRunning).toBe(1);
});

test('a stopped item frees its slot', async () => {
  const home = await Home.open();
  home.policy = { ...home.policy, maxConcurrent: 1 };
  home.launcher.endings.set('stops here', { status: 'failed' });
  const first = await home.file('stops here', { autostart: true });
  const second = await home.file(good, { autostart: true });
  await home.walker.idle();

  expect((await home.item(first.id)).status).toBe('needs_human');
  expect((await home.item(second.id)).status).toBe('completed');
});

test('a policy.yaml that cannot be read stops what waits, naming it, rather than leave it waiting', async () => {
  const home = await Home.open();
  const { id } = await home.file(good);
  home.policyError = walkErrors.create('TITLE_EMPTY', undefined);

  await home.walker.start(id);

  expect(await home.rest(id)).toMatchObject({ status: 'needs_human', stop: { kind: 'config' } });
});

test('under the disk floor an item pauses before anything is launched, and resumes when there is room', async () => {
  const home = await Home.open();
  home.policy = { ...home.policy, diskFloorBytes: Number.MAX_SAFE_INTEGER };
  const paused = await home.run(good);

  expect(paused).toMatchObject({ status: 'paused', stop: null });
  const event = (await home.events(paused.id)).at(-1);
  expect(event).toMatchObject({
    type: 'disk_floor_reached',
    payload: { floor_bytes: Number.MAX_SAFE_INTEGER, free_bytes: expect.any(Number) as number },
  });
  expect(home.launcher.calls).toEqual([]);

  home.policy = { ...home.policy, diskFloorBytes: 0 };
  await home.walker.resume(paused.id);
  expect((await home.rest(paused.id)).status).toBe('completed');
});

test('what fails for want of room on the disk pauses its item too, and what is wrong otherwise stops it', async () => {
  const home = await Home.open();
  const full = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
  home.launcher.beforeStart = () => {
    home.policy = { ...home.policy, diskFloorBytes: Number.MAX_SAFE_INTEGER };
    return Promise.reject(full);
  };
  const paused = await home.run(good);
  expect(paused).toMatchObject({ status: 'paused', stop: null });
  expect((await home.events(paused.id)).at(-1)?.type).toBe('disk_floor_reached');
  expect(home.warnings.join('\n')).toContain('ENOSPC');

  home.launcher.beforeStart = () => Promise.reject(full);
  home.policy = { ...home.policy, diskFloorBytes: 0 };
  await home.walker.resume(paused.id);
  expect(await home.rest(paused.id)).toMatchObject({ status: 'needs_human', stop: { kind: 'infra' } });
});

test('pauseAll pauses what runs and what waits, and answers once all sessions have ended', async () => {
  const home = await Home.open();
  home.policy = { ...home.policy, maxConcurrent: 1 };
  const first = await startWaiting(home);
  const second = await home.file(good, { autostart: true });
  expect(await home.walker.runningSessionCount()).toBe(1);

  expect(await home.walker.pauseAll()).toBe(2);

  expect((await home.item(first)).status).toBe('paused');
  expect((await home.item(second.id)).status).toBe('paused');
  expect(await home.walker.runningSessionCount()).toBe(0);
});
