import type { Socket } from 'node:net';
import { toTimestamp, type Clock } from '../base/index.ts';
import type { Decision } from './decision.ts';
import type { DecisionLog } from './decision-log.ts';
import { selfTestHost } from './decide.ts';
import type { Dialer } from './dial.ts';
import type { Judge } from './judge.ts';
import type { KraftHost } from './kraft-host.ts';
import type { Refusal } from './refusals.ts';
import { outageAnswer, refusedAnswer, renderAnswer, type Outage, type ProxyAnswer } from './render-answer.ts';
import { finish } from './stream.ts';
import type { Upstreams } from './upstream.ts';

/** Bounds of one session. */
export interface ProxyLimits {
  /** Requests that hold a connection to a host, tunnels and plain ones together; the next one gets a 503. */
  readonly tunnels: number;
  /** Connections of the worker, those that have not said anything yet included. */
  readonly connections: number;
  /** From the connection, or the first byte of a further request, to the end of its head. */
  readonly headTimeoutMs: number;
  /** For each address, and for the answer of an upstream proxy. */
  readonly dialTimeoutMs: number;
  /** Bodies for Kraft of more than 64 KiB that are held at once; the next ones wait. */
  readonly kraftBodies: number;
}

export const proxyLimits: ProxyLimits = {
  tunnels: 512,
  connections: 1024,
  headTimeoutMs: 30_000,
  dialTimeoutMs: 30_000,
  kraftBodies: 4,
};

/** What all requests of one session share. */
export interface Serving {
  readonly upstreams: Upstreams;
  readonly judge: Judge;
  readonly dialer: Dialer;
  readonly kraft: KraftHost | null;
  readonly onRefusal: (refusal: Refusal) => Promise<void>;
  readonly log: DecisionLog | null;
  readonly limits: ProxyLimits;
  readonly clock: Clock;
  /** Counts a socket to the session, which ends with it. */
  readonly track: (socket: Socket) => void;
  /** Takes one of the places for requests that hold a connection, until the client's socket closes; false: none is left. */
  readonly takePlace: (client: Socket) => boolean;
}

/** How long the answer to a refusal waits for its event (SI 4.8). */
const recordWaitMs = 1_000;

/** One request: its decision, what went each way, and the one line about it. */
export class Exchange {
  readonly client: Socket;
  readonly method: string;
  readonly decision: Decision;
  /** Whom to dial: every one of them was judged. */
  readonly addresses: readonly string[];
  bytesUp = 0;
  bytesDown = 0;
  #failure: string | null = null;
  readonly #serving: Serving;
  readonly #beganMs: number;
  readonly #at: string;
  #logged = false;

  constructor(serving: Serving, request: Pick<Exchange, 'client' | 'method' | 'decision' | 'addresses'>) {
    this.#serving = serving;
    this.client = request.client;
    this.method = request.method;
    this.decision = request.decision;
    this.addresses = request.addresses;
    this.#beganMs = serving.clock.monotonicMs();
    this.#at = toTimestamp(serving.clock.nowMs());
  }

  readonly countUp = (bytes: number): void => {
    this.bytesUp += bytes;
  };

  readonly countDown = (bytes: number): void => {
    this.bytesDown += bytes;
  };

  /** The request is over when its connection is. */
  logAtClose(): void {
    if (this.client.destroyed) this.logOnce();
    else this.client.on('close', () => this.logOnce());
  }

  logOnce(): void {
    const { host, port, phase, allow, reason, rule } = this.decision;
    // Kraft's own question before the worker starts is none of the worker's.
    if (this.#logged || host === selfTestHost) return;
    this.#logged = true;
    this.#serving.log?.append({
      at: this.#at,
      method: this.method,
      host,
      port,
      phase,
      allow,
      reason,
      rule,
      failure: this.#failure,
      bytesUp: this.bytesUp,
      bytesDown: this.bytesDown,
      ms: Math.round(this.#serving.clock.monotonicMs() - this.#beganMs),
    });
  }

  /** Ends with an answer of the proxy's own. */
  answer(answer: ProxyAnswer): void {
    finish(this.client, renderAnswer(answer, this.method));
  }

  /** An allowed request that did not reach its host. */
  fail(outage: Outage): void {
    this.#failure = outage.why;
    this.answer(outageAnswer(this.decision, outage));
  }

  /** Notes a failure after which nothing can be answered any more. */
  breakOff(why: string): void {
    this.#failure ??= why;
    this.client.destroy();
  }
}

/** Records a refusal and answers it; the record holds the answer up for a second at most. */
export async function refuse(serving: Serving, exchange: Exchange): Promise<void> {
  const { decision } = exchange;
  if (decision.host !== selfTestHost) await recordRefusal(serving, { kind: 'host', decision });
  exchange.answer(refusedAnswer(decision));
}

export async function recordRefusal(serving: Serving, refusal: Refusal): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), recordWaitMs);
  // Whoever records says why it could not; the refusal stands all the same.
  await Promise.race([serving.onRefusal(refusal).catch(() => undefined), late]);
  clearTimeout(timer);
}
