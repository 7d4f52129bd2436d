import { listTasks } from '../chain/index.ts';
import { itemErrors, pickByPrefix, renderPrompt, type Item } from '../items/index.ts';
import type { LaunchPlan } from '../launch/index.ts';
import { thaw } from './frozen.ts';
import { fileItem } from './file-item.ts';
import { planNext } from './plan-next.ts';
import type { WalkPorts } from './ports.ts';
import { findSessions, type Found } from './reattach.ts';
import { Slots } from './slots.ts';
import { endStraySessions, sweepLeftovers } from './sweep.ts';
import { promptFacts } from './tasks.ts';
import { abandonItem, claimItem, pauseItem, type VerbContext } from './verbs.ts';
import type { FileRequest, ReattachReport, Walker } from './walker.ts';

/** Builds the walker of one home. Nothing runs before `reattach`. */
export function createWalker(ports: WalkPorts): Walker {
  return new ItemWalker(ports);
}

class ItemWalker implements Walker {
  readonly #ports: WalkPorts;
  readonly #slots: Slots;
  readonly #context: VerbContext;
  /** Tail of what was asked of an item: its verbs follow one another. */
  readonly #asked = new Map<string, Promise<unknown>>();

  constructor(ports: WalkPorts) {
    this.#ports = ports;
    this.#slots = new Slots(ports);
    this.#context = { ports, slots: this.#slots };
  }

  async file(request: FileRequest): Promise<Item> {
    const item = await fileItem(this.#ports, request);
    await this.#slots.pump();
    return this.#stored(item.id);
  }

  start(id: string): Promise<Item> {
    return this.#ask(id, (item) => claimItem(this.#context, item, 'start'));
  }

  retry(id: string): Promise<Item> {
    return this.#ask(id, (item) => claimItem(this.#context, item, 'retry'));
  }

  async resume(id: string): Promise<Item> {
    const { id: itemId, pauseRequested } = await this.find(id);
    // A pause that is under way ends by itself within its grace; then resuming means what it says.
    if (pauseRequested) await this.#slots.runOf(itemId)?.settled;
    return this.#ask(itemId, (item) => claimItem(this.#context, item, 'resume'));
  }

  pause(id: string): Promise<Item> {
    return this.#ask(id, (item) => pauseItem(this.#context, item));
  }

  abandon(id: string): Promise<Item> {
    return this.#ask(id, (item) => abandonItem(this.#context, item));
  }

  async find(id: string): Promise<Item> {
    return pickByPrefix(id, await this.#ports.store.findItems(id));
  }

  async reattach(): Promise<ReattachReport> {
    const found = await findSessions(this.#ports);
    const swept = await sweepLeftovers(this.#ports, found);
    const active = await this.#ports.store.listItems({ repo: null, statuses: ['active'] });
    for (const item of active) {
      this.#slots.drive(
        item,
        found.filter(({ row }) => row.itemId === item.id),
      );
    }
    await endStraySessions(this.#ports, found, active);
    await this.#slots.pump();
    const count = (kind: Found['adoption']['kind']): number =>
      found.filter(({ adoption }) => adoption.kind === kind).length;
    return {
      adopted: count('adopted'),
      resolved: count('ended'),
      unknown: count('unknown'),
      continued: active.length,
      swept,
    };
  }

  async pauseAll(): Promise<number> {
    const items = await this.#ports.store.listItems({ repo: null, statuses: ['queued', 'active'] });
    const paused = await Promise.allSettled(items.map((item) => this.pause(item.id)));
    await this.idle();
    return paused.filter((outcome) => outcome.status === 'fulfilled').length;
  }

  async runningSessionCount(): Promise<number> {
    return (await this.#ports.store.listSessions({ itemId: null, statuses: ['running'] })).length;
  }

  async prompt(id: string): Promise<string> {
    const item = await this.find(id);
    const frozen = thaw(item);
    const task = listTasks(frozen.chain).find((each) => each.task.kind === 'agent')?.task;
    const { context, task: words } = renderPrompt(promptFacts(item, frozen, task?.kind === 'agent' ? task : null));
    return `${context}\n\n${words}`;
  }

  async plan(id: string): Promise<LaunchPlan> {
    return planNext(this.#ports, await this.find(id));
  }

  idle(): Promise<void> {
    return this.#slots.idle();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#slots.close();
  }

  /** One command after the other on each item, so that two at once see each other's outcome. */
  async #ask(id: string, body: (item: Item) => Promise<void>): Promise<Item> {
    const { id: itemId } = await this.find(id);
    const before = this.#asked.get(itemId) ?? Promise.resolve();
    const mine = before
      .catch(() => undefined)
      .then(async () => {
        await body(await this.#stored(itemId));
        return this.#stored(itemId);
      });
    this.#asked.set(itemId, mine);
    try {
      return await mine;
    } finally {
      if (this.#asked.get(itemId) === mine) this.#asked.delete(itemId);
    }
  }

  async #stored(id: string): Promise<Item> {
    const item = await this.#ports.store.getItem(id);
    if (item === null) throw itemErrors.create('ITEM_UNKNOWN', { id });
    return item;
  }
}
