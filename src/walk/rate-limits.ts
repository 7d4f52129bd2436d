import { toTimestamp } from '../base/index.ts';
import type { EventRow } from '../events/index.ts';
import { decideRateLimit, type Item } from '../items/index.ts';
import { walkErrors } from './errors.ts';
import { moveItem } from './move-item.ts';
import type { WalkPorts } from './ports.ts';
import type { Run } from './run.ts';
import { Stopped, stopFromError } from './stops.ts';

/** What could not be run, and until when each provider refuses it (RFC 3339, null where it did not say). */
export interface Refusal {
  readonly nodeId: string;
  readonly task: string;
  readonly resets: readonly (string | null)[];
}

/** Every route of a task is limited: on its way to where the walk's end is recorded. Never leaves this folder. */
export class RateLimited extends Error {
  override readonly name = 'RateLimited';
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(`every route of ${refusal.task} is limited`);
    this.refusal = refusal;
  }
}

/** Records that the item waits for a provider. Errors: the stop when it has waited often enough in a row. */
export async function settleRateLimit(ports: WalkPorts, run: Run, { nodeId, task, resets }: Refusal): Promise<void> {
  const { rateLimitRetries: retries } = await ports.loadPolicy();
  const before = await countWaits(ports, run.itemId, task);
  const decision = decideRateLimit(ports.clock.nowMs(), resets, { before, retries });
  if (decision.kind === 'stop') {
    const error = walkErrors.create('RATE_LIMITED', { task, times: decision.times, id: run.itemId });
    const stop = stopFromError(error, { sessionId: null, facts: { task, times: decision.times, retries } });
    throw new Stopped({ ...stop, kind: 'rate_limit' });
  }
  // Asked for in the meantime: then it waits for its person.
  const { pauseRequested } = await run.item();
  const resumesAt = toTimestamp(decision.untilMs);
  await run.record({
    nodeId,
    events: [{ type: 'work_item_rate_limited', payload: { node_id: nodeId, task, resets_at: resumesAt } }],
    item: pauseRequested
      ? { status: 'paused', pauseRequested: false }
      : { status: 'rate_limited', resumesAt, pauseRequested: false },
  });
}

/** How often the task has waited in a row: since a session of it ended otherwise, and since a person retried the item. */
async function countWaits(ports: Pick<WalkPorts, 'store'>, itemId: string, task: string): Promise<number> {
  const read = (type: EventRow['type']): Promise<readonly EventRow[]> =>
    ports.store.events({ itemId, type, afterSeq: 0, limit: 500 });
  const [waits, retries, rows] = await Promise.all([
    read('work_item_rate_limited'),
    read('work_item_retried'),
    ports.store.listSessions({ itemId, statuses: null }),
  ]);
  const answered = rows.findLast(
    (row) => row.task === task && row.endedAt !== null && row.status !== 'rate_limited' && row.status !== 'paused',
  );
  const since = [retries.at(-1)?.created_at, answered?.endedAt].flatMap((at) => at ?? []);
  return waits.filter(
    (wait) =>
      wait.type === 'work_item_rate_limited' && wait.payload.task === task && since.every((at) => wait.created_at > at),
  ).length;
}

/** Takes the items up again whose time has come, by one alarm: nothing polls, and a restart arms it anew from the store. */
export class ResetAlarm {
  readonly #ports: WalkPorts;
  readonly #ring: () => void;
  #disarm: () => void = () => undefined;
  #closed = false;

  /** `ring`: called when a time has come; is to call `requeue`. */
  constructor(ports: WalkPorts, ring: () => void) {
    this.#ports = ports;
    this.#ring = ring;
  }

  /** Queues what is due, and arms the alarm for what is next. */
  async requeue(): Promise<void> {
    const waiting = await this.#ports.store.listItems({ repo: null, statuses: ['rate_limited'] });
    const nowMs = this.#ports.clock.nowMs();
    let nextMs: number | null = null;
    for (const item of waiting) {
      const atMs = dueMs(item);
      if (atMs <= nowMs) await this.#queue(item);
      else nextMs = Math.min(nextMs ?? atMs, atMs);
    }
    this.#disarm();
    if (nextMs !== null && !this.#closed) this.#disarm = this.#ports.alarm(nextMs - nowMs, this.#ring);
  }

  close(): void {
    this.#closed = true;
    this.#disarm();
  }

  async #queue(item: Item): Promise<void> {
    await moveItem(this.#ports, item, { status: 'queued', resumesAt: null }, [
      { type: 'work_item_resumed', payload: { by: 'kraft', verb: 'reset' } },
    ]);
  }
}

/** A row without a time is one that somebody edited: it is due. */
function dueMs({ resumesAt }: Item): number {
  const ms = resumesAt === null ? 0 : Date.parse(resumesAt);
  return Number.isFinite(ms) ? ms : 0;
}
