import { hasCode } from '../base/index.ts';
import type { KraftEvent } from '../events/index.ts';
import type { Item } from '../items/index.ts';
import type { RunningLaunch } from '../launch/index.ts';
import type { Change } from '../store/index.ts';
import { Interrupt } from './interrupt.ts';
import type { WalkPorts } from './ports.ts';

/** What a walk records in one transaction. */
export interface Fact {
  readonly nodeId: string | null;
  readonly events: readonly KraftEvent[];
  readonly item: Change['item'];
  readonly sessions: Change['sessions'];
}

/** One walk under way over one item: what runs, and who wants it to end. Everything else is in the store. */
export class Run {
  readonly itemId: string;
  readonly #ports: WalkPorts;
  readonly #detached: Promise<void>;
  readonly #current = new Set<RunningLaunch>();
  #turn: Promise<unknown> = Promise.resolve();
  #wanted: 'pause' | 'cancel' | null = null;
  #closing = false;
  #detach: () => void = () => undefined;
  /** Resolves when the walk's end has been recorded. */
  settled: Promise<void> = Promise.resolve();

  constructor(itemId: string, ports: WalkPorts) {
    this.itemId = itemId;
    this.#ports = ports;
    this.#detached = new Promise((resolve) => (this.#detach = resolve));
  }

  /** Asks the walk to leave its item at the next safe point, and what runs to end now. A cancel outweighs a pause. */
  want(what: 'pause' | 'cancel'): void {
    if (this.#wanted !== 'cancel') this.#wanted = what;
    for (const launch of this.#current) launch.stop(what);
  }

  /** The daemon goes: leave everything as it is. */
  detach(): void {
    this.#closing = true;
    this.#detach();
  }

  /** A safe point: unwinds here when somebody wants the walk to end. */
  checkpoint(): void {
    if (this.#closing) throw new Interrupt('detach');
    if (this.#wanted !== null) throw new Interrupt(this.#wanted);
  }

  /** Whether a launch may still be started. */
  get isWanted(): boolean {
    return !this.#closing && this.#wanted === null;
  }

  /** Somebody throws the item away: what the walk has to say of it does not matter any more. */
  get isCancelled(): boolean {
    return this.#wanted === 'cancel';
  }

  /** Waits for a launch to end, unless the daemon goes first. */
  async watch(launch: RunningLaunch): Promise<Awaited<RunningLaunch['finished']>> {
    this.#current.add(launch);
    // Asked for between the start and here.
    if (this.#wanted !== null) launch.stop(this.#wanted);
    try {
      const finished = await Promise.race([launch.finished, this.#detached]);
      if (finished === undefined) throw new Interrupt('detach');
      return finished;
    } finally {
      this.#current.delete(launch);
    }
  }

  /**
   * One body after the other among the tasks of the item that run side by side: whatever looks at the item's ref store and
   * at who mounts it has to see what the others have recorded.
   */
  inTurn<T>(body: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(body, body);
    this.#turn = mine.catch(() => undefined);
    return mine;
  }

  /** The item as stored now. Preconditions: it exists, as items are never removed. */
  async item(): Promise<Item> {
    const item = await this.#ports.store.getItem(this.itemId);
    if (item === null) throw new Interrupt('detach');
    return item;
  }

  /** Records facts of an item that is still this walk's. On a full disk it waits and tries again until there is room. */
  async record(fact: Partial<Fact>): Promise<void> {
    const change: Change = {
      itemId: this.itemId,
      events: (fact.events ?? []).map((event) => ({ event, nodeId: fact.nodeId ?? null })),
      item: fact.item ?? {},
      sessions: fact.sessions ?? [],
      expectStatus: ['active'],
    };
    for (;;) {
      try {
        await this.#ports.store.apply(change);
        return;
      } catch (error) {
        if (!hasCode(error, 'STORE_FULL')) throw error;
        this.#ports.log.error(`${this.itemId}: ${error.message} ${error.remedy}`);
        await this.#pauseOnFullDisk();
      }
    }
  }

  async #pauseOnFullDisk(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const later = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, this.#ports.fullDiskRetryMs);
    });
    await Promise.race([later, this.#detached]);
    clearTimeout(timer);
    if (this.#closing) throw new Interrupt('detach');
  }
}
