import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { EventRow } from '../../src/events/index.ts';
import type { GateAnswer } from '../../src/items/index.ts';
import { Home } from './home.ts';

const good = 'demo: write wanted.txt yes\ndemo: commit Add what was wanted';
const approve: GateAnswer = { verb: 'approve', gate: null, note: null, by: 'human' };
const rejectWith = (note: string): GateAnswer => ({ verb: 'reject', gate: null, note, node: null, by: 'human' });

/** An item of the default chain that waits at its gate. */
async function reachGate(home: Home, description = good): Promise<string> {
  const item = await home.run(description, { chain: 'default' });
  expect(item).toMatchObject({ status: 'needs_human', nextNode: 'local_review', stop: { kind: 'gate' } });
  return item.id;
}

async function gateEvents(home: Home, id: string): Promise<readonly (readonly [string, unknown])[]> {
  const of = (row: EventRow): boolean => /^(?:gate_|review_|reply_|run_forked|thread_)/.test(row.type);
  return (await home.events(id)).filter(of).map(({ type, payload }) => [type, payload] as const);
}

test('an item stops at its gate, holds no slot, names how to look and how to answer, and asks once', async () => {
  const home = await Home.open();
  home.policy = { ...home.policy, maxConcurrent: 1 };
  const id = await reachGate(home);

  const { stop } = await home.item(id);
  expect(stop?.reason).toContain('local_review');
  for (const command of [`view diff ${id}`, `item approve ${id}`, `item reject ${id} --note`]) {
    expect(stop?.remedy).toContain(command);
  }
  expect(await gateEvents(home, id)).toEqual([
    [
      'gate_requested',
      {
        node_id: 'local_review',
        gate: 'local_review',
        message: 'Look at the changes, then approve them or send them back with what is to be done.',
      },
    ],
  ]);
  expect(await home.eventTypes(id)).not.toContain('work_item_needs_human');
  for (const verb of ['retry', 'resume', 'pause', 'start'] as const) {
    await expect(home.walker[verb](id)).rejects.toMatchObject({
      code: 'KRAFT_ITEM_AT_GATE',
      remedy: expect.stringContaining(`kraft item approve ${id}`) as string,
    });
  }
  expect((await home.run('No change.')).status).not.toBe('queued');
});

test('an approved item goes on to its end, and approving it twice or at once is approving it once', async () => {
  const home = await Home.open();
  const id = await reachGate(home);

  await Promise.all([home.walker.reviews.answer(id, approve), home.walker.reviews.answer(id, approve)]);

  expect(await home.rest(id)).toMatchObject({ status: 'completed', stop: null });
  await home.walker.reviews.answer(id, approve);
  expect((await gateEvents(home, id)).map(([type]) => type)).toEqual(['gate_requested', 'gate_approved']);
  expect((await home.eventTypes(id)).slice(-4)).toEqual([
    'gate_approved',
    'work_item_resumed',
    'node_completed',
    'work_item_completed',
  ]);
});

test('an item that waits at no gate is not approved, and another gate than the one it waits at is named', async () => {
  const home = await Home.open();
  const { id } = await home.file(good, { chain: 'default' });
  await expect(home.walker.reviews.answer(id, approve)).rejects.toMatchObject({ code: 'KRAFT_ITEM_NOT_AT_GATE' });

  await home.walker.start(id);
  await home.rest(id);
  await expect(home.walker.reviews.answer(id, { ...approve, gate: 'other' })).rejects.toMatchObject({
    code: 'KRAFT_GATE_OTHER',
    remedy: expect.stringContaining('local_review') as string,
  });
});

test('a rejected item goes back, its agent reads the note and the open threads, and reaches the gate again', async () => {
  const home = await Home.open();
  const id = await reachGate(home);
  const { reviews } = home.walker;
  const asked = await reviews.comment(id, { file: './wanted.txt', line: 1, body: 'demo: write thread.txt read' });
  const settled = await reviews.comment(id, { file: 'wanted.txt', line: 2, body: 'demo: write settled.txt read' });
  await reviews.setStatus(settled.id, 'resolved');

  await reviews.answer(id, rejectWith('Add a note.\ndemo: write note.txt read\ndemo: commit Add the note'));

  const item = await home.rest(id);
  expect(item).toMatchObject({ status: 'needs_human', nextNode: 'local_review', attempt: 2, rejection: null });
  expect(readFileSync(home.worktree(id, 'note.txt'), 'utf8')).toBe('read\n');
  expect(existsSync(home.worktree(id, 'thread.txt'))).toBe(true);
  expect(existsSync(home.worktree(id, 'settled.txt'))).toBe(false);
  const events = await gateEvents(home, id);
  expect(events.map(([type]) => type)).toEqual([
    'gate_requested',
    'thread_updated',
    'thread_updated',
    'thread_updated',
    'review_submitted',
    'gate_rejected',
    'run_forked',
    'gate_requested',
  ]);
  expect(events[4]?.[1]).toMatchObject({ gate: 'local_review', outcome: 'request_changes', by: 'human' });
  expect(events[4]?.[1]).toMatchObject({ threads: [asked.id, settled.id] });
  expect(events[5]?.[1]).toMatchObject({ gate: 'local_review', node: 'implementation', by: 'human' });
  expect(events[6]?.[1]).toEqual({ path: 'implementation', attempt: 2, reopened: [] });

  await reviews.answer(id, approve);
  expect((await home.rest(id)).status).toBe('completed');
});

