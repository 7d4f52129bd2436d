import type { ReplyAgentSkipped, ReviewSubmitted } from '../events/index.ts';
import { itemErrors, type Thread, type ThreadView, type WorkerCalls } from '../items/index.ts';
import type { Reviews, ReviewRequest } from '../walk/index.ts';
import type { ItemView } from './kraft.ts';

/** What a review did, and that no agent answers it. */
export interface ReviewAnswer {
  /** Null when the same answer had been given before and nothing was submitted. */
  readonly reviewId: string | null;
  /** Ids of the threads that were drafts until now. */
  readonly threads: readonly string[];
  readonly reply_agent: false;
  /** The event that says why; null for what asks for no answer. */
  readonly event: ReplyAgentSkipped | null;
  readonly view: ItemView;
}

export type ReviewOutcome = ReviewSubmitted['payload']['outcome'];

/** Gates and threads of items. Null `gate`: the one that the item waits at. */
export interface ReviewKraft {
  approveGate(answer: {
    readonly itemId: string;
    readonly gate: string | null;
    readonly note: string | null;
  }): Promise<ItemView>;
  /** `node`: where the item goes back to, null for what the gate says. */
  rejectGate(answer: {
    readonly itemId: string;
    readonly gate: string | null;
    readonly note: string;
    readonly node: string | null;
  }): Promise<ItemView>;
  /** `body` is the gate's note; a mere comment has none. Errors: as the gate's verbs, REVIEW_EMPTY, COMMENT_NEEDS_PLACE. */
  reviewItem(review: {
    readonly itemId: string;
    readonly gate: string | null;
    readonly outcome: ReviewOutcome;
    readonly body: string | null;
  }): Promise<ReviewAnswer>;
  /** Opens a thread as a draft: a review, an approval or a rejection submits it. */
  commentItem(comment: {
    readonly itemId: string;
    readonly file: string;
    readonly line: number;
    readonly body: string;
  }): Promise<ThreadView>;
  /** `threadId` may be a prefix. */
  replyThread(reply: { readonly threadId: string; readonly body: string }): Promise<ThreadView>;
  setThread(change: { readonly threadId: string; readonly status: Thread['status'] }): Promise<ThreadView>;
  threads(query: { readonly itemId: string; readonly openOnly: boolean }): Promise<readonly ThreadView[]>;
  /**
   * What a worker asks over its own channel, which says who it is; a person's front door does not serve it. Bound to the
   * item and to the running session of the identity.
   */
  readonly worker: WorkerCalls;
}

/** That part of the facade over an opened walker. */
export function createReviewKraft(
  { reviews, workers }: { readonly reviews: Reviews; readonly workers: WorkerCalls },
  view: (itemId: string) => Promise<ItemView>,
): ReviewKraft {
  return {
    approveGate: async ({ itemId, gate, note }) =>
      view((await reviews.answer(itemId, { verb: 'approve', gate, note, by: 'human' })).id),
    rejectGate: async ({ itemId, gate, note, node }) =>
      view((await reviews.answer(itemId, { verb: 'reject', gate, note, node, by: 'human' })).id),
    reviewItem: async ({ itemId, ...review }) => {
      const { reviewId, threads, skipped } = await reviews.review(itemId, toRequest(itemId, review));
      return { reviewId, threads, reply_agent: false, event: skipped, view: await view(itemId) };
    },
    commentItem: ({ itemId, ...comment }) => reviews.comment(itemId, comment),
    replyThread: ({ threadId, body }) => reviews.reply(threadId, body),
    setThread: ({ threadId, status }) => reviews.setStatus(threadId, status),
    threads: ({ itemId, openOnly }) => reviews.threads(itemId, { openOnly }),
    worker: workers,
  };
}

function toRequest(
  id: string,
  { outcome, gate, body }: Omit<Parameters<ReviewKraft['reviewItem']>[0], 'itemId'>,
): ReviewRequest {
  switch (outcome) {
    case 'comment':
      if (body !== null || gate !== null) throw itemErrors.create('COMMENT_NEEDS_PLACE', { id });
      return { outcome };
    case 'approve':
      return { outcome, gate, note: body };
    case 'request_changes':
      return { outcome, gate, note: body ?? '', node: null };
  }
}

/** The same over a facade that is not there yet. */
export function dormantReviewKraft(whole: () => Promise<ReviewKraft>): ReviewKraft {
  return {
    approveGate: async (answer) => (await whole()).approveGate(answer),
    rejectGate: async (answer) => (await whole()).rejectGate(answer),
    reviewItem: async (review) => (await whole()).reviewItem(review),
    commentItem: async (comment) => (await whole()).commentItem(comment),
    replyThread: async (reply) => (await whole()).replyThread(reply),
    setThread: async (change) => (await whole()).setThread(change),
    threads: async (query) => (await whole()).threads(query),
    worker: {
      progress: async (who, task) => (await whole()).worker.progress(who, task),
      retry: async (who, steer) => (await whole()).worker.retry(who, steer),
      reply: async (who, reply) => (await whole()).worker.reply(who, reply),
      show: async (who) => (await whole()).worker.show(who),
      threads: async (who, filter) => (await whole()).worker.threads(who, filter),
      events: async (who, query) => (await whole()).worker.events(who, query),
    },
  };
}
