import type { KraftError } from '../base/index.ts';
import type { Actor, KraftEvent } from '../events/index.ts';
import type { ItemDecision } from './decide.ts';
import { itemErrors } from './errors.ts';
import type { Item } from './item.ts';
import { refuseReviewText } from './thread.ts';

/** How the gates of an item's chain stand, the one that was moved last at the end; one never reached is not in it. */
export type Gates = ReadonlyMap<string, 'asked' | 'approved' | 'rejected' | 'reopened'>;

/** Null `gate`: whichever the item waits at. */
export type GateAnswer =
  | { readonly verb: 'approve'; readonly gate: string | null; readonly note: string | null; readonly by: Actor }
  | {
      readonly verb: 'reject';
      readonly gate: string | null;
      /** What is to be done, for the agents that follow. */
      readonly note: string;
      /** Exec node to go back to; null for the gate's own. */
      readonly node: string | null;
      readonly by: Actor;
    };

/** A node of the chain, as far as gates go. */
type GateNode =
  | { readonly kind: 'exec'; readonly id: string }
  | { readonly kind: 'gate'; readonly id: string; readonly rejectTo: string | null };

/** Gate at which the item waits for an answer; null when it does not. */
export function gateOf(item: Pick<Item, 'status' | 'stop' | 'nextNode'>): string | null {
  return item.status === 'needs_human' && item.stop?.kind === 'gate' ? item.nextNode : null;
}

/** Decides an answer to a gate on an item as it stands now; pure, and safe to ask twice. */
export function decideGate(
  item: Item,
  answer: GateAnswer,
  { nodes, gates }: { readonly nodes: readonly GateNode[]; readonly gates: Gates },
): ItemDecision {
  const note = answer.note === null ? null : refuseReviewText(answer.note);
  if (note !== null) return refuse(itemErrors.create('REVIEW_TEXT_INVALID', { what: 'note', why: note }));
  const waits = gateOf(item);
  if (waits === null) {
    return isAnswered(item, answer, gates) ? { kind: 'nothing' } : refuse(notAtGate(item));
  }
  if (answer.gate !== null && answer.gate !== waits) {
    return refuse(itemErrors.create('GATE_OTHER', { id: item.id, waits, named: answer.gate }));
  }
  return answer.verb === 'approve' ? approve(item, waits, answer) : reject(item, { gate: waits, answer, nodes, gates });
}

/** The second of two equal answers finds the first one's work under way. */
function isAnswered(item: Item, answer: GateAnswer, gates: Gates): boolean {
  if (item.status === 'needs_human' || item.status === 'abandoned') return false;
  const [gate, state] = [...gates].filter(([, each]) => each !== 'reopened').at(-1) ?? [null, null];
  if (answer.gate !== null && answer.gate !== gate) return false;
  if (answer.verb === 'approve') return state === 'approved';
  return state === 'rejected' && item.rejection?.note === answer.note;
}

function approve(item: Item, gate: string, { by, note }: Extract<GateAnswer, { verb: 'approve' }>): ItemDecision {
  return {
    kind: 'change',
    item: { status: 'queued', pauseRequested: false, stop: null },
    events: [
      { type: 'gate_approved', payload: { gate, by, note } },
      { type: 'work_item_resumed', payload: { by, verb: 'approve' } },
    ],
  };
}

interface Rejecting {
  readonly gate: string;
  readonly answer: Extract<GateAnswer, { verb: 'reject' }>;
  readonly nodes: readonly GateNode[];
  readonly gates: Gates;
}

function reject(item: Item, { gate, answer, nodes, gates }: Rejecting): ItemDecision {
  const at = nodes.findIndex(({ id }) => id === gate);
  const before = nodes.slice(0, Math.max(0, at)).flatMap((node) => (node.kind === 'exec' ? [node.id] : []));
  const own = nodes[at];
  const node = answer.node ?? (own?.kind === 'gate' ? own.rejectTo : null) ?? before.at(-1) ?? null;
  if (node === null || !before.includes(node)) {
    return refuse(itemErrors.create('REJECT_NODE_UNKNOWN', { gate, node, possible: before }));
  }
  const { by, note } = answer;
  const attempt = item.attempt + 1;
  const reopened = reopenedGates(nodes, node, gates);
  const events: KraftEvent[] = [
    { type: 'gate_rejected', payload: { gate, by, note, node } },
    { type: 'work_item_resumed', payload: { by, verb: 'reject' } },
    { type: 'run_forked', payload: { path: node, attempt, reopened } },
    ...reopened.map((each): KraftEvent => ({ type: 'gate_reopened', payload: { gate: each } })),
  ];
  return {
    kind: 'change',
    item: {
      status: 'queued',
      pauseRequested: false,
      stop: null,
      nextNode: node,
      enterAt: null,
      skipped: [],
      recovered: [],
      fixLoop: null,
      rejection: { gate, note },
      attempt,
    },
    events,
  };
}

/** Gates behind a node that were approved and have to be answered anew when the walk goes back to it. */
export function reopenedGates(
  nodes: readonly { readonly id: string; readonly kind: 'exec' | 'gate' }[],
  node: string,
  gates: Gates,
): readonly string[] {
  const from = nodes.findIndex(({ id }) => id === node);
  return nodes.slice(from + 1).flatMap(({ id, kind }) => (kind === 'gate' && gates.get(id) === 'approved' ? [id] : []));
}

function refuse(error: KraftError): ItemDecision {
  return { kind: 'refused', error };
}

function notAtGate(item: Item): KraftError {
  return itemErrors.create('ITEM_NOT_AT_GATE', {
    id: item.id,
    status: item.status,
    started: item.started,
    reason: item.stop?.reason ?? null,
  });
}
