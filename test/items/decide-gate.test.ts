import { describe, expect, test } from 'vitest';
import {
  decideGate,
  gateOf,
  normaliseFile,
  refuseReviewText,
  reopenedGates,
  type GateAnswer,
  type Gates,
  type Item,
  type ItemDecision,
} from '../../src/items/index.ts';
import { sampleItem } from '../support/sample-item.ts';

const nodes = [
  { kind: 'exec', id: 'plan' },
  { kind: 'gate', id: 'plan_approval', rejectTo: 'plan' },
  { kind: 'exec', id: 'implementation' },
  { kind: 'exec', id: 'verification' },
  { kind: 'gate', id: 'local_review', rejectTo: null },
  { kind: 'exec', id: 'afterwards' },
] as const;

const approve: GateAnswer = { verb: 'approve', gate: null, note: null, by: 'human' };
const reject: GateAnswer = { verb: 'reject', gate: null, note: 'Rename it.', node: null, by: 'human' };

function atGate(gate: string, more: Partial<Item> = {}): Item {
  return sampleItem({
    status: 'needs_human',
    started: true,
    nextNode: gate,
    stop: { kind: 'gate', code: null, reason: 'asks', remedy: '', sessionId: null, facts: { gate } },
    ...more,
  });
}

const states = (...entries: [string, 'asked' | 'approved' | 'rejected' | 'reopened'][]): Gates => new Map(entries);
const asked = states(['plan_approval', 'approved'], ['local_review', 'asked']);

function changeOf(decision: ItemDecision): Extract<ItemDecision, { kind: 'change' }> {
  if (decision.kind !== 'change') throw new Error(`the decision was ${decision.kind}`);
  return decision;
}

function refusalOf(decision: ItemDecision): string {
  return decision.kind === 'refused' ? decision.error.code : decision.kind;
}