test('a rejection outlives the daemon: the next one gives its note to the agent', async () => {
  const home = await Home.open();
  const id = await reachGate(home);
  // So that the daemon ends before a slot is given.
  home.policy = { ...home.policy, maxConcurrent: 0 };
  await home.walker.reviews.answer(id, rejectWith('demo: write note.txt read'));
  await home.shutDown();

  home.policy = { ...home.policy, maxConcurrent: 1 };
  await home.boot();
  await home.walker.reattach();

  expect(await home.rest(id)).toMatchObject({ status: 'needs_human', nextNode: 'local_review', rejection: null });
  expect(existsSync(home.worktree(id, 'note.txt'))).toBe(true);
});

test('a daemon that ends between an approval and the end of the chain goes on behind the gate', async () => {
  const home = await Home.open();
  const id = await reachGate(home);
  // As left by a daemon that was killed right after the approval.
  await home.store.apply({
    itemId: id,
    item: { status: 'active', stop: null },
    events: [
      { event: { type: 'gate_approved', payload: { gate: 'local_review', by: 'human', note: null } }, nodeId: null },
    ],
    sessions: [],
    expectStatus: ['needs_human'],
  });
  await home.shutDown();

  await home.boot();
  await home.walker.reattach();

  expect((await home.rest(id)).status).toBe('completed');
});

test('a review records comments and that no agent answers them, or answers the gate as the two verbs do', async () => {
  const home = await Home.open();
  const id = await reachGate(home);
  const { reviews } = home.walker;
  const comment = { file: 'wanted.txt', line: 1, body: 'Why?' };
  await expect(reviews.review(id, { outcome: 'comment' })).rejects.toMatchObject({ code: 'KRAFT_REVIEW_EMPTY' });
  const thread = await reviews.comment(id, comment);
  expect(thread).toMatchObject({ draft: true, status: 'open', comments: [{ author: 'human', body: 'Why?' }] });

  const result = await reviews.review(id, { outcome: 'comment' });

  expect(result).toMatchObject({ threads: [thread.id], skipped: { payload: { reason: 'no_route' } } });
  expect((await gateEvents(home, id)).slice(-2)).toEqual([
    [
      'review_submitted',
      { review_id: result.reviewId, gate: 'local_review', outcome: 'comment', threads: [thread.id], by: 'human' },
    ],
    ['reply_agent_skipped', { gate: 'local_review', reason: 'no_route' }],
  ]);
  expect(await reviews.threads(id, { openOnly: true })).toMatchObject([{ id: thread.id, draft: false }]);

  const { frozen } = await home.item(id);
  expect(await home.walker.prompt(id)).not.toContain('kraft item progress');
  await giveNetwork(home, id);
  expect(await home.walker.prompt(id)).toContain('kraft item progress');
  await reviews.comment(id, comment);
  await reviews.review(id, { outcome: 'comment' });
  expect((await gateEvents(home, id)).at(-1)).toEqual([
    'reply_agent_skipped',
    { gate: 'local_review', reason: 'not_built' },
  ]);
  expect((await home.item(id)).status).toBe('needs_human');

  await setFrozen(home, id, frozen);
  const before = (await gateEvents(home, id)).length;
  await reviews.review(id, { outcome: 'request_changes', gate: null, note: 'demo: write note.txt x', node: null });
  await home.rest(id);
  await reviews.review(id, { outcome: 'approve', gate: 'local_review', note: 'Good.' });

  expect((await home.rest(id)).status).toBe('completed');
  expect((await gateEvents(home, id)).slice(before).map(([type]) => type)).toEqual([
    'review_submitted',
    'gate_rejected',
    'run_forked',
    'gate_requested',
    'review_submitted',
    'gate_approved',
  ]);
});

/** As an item is whose repository had a network when it was filed. */
async function giveNetwork(home: Home, id: string): Promise<void> {
  const frozen = JSON.parse((await home.item(id)).frozen) as { sandbox: object };
  await setFrozen(home, id, JSON.stringify({ ...frozen, sandbox: { ...frozen.sandbox, network: {} } }));
}

async function setFrozen(home: Home, id: string, frozen: string): Promise<void> {
  await home.store.apply({ itemId: id, item: { frozen }, events: [], sessions: [], expectStatus: null });
}

