import { listTasks } from '../chain/index.ts';
import { itemErrors, pickByPrefix, renderPrompt, type Item, type WorkerCalls } from '../items/index.ts';
import type { LaunchPlan } from '../launch/index.ts';
import { thaw } from './frozen.ts';
import { fileItem } from './file-item.ts';
import { planNext } from './plan-next.ts';
import type { WalkPorts } from './ports.ts';
import { listOpenThreads, openReviews, type InTurn, type Reviews } from './reviews.ts';
import { openWorkerCalls } from './worker-calls.ts';
import { findSessions, type Found } from './reattach.ts';
import { Slots } from './slots.ts';
import { endStraySessions, sweepLeftovers } from './sweep.ts';
import { tellFailures } from './fix-loop.ts';
import { promptFacts } from './prompt-facts.ts';
import { abandonItem } from './abandon.ts';
import { archiveItem } from './archive.ts';
import { claimItem, retryItem, skipItem } from './claim.ts';
import { readStorage, type StorageReport } from './storage.ts';
import { pauseItem, type VerbContext } from './verbs.ts';
import type {
  ArchiveOptions,
  FileRequest,
  ReattachReport,
  ResumeOptions,
  RetryOptions,
  SkipRequest,
  Walker,
} from './walker.ts';

const saysNothing: ResumeOptions = { steer: null };

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
  readonly reviews: Reviews;
  readonly workers: WorkerCalls;

  constructor(ports: WalkPorts) {
    this.#ports = ports;
    this.#slots = new Slots(ports);
    this.#context = { ports, slots: this.#slots };
    const inTurn: InTurn = (id, body) => this.#inTurn(id, body);
    this.reviews = openReviews(this.#context, inTurn);
    this.workers = openWorkerCalls(this.#context, inTurn);
  }

  async file(request: FileRequest): Promise<Item> {
    const item = await fileItem(this.#ports, request);
    await this.#slots.pump();
    return this.#stored(item.id);
  }

  start(id: string): Promise<Item> {
    return this.#ask(id, (item) => claimItem(this.#context, item, { verb: 'start', ...saysNothing }));
  }

  retry(id: string, { path = null, restart = false, steer = null }: Partial<RetryOptions> = {}): Promise<Item> {
    const fork = { by: 'human', path, restart } as const;
    return this.#ask(id, (item) => retryItem(this.#context, item, { fork, steer }));
  }

  async skip(id: string, { path, note }: SkipRequest): Promise<Item> {
    // Where it stands now is what is meant, also when somebody else asks the same at once.
    const { id: itemId, nextNode } = await this.find(id);
    const skip = { by: 'human', path: path ?? nextNode, note } as const;
    return this.#ask(itemId, (item) => skipItem(this.#context, item, skip));
  }

  async resume(id: string, options: ResumeOptions = saysNothing): Promise<Item> {
    const { id: itemId, pauseRequested } = await this.find(id);
    // A pause that is under way ends by itself within its grace; then resuming means what it says.
    if (pauseRequested) await this.#slots.runOf(itemId)?.settled;
    return this.#ask(itemId, (item) => claimItem(this.#context, item, { verb: 'resume', ...options }));
  }

  pause(id: string): Promise<Item> {
    return this.#ask(id, (item) => pauseItem(this.#context, item));
  }

  abandon(id: string): Promise<Item> {
    return this.#ask(id, (item) => abandonItem(this.#context, item));
  }

  archive(id: string, options: ArchiveOptions): Promise<Item> {
    return this.#ask(id, (item) => archiveItem(this.#context, item, options));
  }

  storage(): Promise<StorageReport> {
    return readStorage(this.#ports);
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
    const items = await this.#ports.store.listItems({ repo: null, statuses: ['queued', 'active', 'rate_limited'] });
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
    const { context, task: words } = renderPrompt(
      promptFacts(item, frozen, {
        task: task?.kind === 'agent' ? task : null,
        failures: item.fixLoop === null ? [] : await tellFailures(this.#ports, item.fixLoop.failures),
        threads: await listOpenThreads(this.#ports, item),
      }),
    );
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

  #ask(id: string, body: (item: Item) => Promise<void>): Promise<Item> {
    return this.#inTurn(id, async (item) => {
      await body(item);
      return this.#stored(item.id);
    });
  }

  /** One command after the other on each item, so that two at once see each other's outcome. */
  async #inTurn<T>(id: string, body: (item: Item) => Promise<T>): Promise<T> {
    const { id: itemId } = await this.find(id);
    const before = this.#asked.get(itemId) ?? Promise.resolve();
    const mine = before.catch(() => undefined).then(async () => body(await this.#stored(itemId)));
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
