import { pickNext, type Item } from '../items/index.ts';
import { moveItem, stopItem } from './move-item.ts';
import type { WalkPorts } from './ports.ts';
import { ResetAlarm } from './rate-limits.ts';
import { continueSessions, type Found } from './reattach.ts';
import { Run } from './run.ts';
import { settleWalk } from './settle.ts';
import { walkItem } from './walk-item.ts';

const closingGraceMs = 8_000;

/** The walks that are under way, and who may begin one: `max_concurrent` at a time. Nothing polls. */
export class Slots {
  readonly #ports: WalkPorts;
  readonly #runs = new Map<string, Run>();
  readonly #resets: ResetAlarm;
  #pumping: Promise<void> = Promise.resolve();
  #closing = false;

  constructor(ports: WalkPorts) {
    this.#ports = ports;
    this.#resets = new ResetAlarm(ports, () => void this.pump());
  }

  /** The walk over an item; undefined when none is under way. */
  runOf(itemId: string): Run | undefined {
    return this.#runs.get(itemId);
  }

  /** Gives free slots to those that wait longest. To be called after whatever may free or ask for one. */
  pump(): Promise<void> {
    const next = this.#pumping.then(() => this.#fill());
    this.#pumping = next.catch((error: unknown) => {
      this.#ports.log.error(`waiting items could not be started: ${String(error)}`);
    });
    return this.#pumping;
  }

  /** Starts the walk over an active item and records its end, however it ends. `found`: its sessions of an earlier daemon. */
  drive(item: Item, found: readonly Found[]): void {
    const run = new Run(item.id, this.#ports);
    this.#runs.set(item.id, run);
    if (item.pauseRequested) run.want('pause');
    run.settled = (async () => {
      try {
        await continueSessions(this.#ports, run, found);
        await walkItem(this.#ports, run);
      } catch (error) {
        await settleWalk(this.#ports, run, error);
      } finally {
        this.#runs.delete(item.id);
      }
      void this.pump();
    })();
  }

  /** Resolves when no walk is under way and no slot is being given. */
  async idle(): Promise<void> {
    await this.#pumping;
    while (this.#runs.size > 0) {
      await Promise.all([...this.#runs.values()].map((run) => run.settled));
      await this.#pumping;
    }
  }

  /** The daemon goes: every walk leaves its item as it is. */
  async close(): Promise<void> {
    this.#closing = true;
    this.#resets.close();
    await this.#pumping;
    for (const run of this.#runs.values()) run.detach();
    const over = Promise.all([...this.#runs.values()].map((run) => run.settled));
    // A pull or a fetch under way is not worth waiting for: the next daemon begins it anew.
    await withDeadline(over, closingGraceMs);
  }

  async #fill(): Promise<void> {
    if (this.#closing) return;
    await this.#resets.requeue();
    const items = await this.#ports.store.listItems({ repo: null, statuses: ['queued', 'active'] });
    if (!items.some((item) => item.status === 'queued')) return;
    let maxConcurrent: number;
    try {
      ({ maxConcurrent } = await this.#ports.loadPolicy());
    } catch (error) {
      for (const item of items) if (item.status === 'queued') await stopItem(this.#ports, item, error);
      return;
    }
    for (const item of pickNext(items, { maxConcurrent })) {
      if (await moveItem(this.#ports, item, { status: 'active' })) this.drive(item, []);
    }
  }
}

async function withDeadline(work: Promise<unknown>, timeoutMs: number): Promise<void> {
  const deadline = AbortSignal.timeout(timeoutMs);
  await Promise.race([work, new Promise((resolve) => deadline.addEventListener('abort', resolve, { once: true }))]);
}
