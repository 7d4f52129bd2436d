import { asKraftError, hasCode } from '../base/index.ts';
import { listTasks } from '../chain/index.ts';
import type { KraftEvent } from '../events/index.ts';
import { decide, itemErrors, pickByPrefix, pickNext, renderPrompt, type Item, type ItemVerb } from '../items/index.ts';
import type { LaunchPlan } from '../launch/index.ts';
import type { Change } from '../store/index.ts';
import { removeItemTraces } from './abandon.ts';
import { thaw } from './frozen.ts';
import { fileItem, refreeze } from './file-item.ts';
import { planNext } from './plan-next.ts';
import type { WalkPorts } from './ports.ts';
import { continueSessions, findSessions, type Found } from './reattach.ts';
import { Run } from './run.ts';
import { settleWalk } from './settle.ts';
import { stopChange, stopFromError } from './stops.ts';
import { promptFacts } from './tasks.ts';
import { walkItem } from './walk-item.ts';
import type { FileRequest, ReattachReport, Walker } from './walker.ts';

/** Builds the walker of one home. Nothing runs before `reattach`. */
export function createWalker(ports: WalkPorts): Walker {
  return new ItemWalker(ports);
}

class ItemWalker implements Walker {
  readonly #ports: WalkPorts;
  readonly #runs = new Map<string, Run>();
  /** Tail of what was asked of an item: its verbs follow one another. */
  readonly #asked = new Map<string, Promise<unknown>>();
  #pumping: Promise<void> = Promise.resolve();
  #closing = false;

  constructor(ports: WalkPorts) {
    this.#ports = ports;
  }

