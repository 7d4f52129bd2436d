import type { GateNode } from '../chain/index.ts';
import type { EventRow } from '../events/index.ts';
import type { Gates } from '../items/index.ts';
import type { Store } from '../store/index.ts';
import type { WalkPorts } from './ports.ts';
import type { Run } from './run.ts';
import { Stopped } from './stops.ts';

const usualQuestion = 'Look at the changes, then approve them or send them back.';

/**
 * A gate of the chain: lets an approved item through, and stops any other for a person. A rejection that led here has
 * done its work once its gate is reached again. Errors: Stopped of kind `gate`, whose event is `gate_requested`.
 */
export async function walkGate(
  ports: Pick<WalkPorts, 'store'>,
  run: Run,
  { node }: { readonly node: GateNode },
): Promise<void> {
  const item = await run.item();
  const answered = await readGates(ports.store, item.id);
  if (answered.get(node.id) === 'approved') return;
  if (item.rejection?.gate === node.id) await run.record({ item: { rejection: null } });
  const message = node.message ?? usualQuestion;
  throw new Stopped({
    kind: 'gate',
    code: null,
    reason: `The gate ${node.id} waits for you: ${message}`,
    remedy:
      `Look with \`kraft view diff ${item.id}\`, then run \`kraft item approve ${item.id}\` or ` +
      `\`kraft item reject ${item.id} --note '…'\`.`,
    sessionId: null,
    facts: { gate: node.id, message },
  });
}

type GateState = Gates extends ReadonlyMap<string, infer State> ? State : never;

type GateEvent = Extract<
  EventRow,
  { readonly type: 'gate_requested' | 'gate_approved' | 'gate_rejected' | 'gate_reopened' }
>;

const stateAfter: Readonly<Record<GateEvent['type'], GateState>> = {
  gate_requested: 'asked',
  gate_approved: 'approved',
  gate_rejected: 'rejected',
  gate_reopened: 'reopened',
};

/** What is recorded of the gates, by the last event of each. The last gate that was moved is the map's last entry. */
export async function readGates(store: Store, itemId: string): Promise<Gates> {
  const rows = await Promise.all(
    (Object.keys(stateAfter) as GateEvent['type'][]).map((type) => readAll(store, itemId, type)),
  );
  const gates = new Map<string, GateState>();
  for (const row of rows.flat().sort((one, other) => one.seq - other.seq)) {
    gates.delete(row.payload.gate);
    gates.set(row.payload.gate, stateAfter[row.type]);
  }
  return gates;
}

/** Paths that were passed over since the item's chain was last entered anew, in their order. */
export async function listPassed(store: Store, itemId: string): Promise<readonly string[]> {
  const [forks, nodes, parts] = await Promise.all([
    readAll(store, itemId, 'run_forked'),
    readAll(store, itemId, 'node_skipped'),
    readAll(store, itemId, 'scope_skipped'),
  ]);
  const from = forks.at(-1)?.seq ?? 0;
  const passed = [
    ...nodes.map(({ seq, payload }) => ({ seq, path: payload.node_id })),
    ...parts.map(({ seq, payload }) => ({ seq, path: payload.path })),
  ];
  return passed
    .filter(({ seq }) => seq > from)
    .sort((one, other) => one.seq - other.seq)
    .map(({ path }) => path);
}

const pageSize = 500;

async function readAll<T extends EventRow['type']>(
  store: Store,
  itemId: string,
  type: T,
): Promise<readonly Extract<EventRow, { readonly type: T }>[]> {
  const found: Extract<EventRow, { readonly type: T }>[] = [];
  for (let afterSeq = 0; ;) {
    const page = await store.events({ itemId, type, afterSeq, limit: pageSize });
    found.push(...(page as typeof found));
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) return found;
    afterSeq = last.seq;
  }
}
