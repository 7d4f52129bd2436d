import type { Socket } from 'node:net';
import { homeLabel, relayLabel, relayProtocolLabel, roleLabel, type Engine } from '../runtime/index.ts';
import { relayErrors } from './errors.ts';
import { probeRelayImage, type RelayNeed } from './probe-image.ts';
import { Shelf } from './shelf.ts';
import { listSocketDirs, checkSocketPath, removeSocketDir } from './socket-dir.ts';
import { relayTiming, reopenRelay, startRelay, type RelayPlace, type RelayTiming, type RunningRelay } from './start.ts';
import { randomRelayId } from './relay-id.ts';

/** Needs that relays are kept ready for at once: a machine with two engines has two. */
const shelvesMax = 2;

export interface RelaysOptions extends Omit<RelayPlace, 'timing'> {
  /** Null for the usual bounds. */
  readonly timing: RelayTiming | null;
  /** Relays kept ready for each kind of need. */
  readonly size: number;
}

/** A relay that belongs to one session, never to another before or after. */
export interface RelayLease {
  readonly id: string;
  /** Its container: what the worker joins (`joinRelay`). */
  readonly container: string;
  /** Hands on the connections that come in from now on, and those that wait. */
  serve(onConnection: (socket: Socket) => void): void;
  /** A request through the session's own channel is refused, as it must be. Errors: CHANNEL_SELF_TEST_FAILED. */
  selfTest(): Promise<void>;
  /** Why the relay does not run any more; never rejects. */
  readonly lost: Promise<string>;
  /** Ends its connections, then removes sockets and container; nobody needs to wait for it. Never rejects. Idempotent. */
  release(): Promise<void>;
}

/** The relays of one home. */
export interface Relays {
  /** What refuses every launch with this need, before anything is started. Errors: RELAY_*, CHANNEL_PATH_TOO_LONG. */
  check(need: RelayNeed): Promise<void>;
  /** A relay that listens. Errors: those of `check`, CHANNEL_*, CONTAINER_NOT_STARTED, RELAYS_CLOSED. */
  take(need: RelayNeed): Promise<RelayLease>;
  /** Opens the channel of a relay that a former daemon leased out. Errors: CHANNEL_*, RELAY_LOST, engine errors. */
  adopt(record: { readonly engine: Engine; readonly relay: string }): Promise<RelayLease>;
  /** Removes relays and folders that nobody owns; gives their names. A failed list removes nothing, and is thrown. */
  sweep(request: { readonly engine: Engine; readonly keep: ReadonlySet<string> }): Promise<readonly string[]>;
  /** Removes the relays that are kept ready and leaves those of sessions running, for a daemon that comes back. */
  close(): Promise<void>;
}

export function openRelays(options: RelaysOptions): Relays {
  return new RelayPool({ ...options, timing: options.timing ?? relayTiming }, options.size);
}

class RelayPool implements Relays {
  readonly #place: RelayPlace;
  readonly #size: number;
  /** Oldest use first. */
  readonly #shelves = new Map<string, Shelf>();
  readonly #leased = new Set<RunningRelay>();
  /** Ids of everything that this process has started or adopted and not removed yet. */
  readonly #owned = new Set<string>();
  readonly #pending = new Set<Promise<unknown>>();
  #closed = false;

  constructor(place: RelayPlace, size: number) {
    this.#place = place;
    this.#size = size;
  }