test('threads are answered, resolved and reopened, each change once, and found by the beginning of their id', async () => {
  const home = await Home.open();
  const { id } = await home.file(good);
  const { reviews } = home.walker;
  const thread = await reviews.comment(id, { file: 'a.txt', line: 3, body: 'One.' });

  await reviews.reply(thread.id.slice(0, 6), 'Two.');
  await reviews.setStatus(thread.id, 'resolved');
  await reviews.setStatus(thread.id, 'resolved');
  expect(await reviews.threads(id, { openOnly: true })).toEqual([]);
  const reopened = await reviews.setStatus(thread.id, 'open');

  expect(reopened.comments.map(({ body }) => body)).toEqual(['One.', 'Two.']);
  expect((await gateEvents(home, id)).map(([, payload]) => (payload as { change: string }).change)).toEqual([
    'opened',
    'replied',
    'resolved',
    'reopened',
  ]);
  await expect(reviews.reply('nothere', 'x')).rejects.toMatchObject({ code: 'KRAFT_THREAD_UNKNOWN' });
  await expect(reviews.comment(id, { file: '../a', line: 1, body: 'x' })).rejects.toMatchObject({
    code: 'KRAFT_REVIEW_PLACE_INVALID',
  });
  await expect(reviews.comment(id, { file: 'a', line: 0, body: 'x' })).rejects.toMatchObject({
    code: 'KRAFT_REVIEW_PLACE_INVALID',
  });
  await expect(reviews.comment(id, { file: 'a', line: 1, body: ' ' })).rejects.toMatchObject({
    code: 'KRAFT_REVIEW_TEXT_INVALID',
  });
});

test('a worker reports progress and replies to threads of its own item, while its session runs', async () => {
  const home = await Home.open();
  const { reviews, workers } = home.walker;
  const other = await home.file('Something else.');
  const foreign = await reviews.comment(other.id, { file: 'a', line: 1, body: 'Not yours.' });
  const { id } = await home.file(`demo: wait-for go\n${good}`);
  const draft = await reviews.comment(id, { file: 'a.txt', line: 1, body: 'Not yet.' });
  await home.walker.start(id);
  await home.until(id, 'worker_session_started');
  const [session] = await home.sessions(id);
  const who = { itemId: id, sessionId: session?.id ?? '' };

  await workers.progress(who, 1);
  await workers.progress(who, 1);
  await workers.progress(who, 2);
  for (const task of [0, 10_000, 1.5, Number.NaN]) {
    await expect(workers.progress(who, task)).rejects.toMatchObject({ code: 'KRAFT_PLAN_TASK_INVALID' });
  }
  expect(await workers.show(who)).toEqual({
    id,
    title: 'Change something',
    description: `demo: wait-for go\n${good}`,
    status: 'active',
    node: 'implementation',
    branch: (await home.item(id)).branch,
    attempt: 1,
    note: null,
    planTask: 2,
  });
  const reported = await workers.events(who, { afterSeq: 0, type: 'plan_progress' });
  expect(reported).toMatchObject([{ payload: { task: 1 } }, { work_item_id: id, payload: { task: 2 } }]);
  expect(await workers.events(who, { afterSeq: reported[0]?.seq ?? 0, type: 'plan_progress' })).toHaveLength(1);
  // Drafts are the person's own until they are submitted.
  expect(await workers.threads(who, { openOnly: false })).toEqual([]);
  const replyTo = (thread: string) => workers.reply(who, { thread, body: 'Done.', claim: 'fixed' });
  await expect(replyTo(draft.id)).rejects.toMatchObject({ code: 'KRAFT_THREAD_UNKNOWN' });
  await reviews.review(id, { outcome: 'comment' });
  await reviews.review(other.id, { outcome: 'comment' });
  await expect(replyTo(foreign.id)).rejects.toMatchObject({ code: 'KRAFT_THREAD_UNKNOWN' });
  await expect(replyTo(draft.id.slice(0, 7))).rejects.toMatchObject({ code: 'KRAFT_THREAD_UNKNOWN' });
  expect((await replyTo(draft.id)).comments.at(-1)).toMatchObject({ author: 'agent', body: 'Done.', claim: 'fixed' });
  await expect(
    workers.reply(who, { thread: draft.id, body: 'x'.repeat(16 * 1024 + 1), claim: null }),
  ).rejects.toMatchObject({ code: 'KRAFT_REVIEW_TEXT_INVALID' });
  for (const stranger of [
    { itemId: other.id, sessionId: who.sessionId },
    { itemId: id.slice(0, 7), sessionId: who.sessionId },
    { itemId: id, sessionId: 'nobody' },
  ]) {
    await expect(workers.show(stranger)).rejects.toMatchObject({ code: 'KRAFT_WORKER_CALL_REFUSED' });
    const all = { afterSeq: 0, type: null };
    await expect(workers.events(stranger, all)).rejects.toMatchObject({ code: 'KRAFT_WORKER_CALL_REFUSED' });
  }

  writeFileSync(home.worktree(id, 'go'), '');
  await home.rest(id);

  await expect(workers.progress(who, 3)).rejects.toMatchObject({ code: 'KRAFT_WORKER_CALL_REFUSED' });
  const progress = (await home.events(id)).filter((row) => row.type === 'plan_progress');
  expect(progress.map(({ payload, node_id: node }) => [payload, node])).toEqual([
    [{ node_id: 'implementation', task: 1, total: null, title: null }, 'implementation'],
    [{ node_id: 'implementation', task: 2, total: null, title: null }, 'implementation'],
  ]);
});