describe('an answer to a gate', () => {
  test('approves it and queues the item where it stands', () => {
    const { item, events } = changeOf(decideGate(atGate('local_review'), approve, { nodes, gates: asked }));
    expect(item).toEqual({ status: 'queued', pauseRequested: false, stop: null });
    expect(events).toEqual([
      { type: 'gate_approved', payload: { gate: 'local_review', by: 'human', note: null } },
      { type: 'work_item_resumed', payload: { by: 'human', verb: 'approve' } },
    ]);
  });

  test('rejects it: the item goes back to the nearest exec node, with the note and as a new attempt', () => {
    const item = atGate('local_review', { skipped: ['verification'], recovered: ['verification'], enterAt: 'x' });
    const decision = changeOf(decideGate(item, reject, { nodes, gates: asked }));
    expect(decision.item).toEqual({
      status: 'queued',
      pauseRequested: false,
      stop: null,
      nextNode: 'verification',
      enterAt: null,
      skipped: [],
      recovered: [],
      fixLoop: null,
      rejection: { gate: 'local_review', note: 'Rename it.' },
      attempt: 2,
    });
    expect(decision.events.map(({ type }) => type)).toEqual(['gate_rejected', 'work_item_resumed', 'run_forked']);
  });

  test('goes back to the gate’s reject_to, and with --node elsewhere, where approved gates behind it are reopened', () => {
    const plan = changeOf(decideGate(atGate('plan_approval'), reject, { nodes, gates: states() }));
    expect(plan.item.nextNode).toBe('plan');
    const { item, events } = changeOf(
      decideGate(atGate('local_review'), { ...reject, node: 'plan' }, { nodes, gates: asked }),
    );
    expect(item.nextNode).toBe('plan');
    expect(events.slice(2)).toEqual([
      { type: 'run_forked', payload: { path: 'plan', attempt: 2, reopened: ['plan_approval'] } },
      { type: 'gate_reopened', payload: { gate: 'plan_approval' } },
    ]);
  });

  test.for<[string, GateAnswer, string]>([
    ['a node behind the gate', { ...reject, node: 'afterwards' }, 'KRAFT_REJECT_NODE_UNKNOWN'],
    ['a gate', { ...reject, node: 'plan_approval' }, 'KRAFT_REJECT_NODE_UNKNOWN'],
    ['another gate', { ...approve, gate: 'plan_approval' }, 'KRAFT_GATE_OTHER'],
    ['a note of nothing', { ...reject, note: ' \n\u200b' }, 'KRAFT_REVIEW_TEXT_INVALID'],
    ['a note without measure', { ...reject, note: 'é'.repeat(8 * 1024 + 1) }, 'KRAFT_REVIEW_TEXT_INVALID'],
  ])('is refused when it names %s', ([, answer, code]) => {
    expect(refusalOf(decideGate(atGate('local_review'), answer, { nodes, gates: asked }))).toBe(code);
  });

  test('given twice is given once', () => {
    const approved = states(['local_review', 'approved']);
    for (const status of ['queued', 'active', 'completed'] as const) {
      expect(decideGate(sampleItem({ status }), approve, { nodes, gates: approved }).kind).toBe('nothing');
    }
    const rejection = { gate: 'local_review', note: 'Rename it.' };
    const rejected = states(['plan_approval', 'reopened'], ['local_review', 'rejected']);
    expect(decideGate(sampleItem({ status: 'active', rejection }), reject, { nodes, gates: rejected }).kind).toBe(
      'nothing',
    );
    const other = { ...reject, note: 'Something else.' };
    expect(refusalOf(decideGate(sampleItem({ status: 'active', rejection }), other, { nodes, gates: rejected }))).toBe(
      'KRAFT_ITEM_NOT_AT_GATE',
    );
    expect(refusalOf(decideGate(sampleItem({ status: 'active' }), reject, { nodes, gates: approved }))).toBe(
      'KRAFT_ITEM_NOT_AT_GATE',
    );
  });

  test.for<[string, Partial<Item>, string]>([
    ['paused before its start', { status: 'paused' }, 'kraft item start abcd2345'],
    ['paused', { status: 'paused', started: true }, 'kraft item resume abcd2345'],
    ['running', { status: 'active' }, 'kraft view show abcd2345'],
  ])('is refused for an item that is %s, which names what the item waits for', ([, more, remedy]) => {
    const decision = decideGate(sampleItem(more), approve, { nodes, gates: states() });
    expect(decision).toMatchObject({ kind: 'refused', error: { code: 'KRAFT_ITEM_NOT_AT_GATE' } });
    expect(decision.kind === 'refused' ? decision.error.remedy : '').toContain(remedy);
  });

  test('is refused for an item that stopped over something else, with the reason of that', () => {
    const stop = { kind: 'failed', code: null, reason: 'Tests fail.', remedy: '', sessionId: null, facts: {} } as const;
    const item = sampleItem({ status: 'needs_human', stop });
    expect(gateOf(item)).toBeNull();
    const decision = decideGate(item, approve, { nodes, gates: states(['plan_approval', 'approved']) });
    expect(decision.kind === 'refused' ? `${decision.error.message} ${decision.error.remedy}` : '').toMatch(
      /Tests fail\..*kraft item retry/,
    );
  });
});

test('gates that were approved behind a node are reopened, those before it and those not reached are not', () => {
  const gates = states(['plan_approval', 'approved'], ['local_review', 'approved']);
  expect(reopenedGates(nodes, 'implementation', gates)).toEqual(['local_review']);
  expect(reopenedGates(nodes, 'plan', states(['plan_approval', 'asked']))).toEqual([]);
});

test.for<[string, string | null]>([
  ['src/a.ts', 'src/a.ts'],
  ['./src//a.ts', 'src/a.ts'],
  ['a b/ü', 'a b/ü'],
  ['.github/x', '.github/x'],
  ['../a', null],
  ['a/../../b', null],
  ['a/..', null],
  ['/etc/passwd', null],
  ['.git/config', null],
  ['a/.GIT/x', null],
  ['a\nb', null],
  ['a\u0000', null],
  ['a/', null],
  ['.', null],
  ['', null],
  ['x'.repeat(5000), null],
])('%j is the file %j of a repository', ([typed, file]) => {
  expect(normaliseFile(typed)).toBe(file);
});

test('a text of 16 KiB is taken, a longer one and one of nothing to see are refused', () => {
  expect(refuseReviewText('x'.repeat(16 * 1024))).toBeNull();
  expect(refuseReviewText('x'.repeat(16 * 1024 + 1))).toContain('longer than 16 KiB');
  expect(refuseReviewText('\u200b \n')).toBe('it is empty');
});
