import { statusOfKind, type ErrorReport, type KraftError } from '../base/index.ts';
import type { EventRow } from '../events/index.ts';
import type { ThreadView, WorkerItemView } from '../items/index.ts';
import { workerApiErrors } from './errors.ts';
import type { KraftAnswer } from '../egress/index.ts';

/** A good answer: JSON on lines of its own, for an agent to read as it stands. */
export function renderDone(payload: unknown): KraftAnswer {
  return render(200, payload);
}

/** What of an item leaves: named one by one, so that nothing joins unseen. */
export function renderItem(item: WorkerItemView): unknown {
  const { id, title, description, status, node, branch, attempt, note, planTask } = item;
  return { id, title, description, status, node, branch, attempt, note, planTask };
}

export function renderThread({ id, file, line, status, createdAt, updatedAt, comments }: ThreadView): unknown {
  const said = comments.map(({ author, body, claim, createdAt: at }) => ({ author, body, claim, createdAt: at }));
  return { id, file, line, status, createdAt, updatedAt, comments: said };
}

/** Events whose payload holds no path of the host and no draft of a person; of all others a worker sees that they were. */
const openPayloads: ReadonlySet<string> = new Set([
  'node_started',
  'node_completed',
  'node_skipped',
  'plan_progress',
  'fix_cycle_started',
  'run_forked',
  'gate_requested',
  'gate_approved',
  'gate_rejected',
  'gate_reopened',
  'worker_session_created',
  'sandbox_egress_refused',
  'time_cap_reached',
  'scope_budget_reached',
]);

export function renderEvent(row: EventRow): unknown {
  const { seq, type, node_id, created_at } = row;
  return { seq, type, node_id, created_at, ...(openPayloads.has(type) ? { payload: row.payload } : {}) };
}

/** Errors whose words name nothing of the host; of every other a worker learns the code alone. */
const openCodes: ReadonlySet<string> = new Set(
  [
    ...Object.keys(workerApiErrors.specs),
    'WORKER_CALL_REFUSED',
    'WORKER_RETRY_RUNS',
    'WORKER_CALLS_FULL',
    'PLAN_TASK_INVALID',
    'REVIEW_TEXT_INVALID',
    'REVIEW_FULL',
    'STEER_REFUSED',
    'STEER_NOT_TAKEN',
    'STEER_UNREAD',
    'ITEM_NOT_STOPPED',
    'ITEM_AT_GATE',
    'ITEM_ENDED',
  ].map((code) => `KRAFT_${code}`),
);

const statusOfCode: Readonly<Record<string, number>> = {
  KRAFT_WORKER_REQUEST_TOO_LARGE: 413,
  KRAFT_WORKER_CALL_SLOW: 504,
  KRAFT_WORKER_RETRY_RUNS: 409,
  KRAFT_ITEM_NOT_STOPPED: 409,
  KRAFT_ITEM_AT_GATE: 409,
  KRAFT_ITEM_ENDED: 409,
};

/** Whether a worker is told the error in its own words. */
export function isOpen(error: KraftError): boolean {
  return openCodes.has(error.code);
}

/** The error as every program gets it (`{outcome, code, kind, message, remedy, …}`), without what is the host's. */
export function renderFailure(error: KraftError): KraftAnswer {
  const status = statusOfCode[error.code] ?? statusOfKind[error.kind];
  const told = isOpen(error) ? error : workerApiErrors.create('WORKER_CALL_FAILED', { code: error.code });
  const report: ErrorReport = { ...told.report, others: [] };
  return render(status, { outcome: 'error', ...report });
}

function render(status: number, payload: unknown): KraftAnswer {
  return { kind: 'answer', status, contentType: 'application/json', body: `${JSON.stringify(payload)}\n` };
}
