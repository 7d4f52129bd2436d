import { expect, test } from 'vitest';
import { createReviewKraft } from '../../src/compose/review-kraft.ts';

test('a review that only comments takes no words of its own: a comment stands at a place', async () => {
  const asked: unknown[] = [];
  const reviews = { review: (...all: unknown[]) => Promise.resolve(asked.push(all)) };
  const kraft = createReviewKraft({ reviews: reviews as never, workers: {} as never }, () =>
    Promise.reject(new Error()),
  );

  await expect(
    kraft.reviewItem({ itemId: 'abcd2345', outcome: 'comment', gate: null, body: 'Nice.' }),
  ).rejects.toMatchObject({ code: 'KRAFT_COMMENT_NEEDS_PLACE', remedy: expect.stringContaining('abcd2345') as string });
  expect(asked).toEqual([]);
});
