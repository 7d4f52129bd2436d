import type { Log } from '../base/index.ts';
import type { RelayTiming, RunningRelay } from './start.ts';

export interface ShelfOptions {
  /** Relays that are ready or on their way, at most. */
  readonly size: number;
  readonly timing: Pick<RelayTiming, 'refillMs' | 'idleMs'>;
  readonly log: Log;
  readonly start: () => Promise<RunningRelay>;
  readonly remove: (relay: RunningRelay) => Promise<void>;
}

/** The relays that are kept ready for one kind of need. It fills up after each launch and empties when none comes. */
export class Shelf {
  readonly #options: ShelfOptions;
  /** Ready or starting; null of one that did not start. */
  readonly #relays = new Set<Promise<RunningRelay | null>>();
  #refill: NodeJS.Timeout | null = null;
  #idle: NodeJS.Timeout | null = null;
  #closed = false;

  constructor(options: ShelfOptions) {
    this.#options = options;
  }

  /** A relay that lives, also one that is about to be ready; null when there is none. */
  async take(): Promise<RunningRelay | null> {
    this.#touch();
    for (const next of this.#relays) {
      this.#relays.delete(next);
      const relay = await next;
      if (relay === null) continue;
      if (await relay.isAlive().catch(() => false)) return relay;
      void this.#options.remove(relay);
    }
    return null;
  }

  /** Removes what it holds, and fills up no more. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#refill !== null) clearTimeout(this.#refill);
    if (this.#idle !== null) clearTimeout(this.#idle);
    await this.#empty();
  }

  async #empty(): Promise<void> {
    const relays = [...this.#relays];
    this.#relays.clear();
    await Promise.all(relays.map((relay) => this.#discard(relay)));
  }

  async #discard(next: Promise<RunningRelay | null>): Promise<void> {
    const relay = await next;
    if (relay !== null) await this.#options.remove(relay);
  }

  #touch(): void {
    const { refillMs, idleMs } = this.#options.timing;
    this.#refill ??= setTimeout(() => this.#fill(), refillMs).unref();
    if (this.#idle !== null) clearTimeout(this.#idle);
    this.#idle = setTimeout(() => void this.#empty(), idleMs).unref();
  }

  #fill(): void {
    this.#refill = null;
    while (!this.#closed && this.#relays.size < this.#options.size) {
      const next = this.#startOne();
      this.#relays.add(next);
      void next.then((relay) => this.#settle(next, relay));
    }
  }

  async #startOne(): Promise<RunningRelay | null> {
    try {
      return await this.#options.start();
    } catch (error) {
      // The next launch starts its own, and is told the reason if it fails the same way.
      this.#options.log.warn(`no relay was made ready: ${String(error)}`);
      return null;
    }
  }

  /** Once it is ready: what was made from a former image goes, and so does one that dies while it waits. */
  #settle(next: Promise<RunningRelay | null>, relay: RunningRelay | null): void {
    if (relay === null) return void this.#relays.delete(next);
    void relay.watch.lost.then(() => {
      if (this.#relays.delete(next)) void this.#options.remove(relay);
    });
    for (const other of this.#relays) void this.#dropOlder(other, relay);
  }

  async #dropOlder(other: Promise<RunningRelay | null>, newest: RunningRelay): Promise<void> {
    const relay = await other;
    if (relay === null || relay.imageId === newest.imageId) return;
    if (this.#relays.delete(other)) void this.#options.remove(relay);
  }
}
