import type { ItemView, ReviewAnswer, ReviewKraft, ThreadView } from '../compose/index.ts';
import type { DaemonClient } from '../daemon-client/index.ts';

/** Gates and threads of the facade, spelled as requests. */
export function createRemoteReviews(client: DaemonClient): Omit<ReviewKraft, 'worker'> {
  const gate = <T>(
    answer: 'approve' | 'reject' | 'review',
    { itemId, gate: named }: { readonly itemId: string; readonly gate: string | null },
    body: Readonly<Record<string, unknown>>,
  ): Promise<T> => client.send<T>('itemGate', { params: { id: itemId, gate: named ?? '-', answer }, body });
  return {
    approveGate: (answer) => gate<ItemView>('approve', answer, { note: answer.note }),
    rejectGate: (answer) => gate<ItemView>('reject', answer, { note: answer.note, node: answer.node }),
    reviewItem: (review) => gate<ReviewAnswer>('review', review, { outcome: review.outcome, body: review.body }),
    commentItem: ({ itemId, ...body }) => client.send<ThreadView>('itemComment', { params: { id: itemId }, body }),
    replyThread: ({ threadId, body }) =>
      client.send<ThreadView>('threadReply', { params: { thread: threadId }, body: { body } }),
    setThread: ({ threadId, status }) =>
      client.send<ThreadView>('threadChange', {
        params: { thread: threadId, change: status === 'open' ? 'reopen' : 'resolve' },
      }),
    threads: ({ itemId, openOnly }) =>
      client.send<readonly ThreadView[]>('itemThreads', { params: { id: itemId }, query: { open: openOnly } }),
  };
}
