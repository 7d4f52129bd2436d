import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Home } from './home.ts';

const alpha = { harness: 'alpha' };

async function openHome(): Promise<Home> {
  const home = await Home.open();
  home.addStreamHarnesses('alpha', 'beta');
  home.repo = { ...home.repo, tests: { kind: 'none' } };
  return home;
}

/** Resolves once the first agent of an item has come to its `hang`. */
async function untilHanging(home: Home, id: string): Promise<void> {
  await expect
    .poll(async () => readLog((await home.sessions(id))[0]?.logPath ?? ''), { timeout: 30_000 })
    .toContain('hanging');
}

function readLog(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** Files an item whose agent names its session, keeps a file of it in its HOME and hangs; pauses it there. */
async function pauseAgent(home: Home, keep: string): Promise<string> {
  const { id } = await home.file('', alpha);
  const description = `alpha.1: session s-123\nalpha.1: keep ${id}/${keep}\nalpha.1: hang`;
  await home.store.apply({ itemId: id, item: { description }, events: [], sessions: [], expectStatus: null });
  await home.walker.start(id);
  await expect.poll(async () => (await home.sessions(id))[0]?.agentSession ?? null, { timeout: 30_000 }).toBe('s-123');
  await home.walker.pause(id);
  await home.rest(id);
  return id;
}

describe('a resumed item', () => {
  test('goes on with the agent’s own session, told only to go on and what the person adds', async () => {
    const home = await openHome();
    const id = await pauseAgent(home, 'projects/s-123.jsonl');
    expect((await home.sessions(id))[0]).toMatchObject({ status: 'paused', agentSession: 's-123' });
    await home.walker.resume(id, { steer: 'Use tabs.' });
    expect((await home.rest(id)).status).toBe('completed');
    const [, second] = await home.prompts(id);
    expect(second?.args.slice(0, 2)).toEqual(['--resume', 's-123']);
    expect(second?.args.at(-1)).toContain('You were interrupted.');
    expect(second?.args.at(-1)).toContain('# What your person adds\n\nUse tabs.');
    expect(second?.args.at(-1)).not.toContain('alpha.1: hang');
    const resumed = (await home.events(id)).find((row) => row.type === 'agent_session_resumed');
    expect(resumed?.payload).toMatchObject({ agent_session: 's-123' });
  });

  test('begins anew with its whole task when the HOME was emptied, and says so', async () => {
    const home = await openHome();
    const id = await pauseAgent(home, 'projects/s-123.jsonl');
    rmSync(join(home.base, 'run', 'sandbox-home', id), { recursive: true });
    await home.walker.resume(id);
    expect((await home.rest(id)).status).toBe('completed');
    const [, second] = await home.prompts(id);
    expect(second?.args).not.toContain('--resume');
    expect(second?.args.at(-1)).toContain('# The task');
    const lost = (await home.events(id)).find((row) => row.type === 'agent_session_lost');
    expect(lost?.payload).toMatchObject({ agent_session: 's-123', reason: 'its HOME does not hold it any more' });
  });

  test('does not go on with a session of another attempt', async () => {
    const home = await openHome();
    const id = await pauseAgent(home, 'projects/s-123.jsonl');
    const stop = { kind: 'failed', code: null, reason: 'r', remedy: 'm', sessionId: null, facts: {} } as const;
    const item = { status: 'needs_human', stop } as const;
    await home.store.apply({ itemId: id, item, events: [], sessions: [], expectStatus: null });
    await home.walker.retry(id);
    expect((await home.rest(id)).status).toBe('completed');
    expect((await home.prompts(id))[1]?.args).not.toContain('--resume');
  });
});

describe('steering', () => {
  test('words go to the next agent once, and are recorded', async () => {
    const home = await openHome();
    const { id } = await home.file('alpha.1: hang', alpha);
    await home.walker.start(id);
    await untilHanging(home, id);
    await home.walker.pause(id);
    await home.rest(id);
    await home.walker.resume(id, { steer: '  Mind the gap.  ' });
    expect(await home.rest(id)).toMatchObject({ status: 'completed', steer: null });
    const [first, second] = await home.prompts(id);
    expect(first?.args.at(-1)).not.toContain('Mind the gap.');
    expect(second?.args.at(-1)).toContain('# What your person adds\n\nMind the gap.');
    const types = await home.eventTypes(id);
    expect(types.filter((type) => type.startsWith('steer'))).toEqual(['steer_context_set']);
    expect(types.indexOf('steer_context_set')).toBeLessThan(types.lastIndexOf('worker_session_created'));
  });

  test('words that no agent would read are refused, and nothing is changed', async () => {
    const home = await openHome();
    home.repo = { ...home.repo, tests: { kind: 'scopes', scopes: [{ paths: ['**'], command: 'false' }] } };
    const item = await home.run('alpha: write a.txt', alpha);
    expect(item).toMatchObject({ status: 'needs_human', nextNode: 'verification' });
    await expect(home.walker.retry(item.id, { steer: 'Try harder.' })).rejects.toMatchObject({
      code: 'KRAFT_STEER_UNREAD',
    });
    expect(await home.item(item.id)).toMatchObject({ status: 'needs_human', steer: null, attempt: 1 });
  });

  test('an item that runs takes no words, and empty ones are none', async () => {
    const home = await openHome();
    const { id } = await home.file('alpha.1: hang', alpha);
    await home.walker.start(id);
    await untilHanging(home, id);
    await expect(home.walker.resume(id, { steer: 'Now.' })).rejects.toMatchObject({ code: 'KRAFT_STEER_NOT_TAKEN' });
    await home.walker.pause(id);
    await home.rest(id);
    await expect(home.walker.resume(id, { steer: ' \n ' })).rejects.toMatchObject({ code: 'KRAFT_STEER_REFUSED' });
  });

  test('words that nobody came to read are said to be undelivered', async () => {
    const home = await openHome();
    const { id } = await home.file('alpha.1: hang', alpha);
    await home.walker.start(id);
    await untilHanging(home, id);
    await home.walker.pause(id);
    await home.rest(id);
    home.launcher.preflightError = new Error('no engine');
    await home.walker.resume(id, { steer: 'Mind the gap.' });
    expect(await home.rest(id)).toMatchObject({ status: 'needs_human', steer: 'Mind the gap.' });
    await home.walker.abandon(id);
    expect(await home.item(id)).toMatchObject({ status: 'abandoned', steer: null });
    const undelivered = (await home.events(id)).find((row) => row.type === 'steer_undelivered');
    expect(undelivered?.payload).toEqual({ reason: 'the item was abandoned' });
  });

  test('words of a session that was never started wait for the next one', async () => {
    const home = await openHome();
    const { id } = await home.file('alpha.1: hang', alpha);
    await home.walker.start(id);
    await untilHanging(home, id);
    await home.walker.pause(id);
    await home.rest(id);
    home.launcher.beforeStart = async () => {
      home.launcher.beforeStart = null;
      await home.walker.pause(id);
    };
    await home.walker.resume(id, { steer: 'Mind the gap.' });
    expect(await home.rest(id)).toMatchObject({ status: 'paused', steer: 'Mind the gap.' });
    await home.walker.resume(id);
    expect((await home.rest(id)).status).toBe('completed');
    expect((await home.prompts(id)).at(-1)?.args.at(-1)).toContain('Mind the gap.');
  });
});
