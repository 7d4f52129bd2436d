import type { Socket } from 'node:net';
import { toTimestamp, type Clock } from '../base/index.ts';
import type { DecisionLog } from './decision-log.ts';
import type { EgressPolicy } from './decision.ts';
import { kraftHost } from './decide.ts';
import type { Dialer } from './dial.ts';
import { Exchange, proxyLimits, refuse, type ProxyLimits, type Serving } from './exchange.ts';
import { forward } from './forward.ts';
import { openJudge } from './judge.ts';
import type { KraftHost } from './kraft-host.ts';
import type { OwnAddresses } from './own-addresses.ts';
import { parseHead, type RequestHead } from './parse-head.ts';
import type { Refusal } from './refusals.ts';
import { crowdedAnswer, malformedAnswer, renderAnswer } from './render-answer.ts';
import type { Resolver } from './resolver.ts';
import { answerKraft, serveKraftTunnel } from './serve-kraft.ts';
import { finish, readHeadFrom, type HeadFromSocket } from './stream.ts';
import { established, openTunnel } from './tunnel.ts';
import { Turns } from './turns.ts';
import type { Upstreams } from './upstream.ts';

export interface EgressProxyOptions {
  /** The lists the session was launched under. */
  readonly policy: EgressPolicy;
  readonly upstreams: Upstreams;
  /** Shared by all sessions. */
  readonly resolver: Resolver;
  readonly ownAddresses: OwnAddresses;
  readonly dialer: Dialer;
  /** Who answers on `http://kraft`; null for a session that has nobody to ask, which gets a 403 there. */
  readonly kraft: KraftHost | null;
  /** Called for each refusal of a host or a route, and awaited for a second at most before the 403 leaves. */
  readonly onRefusal: (refusal: Refusal) => Promise<void>;
  /** Stays open; null writes no line. */
  readonly log: DecisionLog | null;
  /** Null for the usual ones. */
  readonly limits: ProxyLimits | null;
  readonly clock: Clock;
}

/** The proxy of one session (SI 4): every connection of it is that session's, whatever it says of itself. */
export interface EgressProxy {
  /** Serves a connection of the worker's. Never throws. */
  accept(socket: Socket): void;
  /** Ends all connections of the session, properly where the other side follows; resolves when they are closed. */
  close(): Promise<void>;
}

/** Between the end that is written to a connection at `close` and its being cut off. */
const closeGraceMs = 1_000;
const nothing = Buffer.alloc(0);

/** Opens a session's proxy; it dials nothing and asks nobody before a request comes in. */
export function openEgressProxy(options: EgressProxyOptions): EgressProxy {
  return new SessionProxy(options);
}

class SessionProxy implements EgressProxy {
  readonly #serving: Serving;
  readonly #clients = new Set<Socket>();
  readonly #sockets = new Set<Socket>();
  readonly #bodies: Turns;
  #places = 0;
  #closing: Promise<void> | null = null;

  constructor(options: EgressProxyOptions) {
    const limits = options.limits ?? proxyLimits;
    this.#bodies = new Turns(limits.kraftBodies);
    this.#serving = {
      ...options,
      limits,
      judge: openJudge({ ...options, resolver: options.resolver.forSession() }),
      track: (socket) => this.#track(socket, this.#sockets),
      takePlace: (client) => this.#takePlace(client),
    };
  }

  accept(client: Socket): void {
    // Before anything else: an error that nobody hears ends the process (PF-R16).
    client.on('error', () => undefined);
    client.allowHalfOpen = true;
    client.setNoDelay(true);
    if (this.#closing !== null) return void client.destroy();
    this.#track(client, this.#clients);
    if (this.#clients.size > this.#serving.limits.connections) {
      finish(client, renderAnswer(crowdedAnswer('connections'), 'GET'));
      return;
    }
    const wait = { first: nothing, timeoutMs: this.#serving.limits.headTimeoutMs, idle: false };
    readHeadFrom(client, wait, (read) => this.#take(client, read));
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  #take(client: Socket, read: HeadFromSocket): void {
    if (this.#closing !== null || read.kind === 'ended' || read.kind === 'late') return void client.destroy();
    const head = read.kind === 'malformed' ? read : parseHead(read.head);
    const early = read.kind === 'complete' ? read.rest : nothing;
    switch (head.kind) {
      case 'malformed': {
        const { log, clock } = this.#serving;
        log?.append({ at: toTimestamp(clock.nowMs()), malformed: head.why });
        finish(client, renderAnswer(malformedAnswer(head.why), 'GET'));
        return;
      }
      case 'connect':
      case 'absolute':
      case 'kraft':
        return void this.#serve(client, head, early);
    }
  }

  /** `early` came behind the head. Never rejects. */
  async #serve(client: Socket, head: Understood, early: Buffer): Promise<void> {
    const serving = this.#serving;
    const { target } = head;
    const method = head.kind === 'connect' ? 'CONNECT' : head.method;
    const { decision, addresses, outage } = await serving.judge(target);
    if (decision.allow && target.host === kraftHost) {
      const talk = { client, decision, bodies: this.#bodies, inTunnel: head.kind === 'connect' };
      if (head.kind === 'connect') {
        client.write(established);
        serveKraftTunnel(serving, talk, early);
      } else await answerKraft(serving, talk, { ...head, early });
      return;
    }
    const exchange = new Exchange(serving, { client, method, decision, addresses });
    exchange.logAtClose();
    if (!decision.allow) return refuse(serving, exchange);
    if (client.destroyed || this.#closing !== null) {
      exchange.breakOff('the client went away');
      return;
    }
    if (outage !== null) {
      exchange.fail(outage);
      return;
    }
    if (!serving.takePlace(client)) {
      exchange.answer(crowdedAnswer('requests to hosts'));
      return;
    }
    if (head.kind === 'connect') openTunnel(serving, exchange, { target, early });
    else forward(serving, exchange, { ...head, early });
  }

  #takePlace(client: Socket): boolean {
    if (this.#places >= this.#serving.limits.tunnels) return false;
    this.#places += 1;
    client.on('close', () => (this.#places -= 1));
    return true;
  }

  #track(socket: Socket, group: Set<Socket>): void {
    if (this.#closing !== null) return void socket.destroy();
    group.add(socket);
    socket.on('close', () => group.delete(socket));
  }

  async #end(): Promise<void> {
    const open = [...this.#clients, ...this.#sockets];
    const closed = open.map((socket) => new Promise<void>((resolve) => socket.on('close', () => resolve())));
    for (const socket of open) socket.end();
    const late = setTimeout(() => {
      for (const socket of [...this.#clients, ...this.#sockets]) socket.destroy();
    }, closeGraceMs);
    await Promise.all(closed);
    clearTimeout(late);
  }
}

type Understood = Exclude<RequestHead, { kind: 'malformed' }>;
