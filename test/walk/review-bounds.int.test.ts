import { expect, test } from 'vitest';
import { sampleSession } from '../support/sample-item.ts';
import { Home } from './home.ts';

test('a thread takes a bounded number of comments, and the beginning of an id that several share is named', async () => {
  const home = await Home.open();
  const { id } = await home.file('');
  const { reviews } = home.walker;
  // One more than there are first letters.
  for (let count = 0; count < 37; count += 1) await reviews.comment(id, { file: 'README', line: 1, body: 'Look.' });

  const threads = await reviews.threads(id, { openOnly: false });
  await expect(fillUp(() => reviews.reply(threads[0]?.id ?? '', 'And here.'))).resolves.toMatchObject({
    code: 'KRAFT_REVIEW_FULL',
  });
  const letters = threads.map((thread) => thread.id.slice(0, 1));
  const shared = letters.find((letter, index) => letters.indexOf(letter) !== index) ?? '';
  await expect(reviews.setStatus(shared, 'resolved')).rejects.toMatchObject({
    code: 'KRAFT_THREAD_AMBIGUOUS',
    message: expect.stringContaining(threads.find((thread) => thread.id.startsWith(shared))?.id ?? '') as string,
  });
  expect((await reviews.threads(id, { openOnly: false })).every(({ status }) => status === 'open')).toBe(true);
});

test('a worker reports a bounded number of times, so that it cannot fill the store', async () => {
  const home = await Home.open();
  const { id } = await home.file('');
  await home.store.apply({
    itemId: id,
    item: {},
    events: [],
    sessions: [sampleSession({ itemId: id, status: 'running' })],
    expectStatus: null,
  });
  let task = 0;

  const refusal = await fillUp(() => home.walker.workers.progress({ itemId: id, sessionId: 's1' }, ++task));

  expect(refusal).toMatchObject({ code: 'KRAFT_WORKER_CALLS_FULL' });
  expect((await home.eventTypes(id)).filter((type) => type === 'plan_progress')).toHaveLength(task - 1);
});

/** Asks until it is refused, a thousand times at most; answers the refusal. */
async function fillUp(ask: () => Promise<unknown>): Promise<unknown> {
  for (let times = 0; times < 1000; times += 1) {
    try {
      await ask();
    } catch (error) {
      return error;
    }
  }
  return 'never refused';
}
