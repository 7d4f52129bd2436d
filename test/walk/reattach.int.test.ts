import { existsSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { SessionRow } from '../../src/store/index.ts';
import { finishedAs } from '../support/fake-launcher.ts';
import { Home } from './home.ts';

const waiting = 'demo: wait-for go\ndemo: write wanted.txt yes\ndemo: commit Add what was wanted';

/** A home whose daemon went away while the item's agent ran; the session's process is left to the launcher's double. */
async function crashed(): Promise<{ home: Home; id: string; session: SessionRow }> {
  const home = await Home.open();
  const { id } = await home.file(waiting);
  await home.walker.start(id);
  await home.until(id, 'worker_session_started');
  await home.shutDown();
  await home.boot();
  const [session] = await home.sessions(id);
  return { home, id, session: session! };
}

test('a daemon that goes leaves the item active and its session running', async () => {
  const { home, id, session } = await crashed();

  expect((await home.item(id)).status).toBe('active');
  expect(session).toMatchObject({ status: 'running', pid: expect.any(Number) as number });
  expect(session.bootId).not.toBe('');
  expect(home.launcher.running.has(session.id)).toBe(true);
  process.kill(-session.pid!, 'SIGKILL');
});

test('a session that lives is adopted, swept around, waited for, and the item goes on from it (SI 1.15)', async () => {
  const { home, id, session } = await crashed();
  process.kill(-session.pid!, 'SIGKILL');
  const held = home.launcher.held({ itemId: id, sessionId: session.id });
  home.launcher.adoptions.set(session.id, { kind: 'adopted', running: held });

  const report = await home.walker.reattach();

  expect(report).toMatchObject({ adopted: 1, resolved: 0, unknown: 0, continued: 1 });
  expect(home.launcher.calls).toContain(`sweep ${session.id}`);
  await home.until(id, 'session_reattached');
  expect(await home.walker.runningSessionCount()).toBe(1);
  // What the agent wrote before and after the restart lies in the worktree; the walk goes on with what comes after it.
  writeFileSync(home.worktree(id, 'wanted.txt'), 'yes');
  held.end(finishedAs('done', { exitCode: 0 }));

  expect((await home.rest(id)).status).toBe('completed');
  expect((await home.sessions(id)).map((row) => [row.task, row.status])).toEqual([
    ['implementation.main.agent', 'done'],
    ['implementation.main.agent.commit_leftovers', 'done'],
    ['verification.main.tests.1', 'done'],
  ]);
});

test('a session that ended meanwhile is resolved from its evidence, published, and not run again', async () => {
  const { home, id, session } = await crashed();
  process.kill(-session.pid!, 'SIGKILL');
  home.launcher.adoptions.set(session.id, { kind: 'ended', finished: finishedAs('failed', { reason: 'It gave up.' }) });

  expect(await home.walker.reattach()).toMatchObject({ adopted: 0, resolved: 1, continued: 1 });

  expect(await home.rest(id)).toMatchObject({ status: 'needs_human', stop: { kind: 'failed', reason: 'It gave up.' } });
  expect(await home.sessions(id)).toHaveLength(1);
});

test('a session that nothing is known of stops its item as infra, and a retry runs the task again', async () => {
  const { home, id, session } = await crashed();
  process.kill(-session.pid!, 'SIGKILL');
  home.launcher.adoptions.set(session.id, { kind: 'unknown', reason: 'pid 7 is not alive', leftBehind: null });

  expect(await home.walker.reattach()).toMatchObject({ unknown: 1 });

  const item = await home.rest(id);
  expect(item.stop).toMatchObject({ kind: 'infra', sessionId: session.id });
  expect(item.stop?.reason).toContain('pid 7 is not alive');
  expect((await home.sessions(id)).map((row) => row.status)).toEqual(['unknown']);
  expect(await home.eventTypes(id)).toContain('session_unknown');
  expect(existsSync(home.worktree(id))).toBe(true);
});

test('a session whose engine does not answer is neither published nor swept (PF-G16)', async () => {
  const { home, id, session } = await crashed();
  process.kill(-session.pid!, 'SIGKILL');
  home.launcher.adoptions.set(session.id, { kind: 'unknown', reason: 'no engine', leftBehind: 'no engine' });

  await home.walker.reattach();

  expect((await home.rest(id)).stop).toMatchObject({ kind: 'infra', code: 'KRAFT_CONTAINER_LEFT_BEHIND' });
  expect(home.launcher.calls).toContain(`sweep ${session.id}`);
});

test('a row that was still pending stops its item, for nobody can say whether it was started', async () => {
  const { home, id, session } = await crashed();
  process.kill(-session.pid!, 'SIGKILL');
  await home.store.apply({
    itemId: id,
    events: [],
    item: {},
    sessions: [{ id: session.id, status: 'pending', pid: null, bootId: null, startTicks: null, startedAt: null }],
    expectStatus: null,
  });

  await home.walker.reattach();

  expect((await home.rest(id)).stop).toMatchObject({ kind: 'infra' });
  expect((await home.sessions(id)).map((row) => row.status)).toEqual(['unknown']);
});

test('an item that was asked to pause before the crash pauses after it', async () => {
  const { home, id, session } = await crashed();
  process.kill(-session.pid!, 'SIGKILL');
  await home.store.apply({
    itemId: id,
    events: [],
    item: { pauseRequested: true },
    sessions: [],
    expectStatus: null,
  });
  home.launcher.adoptions.set(session.id, {
    kind: 'adopted',
    running: home.launcher.held({ itemId: id, sessionId: session.id }),
  });

  await home.walker.reattach();

  expect(await home.rest(id)).toMatchObject({ status: 'paused', pauseRequested: false });
  expect((await home.sessions(id)).map((row) => row.status)).toEqual(['paused']);
});

test('a daemon that died during the setup command begins the worktree anew', async () => {
  const home = await Home.open();
  home.repo = { ...home.repo, setupCommand: 'test -f ../../go || sleep 60', tests: { kind: 'none' } };
  const { id } = await home.file('demo: write wanted.txt yes');
  const begun = new Promise<void>((resolve) => {
    home.launcher.beforeStart = () => {
      resolve();
      return Promise.resolve();
    };
  });
  await home.walker.start(id);
  await begun;
  await home.shutDown();
  await home.boot();
  home.launcher.beforeStart = null;
  expect(await home.item(id)).toMatchObject({ status: 'active', prepared: false });
  expect(existsSync(home.worktree(id))).toBe(true);
  writeFileSync(`${home.base}/run/go`, '');

  expect(await home.walker.reattach()).toMatchObject({ continued: 1 });

  expect((await home.rest(id)).status).toBe('completed');
});

test('what waited for a slot gets it from the next daemon', async () => {
  const home = await Home.open();
  home.policy = { ...home.policy, maxConcurrent: 0 };
  home.repo = { ...home.repo, tests: { kind: 'none' } };
  const { id } = await home.file('demo: write wanted.txt yes', { autostart: true });
  await home.shutDown();
  await home.boot();
  home.policy = { ...home.policy, maxConcurrent: 1 };

  await home.walker.reattach();

  expect((await home.rest(id)).status).toBe('completed');
});
