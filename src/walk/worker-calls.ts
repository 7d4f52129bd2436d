import {
  itemErrors,
  type Item,
  type ThreadView,
  type WorkerCalls,
  type WorkerIdentity,
  type WorkerItemView,
} from '../items/index.ts';
import type { SessionRow } from '../store/index.ts';
import { walkErrors } from './errors.ts';
import { retryItem } from './claim.ts';
import type { WalkPorts } from './ports.ts';
import { addReply, readThread, type InTurn } from './reviews.ts';
import type { VerbContext } from './verbs.ts';

const taskMax = 9_999;
/** Most reports of an item: below a page of events, so that one read sees them all. */
const reportsMax = 400;
/** Events of one answer. */
const eventsMax = 200;

export function openWorkerCalls(context: VerbContext, inTurn: InTurn): WorkerCalls {
  const { ports } = context;
  const asked = <T>(who: WorkerIdentity, body: (item: Item, session: SessionRow) => Promise<T>): Promise<T> =>
    inTurn(who.itemId, async (item) => body(item, await checkIdentity(ports, who, item)));
  const listThreads = async (item: Item): Promise<readonly ThreadView[]> =>
    (await ports.store.listThreads(item.id)).filter(({ draft }) => !draft);
  return {
    progress: (who, task) => asked(who, (item, session) => recordProgress(ports, { item, session, task })),
    reply: (who, { thread: id, body, claim }) =>
      asked(who, async (item) => {
        const thread = (await listThreads(item)).find((each) => each.id === id);
        if (thread === undefined) throw itemErrors.create('THREAD_UNKNOWN', { thread: id });
        await addReply(ports, { item, thread, body, by: 'agent', claim });
        return readThread(ports, item.id, id);
      }),
    retry: (who, steer) => asked(who, async (item, session) => retryOwn(context, { item, session, steer })),
    show: (who) => asked(who, async (item) => viewOf(item, (await readReports(ports, item.id)).at(-1) ?? null)),
    threads: (who, { openOnly }) =>
      asked(who, async (item) => (await listThreads(item)).filter(({ status }) => !openOnly || status === 'open')),
    events: (who, query) => asked(who, (item) => ports.store.events({ ...query, itemId: item.id, limit: eventsMax })),
  };
}

async function checkIdentity(ports: WalkPorts, who: WorkerIdentity, item: Item): Promise<SessionRow> {
  const session = await ports.store.getSession(who.sessionId);
  // The ids are Kraft's own and whole: a prefix, as a person types it, names nobody here.
  if (item.id === who.itemId && session?.itemId === item.id && session.status === 'running') return session;
  throw walkErrors.create('WORKER_CALL_REFUSED', { sessionId: who.sessionId });
}

async function retryOwn(
  context: VerbContext,
  { item, session, steer }: { readonly item: Item; readonly session: SessionRow; readonly steer: string | null },
): Promise<void> {
  // While the walk is under way its own sessions are what runs, and a retry would run them twice.
  if (item.status === 'queued' || item.status === 'active') {
    throw walkErrors.create('WORKER_RETRY_RUNS', { id: item.id, task: session.task });
  }
  await retryItem(context, item, { fork: { by: 'agent', path: null, restart: false }, steer });
}

async function recordProgress(
  ports: WalkPorts,
  { item, session, task }: { readonly item: Item; readonly session: SessionRow; readonly task: number },
): Promise<void> {
  if (!Number.isInteger(task) || task < 1 || task > taskMax) {
    throw walkErrors.create('PLAN_TASK_INVALID', { max: taskMax });
  }
  const reports = await readReports(ports, item.id);
  if (reports.at(-1) === task) return;
  if (reports.length >= reportsMax) throw walkErrors.create('WORKER_CALLS_FULL', { id: item.id, max: reportsMax });
  const payload = { node_id: session.nodeId, task, total: null, title: null };
  await ports.store.apply({
    itemId: item.id,
    item: {},
    events: [{ event: { type: 'plan_progress', payload }, nodeId: session.nodeId }],
    sessions: [],
    expectStatus: null,
  });
}

/** Tasks that were reported as begun, in order. */
async function readReports(ports: WalkPorts, itemId: string): Promise<readonly number[]> {
  const rows = await ports.store.events({ itemId, type: 'plan_progress', afterSeq: 0, limit: reportsMax });
  return rows.flatMap((row) => (row.type === 'plan_progress' ? [row.payload.task] : []));
}

function viewOf(item: Item, planTask: number | null): WorkerItemView {
  const { id, title, description, status, nextNode: node, branch, attempt, rejection } = item;
  return { id, title, description, status, node, branch, attempt, note: rejection?.note ?? null, planTask };
}
