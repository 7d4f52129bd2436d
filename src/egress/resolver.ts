import { lookup } from 'node:dns';
import { systemClock, type Clock } from '../base/index.ts';

/** What a name resolves to, in the resolver's order; or why it does not, in the resolver's word. */
export type Lookup =
  | { readonly kind: 'addresses'; readonly addresses: readonly string[] }
  | { readonly kind: 'outage'; readonly code: string };

/** Asks for the addresses of a name. Never rejects. */
export type AskSystem = (name: string) => Promise<Lookup>;

/** Look-ups of one session. */
export interface SessionResolver {
  /**
   * Addresses of a canonical name. A name is asked for once at a time, and its addresses are kept for some seconds
   * (PF-Q05); what did not resolve is asked for again. Never rejects.
   */
  lookup(name: string): Promise<Lookup>;
}

/** Look-ups of all sessions, bounded together: `getaddrinfo` holds a thread of the pool that files need too (PF-Q01). */
export interface Resolver {
  /** For one session: it takes at most half of the places, so that none waits for the slow names of another alone. */
  forSession(): SessionResolver;
}

export interface ResolverOptions {
  readonly ask: AskSystem;
  readonly clock: Clock;
  /** How long a caller waits; the question itself keeps its place until it is answered. */
  readonly timeoutMs: number;
}

const runningMax = 16;
const runningOfSessionMax = 8;
const waitingOfSessionMax = 512;
const keptMs = 5_000;
const keptMax = 256;

/** The look-ups of this machine. */
export function openResolver(
  options: ResolverOptions = { ask: askSystem, clock: systemClock, timeoutMs: 20_000 },
): Resolver {
  return new SharedResolver(options);
}

class SharedResolver implements Resolver {
  readonly options: ResolverOptions;
  /** Sessions with names that wait, the next one to be served first. */
  readonly #crowded = new Set<Lane>();
  #running = 0;

  constructor(options: ResolverOptions) {
    this.options = options;
  }

  forSession(): SessionResolver {
    return new Lane(this);
  }

  /** Runs a session's waiting question if a place is free. */
  serve(lane: Lane): void {
    this.#crowded.add(lane);
    for (const next of this.#crowded) {
      if (this.#running >= runningMax) return;
      // Behind the others: sessions take turns.
      this.#crowded.delete(next);
      const question = next.take();
      if (question === null) continue;
      this.#crowded.add(next);
      this.#running += 1;
      void question().finally(() => {
        this.#running -= 1;
        this.serve(next);
      });
    }
  }
}

class Lane implements SessionResolver {
  readonly #shared: SharedResolver;
  readonly #asked = new Map<string, Promise<Lookup>>();
  readonly #kept = new Map<string, { readonly lookup: Lookup; readonly untilMs: number }>();
  readonly #waiting: (() => Promise<void>)[] = [];
  #running = 0;

  constructor(shared: SharedResolver) {
    this.#shared = shared;
  }

  lookup(name: string): Promise<Lookup> {
    const kept = this.#kept.get(name);
    if (kept !== undefined && kept.untilMs > this.#shared.options.clock.monotonicMs())
      return Promise.resolve(kept.lookup);
    const asked = this.#asked.get(name);
    if (asked !== undefined) return asked;
    if (this.#waiting.length >= waitingOfSessionMax) {
      return Promise.resolve({ kind: 'outage', code: 'too many names are being looked up' });
    }
    const answer = this.#ask(name);
    this.#asked.set(name, answer);
    return answer;
  }

  /** The next question, or null while none waits or this session asks enough. */
  take(): (() => Promise<void>) | null {
    if (this.#running >= runningOfSessionMax) return null;
    const question = this.#waiting.shift() ?? null;
    if (question !== null) this.#running += 1;
    return question;
  }

  #ask(name: string): Promise<Lookup> {
    const { ask, timeoutMs } = this.#shared.options;
    return new Promise((resolve) => {
      const late = setTimeout(() => resolve({ kind: 'outage', code: 'ETIMEOUT' }), timeoutMs).unref();
      this.#waiting.push(async () => {
        const found = await ask(name);
        clearTimeout(late);
        this.#running -= 1;
        this.#asked.delete(name);
        if (found.kind === 'addresses') this.#keep(name, found);
        resolve(found);
      });
      this.#shared.serve(this);
    });
  }

  #keep(name: string, found: Lookup): void {
    this.#kept.delete(name);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size >= keptMax && oldest !== undefined) this.#kept.delete(oldest);
    this.#kept.set(name, { lookup: found, untilMs: this.#shared.options.clock.monotonicMs() + keptMs });
  }
}

/** The system's own resolver, hosts file included. */
export function askSystem(name: string): Promise<Lookup> {
  return new Promise((resolve) => {
    lookup(name, { all: true, order: 'verbatim' }, (error, found) => {
      if (error !== null) resolve({ kind: 'outage', code: error.code ?? error.message });
      // A zone says by which interface, and is no part of the address.
      else resolve({ kind: 'addresses', addresses: found.map(({ address }) => address.replace(/%.*$/, '')) });
    });
  });
}
