import type { Actor, ThreadUpdated } from '../events/index.ts';
import {
  commentsMax,
  itemErrors,
  normaliseFile,
  refuseReviewText,
  threadsMax,
  type Claim,
  type GateAnswer,
  type Item,
  type Thread,
  type ThreadView,
} from '../items/index.ts';
import type { ReviewChange } from '../store/index.ts';
import { answerGate, submitComments, type ReviewResult } from './answer-gate.ts';
import type { WalkPorts } from './ports.ts';
import type { VerbContext } from './verbs.ts';

/** Runs one thing after the other on the same item; the item as stored when its turn comes. */
export type InTurn = <T>(id: string, body: (item: Item) => Promise<T>) => Promise<T>;

export type ReviewRequest =
  | { readonly outcome: 'comment' }
  | { readonly outcome: 'approve'; readonly gate: string | null; readonly note: string | null }
  | {
      readonly outcome: 'request_changes';
      readonly gate: string | null;
      readonly note: string;
      readonly node: string | null;
    };

/** Gates and threads of items, as a person answers them. Ids may be prefixes. */
export interface Reviews {
  /** Answers a gate, twice alike as once. Errors: ITEM_NOT_AT_GATE, GATE_OTHER, REJECT_NODE_UNKNOWN, REVIEW_TEXT_INVALID. */
  answer(id: string, answer: GateAnswer): Promise<Item>;
  /** Submits the drafts; what is no mere comment answers the gate as well. Errors: as `answer`, REVIEW_EMPTY. */
  review(id: string, request: ReviewRequest): Promise<ReviewResult>;
  /** Opens a thread as a draft. Errors: REVIEW_PLACE_INVALID, REVIEW_TEXT_INVALID, REVIEW_FULL, ITEM_ENDED. */
  comment(
    id: string,
    comment: { readonly file: string; readonly line: number; readonly body: string },
  ): Promise<ThreadView>;
  /** Errors: THREAD_UNKNOWN, THREAD_AMBIGUOUS, REVIEW_TEXT_INVALID, REVIEW_FULL. */
  reply(threadId: string, body: string): Promise<ThreadView>;
  setStatus(threadId: string, status: Thread['status']): Promise<ThreadView>;
  threads(id: string, filter: { readonly openOnly: boolean }): Promise<readonly ThreadView[]>;
}

export function openReviews(context: VerbContext, inTurn: InTurn): Reviews {
  const { ports } = context;
  const onThread = async (
    typed: string,
    body: (item: Item, thread: ThreadView) => Promise<void>,
  ): Promise<ThreadView> => {
    const { itemId, id } = pickThread(typed, await ports.store.findThreads(typed));
    return inTurn(itemId, async (item) => {
      await body(item, await readThread(ports, itemId, id));
      return readThread(ports, itemId, id);
    });
  };
  return {
    answer: (id, answer) =>
      inTurn(id, async (item) => {
        await answerGate(context, item, { answer, isReview: false });
        return (await ports.store.getItem(item.id)) ?? item;
      }),
    review: (id, request) =>
      inTurn(id, (item) =>
        request.outcome === 'comment'
          ? submitComments(ports, item)
          : answerGate(context, item, { answer: answerOf(request), isReview: true }),
      ),
    comment: (id, comment) => inTurn(id, (item) => openThread(ports, item, comment)),
    reply: (typed, body) =>
      onThread(typed, (item, thread) => addReply(ports, { item, thread, body, by: 'human', claim: null })),
    setStatus: (typed, status) => onThread(typed, (item, thread) => setStatus(ports, { item, thread, status })),
    threads: (id, { openOnly }) =>
      inTurn(id, async (item) =>
        (await ports.store.listThreads(item.id)).filter((thread) => !openOnly || thread.status === 'open'),
      ),
  };
}

function answerOf(request: Exclude<ReviewRequest, { readonly outcome: 'comment' }>): GateAnswer {
  const { gate } = request;
  return request.outcome === 'approve'
    ? { verb: 'approve', gate, note: request.note, by: 'human' }
    : { verb: 'reject', gate, note: request.note, node: request.node, by: 'human' };
}

/** The threads that the agents behind a rejection are told of: open, and submitted by a review. */
export async function listOpenThreads(
  { store }: Pick<WalkPorts, 'store'>,
  item: Pick<Item, 'id' | 'rejection'>,
): Promise<readonly ThreadView[]> {
  if (item.rejection === null) return [];
  return (await store.listThreads(item.id)).filter(({ status, draft }) => status === 'open' && !draft);
}