  async file(request: FileRequest): Promise<Item> {
    const item = await fileItem(this.#ports, request);
    await this.#pump();
    return this.#stored(item.id);
  }

  start(id: string): Promise<Item> {
    return this.#ask(id, (item) => this.#claim(item, 'start'));
  }

  retry(id: string): Promise<Item> {
    return this.#ask(id, (item) => this.#claim(item, 'retry'));
  }

  async resume(id: string): Promise<Item> {
    const { id: itemId, pauseRequested } = await this.find(id);
    // A pause that is under way ends by itself within its grace; then resuming means what it says.
    if (pauseRequested) await this.#runs.get(itemId)?.settled;
    return this.#ask(itemId, (item) => this.#claim(item, 'resume'));
  }

  pause(id: string): Promise<Item> {
    return this.#ask(id, (item) => this.#pauseItem(item));
  }

  abandon(id: string): Promise<Item> {
    return this.#ask(id, (item) => this.#abandonItem(item));
  }

  async find(id: string): Promise<Item> {
    return pickByPrefix(id, await this.#ports.store.findItems(id));
  }

  async reattach(): Promise<ReattachReport> {
    const found = await findSessions(this.#ports);
    const swept = await this.#sweep(found);
    const active = await this.#ports.store.listItems({ repo: null, statuses: ['active'] });
    for (const item of active) {
      this.#drive(
        item,
        found.filter(({ row }) => row.itemId === item.id),
      );
    }
    await this.#forgetStray(found, active);
    await this.#pump();
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

  async idle(): Promise<void> {
    await this.#pumping;
    while (this.#runs.size > 0) {
      await Promise.all([...this.#runs.values()].map((run) => run.settled));
      await this.#pumping;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing = true;
    await this.#pumping;
    for (const run of this.#runs.values()) run.detach();
    const over = Promise.all([...this.#runs.values()].map((run) => run.settled));
    // A pull or a fetch under way is not worth waiting for: the next daemon begins it anew.
    await withDeadline(over, closingGraceMs);
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

  async #claim(item: Item, verb: Extract<ItemVerb, 'start' | 'resume' | 'retry'>): Promise<void> {
    const decision = decide(item, { verb, by: 'human', runningSessions: [] });
    if (decision.kind === 'refused') throw decision.error;
    if (decision.kind !== 'change') return;
    // A resumed item goes on under what it started with; a start or a retry takes what was mended since.
    const frozen = verb === 'resume' ? {} : await refreeze(this.#ports, item);
    await this.#ports.store.apply({
      itemId: item.id,
      item: { ...decision.item, ...frozen },
      events: decision.events.map((event) => ({ event, nodeId: null })),
      sessions: [],
      expectStatus: [item.status],
    });
    await this.#pump();
  }

  async #pauseItem(item: Item): Promise<void> {
    const sessions = await this.#ports.store.listSessions({ itemId: item.id, statuses: ['pending', 'running'] });
    const decision = decide(item, { verb: 'pause', by: 'human', runningSessions: sessions.map((row) => row.id) });
    if (decision.kind === 'refused') throw decision.error;
    if (decision.kind !== 'change') return;
    // It took its slot, or came to its end, between being read and now: what is asked of it is decided anew.
    if (!(await this.#move(item, decision.item, decision.events))) return this.#pauseItem(await this.#stored(item.id));
    this.#runs.get(item.id)?.want('pause');
  }

  async #abandonItem(item: Item): Promise<void> {
    const decision = decide(item, { verb: 'abandon', by: 'human', runningSessions: [] });
    if (decision.kind !== 'abandon') return;
    // So that no slot is given to the item while it is being removed.
    if (item.status === 'queued') await this.#move(item, { status: 'paused' });
    const run = this.#runs.get(item.id);
    run?.want('cancel');
    await run?.settled;
    const now = await this.#stored(item.id);
    try {
      const { branchRemoved } = await removeItemTraces(this.#ports, now);
      await this.#ports.store.apply({
        itemId: item.id,
        item: {
          status: 'abandoned',
          pauseRequested: false,
          stop: null,
          worktree: null,
          adminDir: null,
          prepared: false,
        },
        events: [
          {
            event: { type: 'work_item_abandoned', payload: { by: 'human', branch_removed: branchRemoved } },
            nodeId: null,
          },
        ],
        sessions: [],
        expectStatus: null,
      });
    } catch (error) {
      // Its walk has been ended for this: it must not look as if it still ran.
      if (now.status === 'active') await this.#stop(now, error);
      throw error;
    } finally {
      await this.#pump();
    }
  }

  /** Gives free slots to those that wait longest. Called after whatever may free or ask for one; nothing polls. */
  #pump(): Promise<void> {
    const next = this.#pumping.then(() => this.#fillSlots());
    this.#pumping = next.catch((error: unknown) => {
      this.#ports.log.error(`waiting items could not be started: ${String(error)}`);
    });
    return this.#pumping;
  }

  async #fillSlots(): Promise<void> {
    if (this.#closing) return;
    const items = await this.#ports.store.listItems({ repo: null, statuses: ['queued', 'active'] });
    if (!items.some((item) => item.status === 'queued')) return;
    let maxConcurrent: number;
    try {
      ({ maxConcurrent } = await this.#ports.loadPolicy());
    } catch (error) {
      for (const item of items) if (item.status === 'queued') await this.#stop(item, error);
      return;
    }
    for (const item of pickNext(items, { maxConcurrent })) {
      if (await this.#move(item, { status: 'active' })) this.#drive(item, []);
    }
  }

  /** Changes a queued item; false when it was paused or abandoned in the meantime. */
  async #move(item: Item, columns: Change['item'], events: readonly KraftEvent[] = []): Promise<boolean> {
    try {
      await this.#ports.store.apply({
        itemId: item.id,
        item: columns,
        events: events.map((event) => ({ event, nodeId: item.nextNode })),
        sessions: [],
        expectStatus: [item.status],
      });
      return true;
    } catch (error) {
      if (hasCode(error, 'ITEM_MOVED')) return false;
      throw error;
    }
  }

  async #stop(item: Item, error: unknown): Promise<void> {
    const { item: columns, event } = stopChange(stopFromError(asKraftError(error), { sessionId: null, facts: {} }));
    await this.#move(item, columns, [event]);
  }

  /** Starts the walk over an active item and records its end, however it ends. */
  #drive(item: Item, found: readonly Found[]): void {
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
      void this.#pump();
    })();
  }

  /** What cannot be said to be over is not swept (PF-G16). */
  async #sweep(found: readonly Found[]): Promise<readonly string[]> {
    const live = found.filter(({ adoption }) => adoption.kind === 'adopted' || hasLeftovers(adoption));
    try {
      const { removed, problems } = await this.#ports.launcher.sweep(live.map(({ row }) => row.id));
      for (const problem of problems) this.#ports.log.warn(problem);
      return removed;
    } catch (error) {
      this.#ports.log.warn(`leftover containers could not be looked for: ${asKraftError(error).message}`);
      return [];
    }
  }

  /** Sessions of items that are not active any more cannot be going on: their rows end as what was found. */
  async #forgetStray(found: readonly Found[], active: readonly Item[]): Promise<void> {
    for (const { row, adoption } of found) {
      if (active.some((item) => item.id === row.itemId)) continue;
      if (adoption.kind === 'adopted') {
        adoption.running.stop('cancel');
        await adoption.running.finished;
      }
      await this.#ports.store.apply({
        itemId: row.itemId,
        item: {},
        events: [],
        sessions: [{ id: row.id, status: 'unknown' }],
        expectStatus: null,
      });
    }
  }
}

const closingGraceMs = 8_000;

function hasLeftovers(adoption: Found['adoption']): boolean {
  if (adoption.kind === 'unknown') return adoption.leftBehind !== null;
  return adoption.kind === 'ended' && adoption.finished.leftBehind !== null;
}

async function withDeadline(work: Promise<unknown>, timeoutMs: number): Promise<void> {
  const deadline = AbortSignal.timeout(timeoutMs);
  await Promise.race([work, new Promise((resolve) => deadline.addEventListener('abort', resolve, { once: true }))]);
}
