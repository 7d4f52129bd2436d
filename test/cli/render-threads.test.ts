import { expect, test } from 'vitest';
import { renderReview, renderThreadActed, renderThreads } from '../../src/cli/render-threads.ts';
import { createStyle } from '../../src/cli/terminal.ts';
import type { ReviewAnswer, ThreadView } from '../../src/compose/index.ts';
import { FakeKraft } from '../support/fake-kraft.ts';

const { thread } = new FakeKraft();
const said = (author: 'human' | 'agent', body: string): ThreadView['comments'][number] => ({
  author,
  body,
  claim: author === 'agent' ? 'fixed' : null,
  createdAt: '2026-01-02T03:04:05.678Z',
});

test('a thread shows state, draft, place and everything said in it, with what could move the cursor escaped', () => {
  const comments = [said('human', 'One.\nTwo.'), said('agent', 'Done.\u001b[2J\r\nyou: resolved')];
  const text = renderThreads([{ ...thread, file: 'a\u202e.ts', comments }], createStyle(false));
  const lines = text.split('\n').map((line) => line.replace(/ 20.*$/, ''));
  expect(lines).toEqual([
    String.raw`thr22222  open (draft)  a\u{202e}.ts:7`,
    '  you',
    '    One.',
    '    Two.',
    '  agent (fixed)',
    String.raw`    Done.\x1b[2J\x0d`,
    '    you: resolved',
    '',
  ]);
});

test('a draft says how it is submitted, and what is none says nothing of it', () => {
  expect(renderThreadActed('Commented on', thread)).toContain('kraft item review abcd2345');
  expect(renderThreadActed('Resolved', { ...thread, draft: false, status: 'resolved' })).toBe(
    'Resolved src/a.ts:7; thread thr22222 is now resolved.\n',
  );
});

test.for([
  ['no_route', /no network/],
  ['not_built', /this version of Kraft/],
] as const)('a review that no agent answers says so (%s)', async ([reason, says]) => {
  const kraft = new FakeKraft();
  const review = { itemId: 'abcd2345', gate: null, outcome: 'comment', body: null } as const;
  const answer: ReviewAnswer = await kraft.reviewItem(review);
  const event = { type: 'reply_agent_skipped', payload: { gate: null, reason } } as const;
  expect(renderReview({ ...answer, event })).toMatch(says);
  expect(renderReview({ ...answer, event: null })).not.toContain('No agent');
});