  async check(need: RelayNeed): Promise<void> {
    checkSocketPath({ ...this.#place, relayId: randomRelayId() });
    await probeRelayImage(need);
  }

  async take(need: RelayNeed): Promise<RelayLease> {
    const relay = (await this.#shelfFor(need).take()) ?? (await this.#track(this.#start(need)));
    if (!this.#closed) return this.#lease(relay);
    await this.#remove(relay);
    throw relayErrors.create('RELAYS_CLOSED', undefined);
  }

  async adopt({ engine, relay: id }: { readonly engine: Engine; readonly relay: string }): Promise<RelayLease> {
    const listed = await engine.listContainers({ key: relayLabel, value: id });
    const program = listed.some(({ labels }) => labels[relayProtocolLabel] !== undefined) ? 'kraft' : 'socat';
    const relay = await reopenRelay(this.#place, id, { engine, program });
    this.#owned.add(id);
    return this.#lease(relay);
  }

  async sweep({
    engine,
    keep,
  }: {
    readonly engine: Engine;
    readonly keep: ReadonlySet<string>;
  }): Promise<readonly string[]> {
    const listed = await engine.listContainers({ key: homeLabel, value: this.#place.home });
    const stays = (id: string): boolean => keep.has(id) || this.#owned.has(id);
    const removed: string[] = [];
    for (const { name, labels } of listed) {
      if (labels[roleLabel] !== 'relay' || stays(labels[relayLabel] ?? '')) continue;
      await engine.removeContainer(name);
      removed.push(name);
    }
    for (const id of listSocketDirs(this.#place.socketsDir)) {
      if (stays(id)) continue;
      removeSocketDir(this.#place.socketsDir, id);
      removed.push(`sn/${id}`);
    }
    return removed;
  }

  async close(): Promise<void> {
    this.#closed = true;
    const shelves = [...this.#shelves.values()];
    this.#shelves.clear();
    await Promise.all([...shelves.map((shelf) => shelf.close()), ...[...this.#leased].map((relay) => relay.suspend())]);
    while (this.#pending.size > 0) await Promise.allSettled(this.#pending);
  }

  #shelfFor(need: RelayNeed): Shelf {
    if (this.#closed) throw relayErrors.create('RELAYS_CLOSED', undefined);
    const key = keyOf(need);
    const found = this.#shelves.get(key);
    const shelf =
      found ??
      new Shelf({
        size: this.#size,
        timing: this.#place.timing,
        log: this.#place.log,
        start: () => this.#start(need),
        remove: (relay) => this.#remove(relay),
      });
    this.#shelves.delete(key);
    this.#shelves.set(key, shelf);
    const [oldest] = this.#shelves;
    if (this.#shelves.size > shelvesMax && oldest !== undefined) {
      this.#shelves.delete(oldest[0]);
      void this.#track(oldest[1].close());
    }
    return shelf;
  }

  async #start(need: RelayNeed): Promise<RunningRelay> {
    const image = await probeRelayImage(need);
    const id = randomRelayId();
    this.#owned.add(id);
    try {
      return await startRelay(this.#place, id, need, image);
    } catch (error) {
      this.#owned.delete(id);
      throw error;
    }
  }

  #lease(relay: RunningRelay): RelayLease {
    this.#leased.add(relay);
    let released: Promise<void> | null = null;
    return {
      id: relay.id,
      container: relay.container,
      lost: relay.watch.lost,
      serve: (onConnection) => relay.channel.serve(onConnection),
      selfTest: () => relay.selfTest(),
      release: () => {
        this.#leased.delete(relay);
        return (released ??= this.#remove(relay));
      },
    };
  }

  #remove(relay: RunningRelay): Promise<void> {
    return this.#track(relay.remove().then(() => void this.#owned.delete(relay.id)));
  }

  #track<T>(work: Promise<T>): Promise<T> {
    this.#pending.add(work);
    return work.finally(() => this.#pending.delete(work));
  }
}

/**
 * What two sessions must have in common to get each other's relays. The image goes by its name here, so that a launch
 * need not ask for its id; a shelf lets go of what was made from a former one as soon as it fills up again.
 */
function keyOf({ engine, facts, image, user, selinux }: RelayNeed): string {
  const enforceable = facts.enforceable === 'unknown' ? null : [...facts.enforceable].toSorted();
  return JSON.stringify([
    engine.kind,
    facts.endpoint,
    facts.rootless,
    image,
    user.user,
    user.userNamespace,
    selinux,
    enforceable,
  ]);
}
