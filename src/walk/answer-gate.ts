import type { KraftEvent, ReplyAgentSkipped, ReviewSubmitted } from '../events/index.ts';
import { decideGate, gateOf, itemErrors, type GateAnswer, type Item, type ThreadView } from '../items/index.ts';
import type { ReviewChange } from '../store/index.ts';
import { thaw } from './frozen.ts';
import { readGates } from './gate.ts';
import { hasRoute } from './has-route.ts';
import type { WalkPorts } from './ports.ts';
import type { VerbContext } from './verbs.ts';

type Outcome = ReviewSubmitted['payload']['outcome'];

/** What a review did. */
export interface ReviewResult {
  /** Null when nothing was submitted: an answer without drafts, or one that had been given before. */
  readonly reviewId: string | null;
  /** Ids of the threads that were drafts until now. */
  readonly threads: readonly string[];
  /** Why no agent answers it; null for what asks for no answer. */
  readonly skipped: ReplyAgentSkipped | null;
}

const nothingDone: ReviewResult = { reviewId: null, threads: [], skipped: null };

/**
 * Answers the gate at which an item waits, and takes the drafts of its threads along. `isReview`: it counts as a review
 * also without drafts. Errors: what the decision refuses.
 */
export async function answerGate(
  { ports, slots }: VerbContext,
  item: Item,
  { answer, isReview }: { readonly answer: GateAnswer; readonly isReview: boolean },
): Promise<ReviewResult> {
  const gates = await readGates(ports.store, item.id);
  const decision = decideGate(item, answer, { nodes: thaw(item).chain.nodes, gates });
  if (decision.kind === 'refused') throw decision.error;
  if (decision.kind !== 'change') return nothingDone;
  const drafts = await listDrafts(ports, item);
  const outcome: Outcome = answer.verb === 'approve' ? 'approve' : 'request_changes';
  const review = drafts.length > 0 || isReview ? submitted(ports, item, { outcome, drafts, by: answer.by }) : null;
  await ports.store.applyReview({
    ...changeOf(item, [...(review === null ? [] : [review]), ...decision.events], drafts),
    item: decision.item,
  });
  await slots.pump();
  return { reviewId: review?.payload.review_id ?? null, threads: drafts.map(({ id }) => id), skipped: null };
}

/**
 * Submits the drafts as comments, which answer no gate. Who would answer them, an agent beside the walk, is not there
 * (CC 6.8 reply_agent_skipped). Errors: REVIEW_EMPTY.
 */
export async function submitComments(ports: WalkPorts, item: Item): Promise<ReviewResult> {
  const drafts = await listDrafts(ports, item);
  if (drafts.length === 0) throw itemErrors.create('REVIEW_EMPTY', { id: item.id });
  const review = submitted(ports, item, { outcome: 'comment', drafts, by: 'human' });
  const skipped: ReplyAgentSkipped = {
    type: 'reply_agent_skipped',
    payload: { gate: gateOf(item), reason: hasRoute(thaw(item).repo) ? 'not_built' : 'no_route' },
  };
  await ports.store.applyReview(changeOf(item, [review, skipped], drafts));
  return { reviewId: review.payload.review_id, threads: drafts.map(({ id }) => id), skipped };
}

async function listDrafts(ports: WalkPorts, item: Item): Promise<readonly ThreadView[]> {
  return (await ports.store.listThreads(item.id)).filter(({ draft }) => draft);
}

function submitted(
  ports: WalkPorts,
  item: Item,
  {
    outcome,
    drafts,
    by,
  }: { readonly outcome: Outcome; readonly drafts: readonly ThreadView[]; readonly by: GateAnswer['by'] },
): ReviewSubmitted {
  return {
    type: 'review_submitted',
    payload: {
      review_id: ports.ids.itemId(),
      gate: gateOf(item),
      outcome,
      threads: drafts.map(({ id }) => id),
      by,
    },
  };
}

function changeOf(item: Item, events: readonly KraftEvent[], drafts: readonly ThreadView[]): ReviewChange {
  return {
    itemId: item.id,
    item: {},
    events: events.map((event) => ({ event, nodeId: gateOf(item) })),
    sessions: [],
    threads: drafts.map((thread) => ({ ...thread, draft: false })),
    comments: [],
    expectStatus: [item.status],
  };
}