async function openThread(
  ports: WalkPorts,
  item: Item,
  { file: typed, line, body }: Parameters<Reviews['comment']>[1],
): Promise<ThreadView> {
  if (item.status === 'abandoned') {
    throw itemErrors.create('ITEM_ENDED', { id: item.id, status: item.status, verb: 'be commented on' });
  }
  const file = normaliseFile(typed);
  if (file === null || !Number.isInteger(line) || line < 1 || line > lineMax) {
    throw itemErrors.create('REVIEW_PLACE_INVALID', { place: `${typed}:${line}` });
  }
  checkText('comment', body);
  if ((await ports.store.listThreads(item.id)).length >= threadsMax) {
    throw itemErrors.create('REVIEW_FULL', { what: `item ${item.id}`, max: threadsMax, of: 'threads' });
  }
  const id = ports.ids.itemId();
  const thread = { id, itemId: item.id, file, line, status: 'open', draft: true } as const;
  await ports.store.applyReview({
    ...changeOf(item, { thread, change: 'opened', by: 'human', claim: null }),
    comments: [{ threadId: id, author: 'human', body, claim: null }],
  });
  return readThread(ports, item.id, id);
}

const lineMax = 9_999_999;

/** Adds a reply of a person or of a worker. Errors: REVIEW_TEXT_INVALID, REVIEW_FULL. */
export async function addReply(
  ports: Pick<WalkPorts, 'store'>,
  {
    item,
    thread,
    body,
    by,
    claim,
  }: {
    readonly item: Item;
    readonly thread: ThreadView;
    readonly body: string;
    readonly by: Actor;
    readonly claim: Claim | null;
  },
): Promise<void> {
  checkText('reply', body);
  if (thread.comments.length >= commentsMax) {
    throw itemErrors.create('REVIEW_FULL', { what: `thread ${thread.id}`, max: commentsMax, of: 'comments' });
  }
  await ports.store.applyReview({
    ...changeOf(item, { thread, change: 'replied', by, claim }),
    comments: [{ threadId: thread.id, author: by, body, claim }],
  });
}

async function setStatus(
  ports: WalkPorts,
  { item, thread, status }: { readonly item: Item; readonly thread: ThreadView; readonly status: Thread['status'] },
): Promise<void> {
  if (thread.status === status) return;
  const change = status === 'open' ? 'reopened' : 'resolved';
  await ports.store.applyReview(changeOf(item, { thread: { ...thread, status }, change, by: 'human', claim: null }));
}

function checkText(what: 'comment' | 'reply', text: string): void {
  const why = refuseReviewText(text);
  if (why !== null) throw itemErrors.create('REVIEW_TEXT_INVALID', { what, why });
}

function pickThread(typed: string, matches: readonly Thread[]): Thread {
  const [first, second] = matches;
  const exact = matches.find(({ id }) => id === typed);
  if (exact !== undefined) return exact;
  if (first === undefined || typed === '') throw itemErrors.create('THREAD_UNKNOWN', { thread: typed });
  if (second === undefined) return first;
  throw itemErrors.create('THREAD_AMBIGUOUS', { thread: typed, matches: matches.slice(0, 5).map(({ id }) => id) });
}

/** Errors: THREAD_UNKNOWN, also for a thread of another item. */
export async function readThread(
  { store }: Pick<WalkPorts, 'store'>,
  itemId: string,
  threadId: string,
): Promise<ThreadView> {
  const thread = (await store.listThreads(itemId)).find(({ id }) => id === threadId);
  if (thread === undefined) throw itemErrors.create('THREAD_UNKNOWN', { thread: threadId });
  return thread;
}

function changeOf(
  item: Item,
  {
    thread,
    change,
    by,
    claim,
  }: {
    readonly thread: Omit<Thread, 'createdAt' | 'updatedAt'>;
    readonly change: ThreadUpdated['payload']['change'];
    readonly by: Actor;
    readonly claim: Claim | null;
  },
): ReviewChange {
  const { id, file, line, status } = thread;
  return {
    itemId: item.id,
    item: {},
    events: [
      {
        event: { type: 'thread_updated', payload: { thread: id, file, line, status, change, by, claim } },
        nodeId: null,
      },
    ],
    sessions: [],
    threads: [thread],
    comments: [],
    expectStatus: null,
  };
}
