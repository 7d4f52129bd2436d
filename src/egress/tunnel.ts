import type { Socket } from 'node:net';
import type { HostPort } from './decision.ts';
import type { Exchange, Serving } from './exchange.ts';
import { renderAuthority } from './host-port.ts';
import { describeOutage } from './render-answer.ts';
import { reach } from './reach.ts';
import { pump, readHeadFrom, tie } from './stream.ts';
import { chooseUpstream, type Upstream } from './upstream.ts';

/** What a client hears when its tunnel stands. */
export const established = Buffer.from('HTTP/1.1 200 Connection established\r\n\r\n');

/** Serves an allowed CONNECT (SI 4.6): bytes each way without looking, for as long as both sides like. */
export function openTunnel(serving: Serving, exchange: Exchange, request: { target: HostPort; early: Buffer }): void {
  const upstream = chooseUpstream(serving.upstreams, request.target, 'tunnel');
  if (upstream === null) openDirect(serving, exchange, request);
  else openThrough(serving, exchange, { ...request, upstream });
}

function openDirect(serving: Serving, exchange: Exchange, request: { target: HostPort; early: Buffer }): void {
  reach(serving, exchange, {
    addresses: exchange.addresses,
    port: request.target.port,
    reading: 'carried',
    failed: (code) => exchange.fail(describeOutage('dial', code)),
    connected: (origin) => join(exchange, origin, request.early),
  });
}

/** Tells the client that the tunnel stands, and passes on what it sent ahead. */
function join(exchange: Exchange, origin: Socket, early: Buffer): void {
  const { client } = exchange;
  client.write(established);
  if (early.length > 0) {
    exchange.countUp(early.length);
    origin.write(early);
  }
  pump(client, origin, exchange.countUp);
  tie(client, origin);
}

interface ThroughRequest {
  readonly target: HostPort;
  readonly early: Buffer;
  readonly upstream: Upstream;
}

function openThrough(serving: Serving, exchange: Exchange, request: ThroughRequest): void {
  const { upstream } = request;
  const fail = (why: string): void => exchange.fail(describeUpstream(upstream, why));
  reach(serving, exchange, {
    addresses: [upstream.host],
    port: upstream.port,
    reading: 'events',
    failed: (code) => fail(describeOutage('dial', code).why),
    connected: (origin) => {
      origin.write(renderConnect(request.target, upstream), 'latin1');
      askUpstream(serving, exchange, { origin, fail, early: request.early });
    },
  });
}

interface Asked {
  readonly origin: Socket;
  readonly fail: (why: string) => void;
  readonly early: Buffer;
}

function askUpstream(serving: Serving, exchange: Exchange, { origin, fail, early }: Asked): void {
  const { client } = exchange;
  const drop = (): void => void origin.destroy();
  client.on('close', drop);
  const wait = { first: Buffer.alloc(0), timeoutMs: serving.limits.dialTimeoutMs, idle: false };
  readHeadFrom(origin, wait, (read) => {
    client.off('close', drop);
    if (client.destroyed) return;
    const problem = read.kind === 'complete' ? judgeAnswer(read.head) : 'it gave no proper answer';
    if (read.kind !== 'complete' || problem !== null) {
      origin.destroy();
      fail(problem ?? '');
      return;
    }
    join(exchange, origin, early);
    if (read.rest.length > 0) {
      exchange.countDown(read.rest.length);
      client.write(read.rest);
    }
    pump(origin, client, exchange.countDown);
  });
}

export function describeUpstream(upstream: Upstream, why: string): { error: 'destination_unavailable'; why: string } {
  return { error: 'destination_unavailable', why: `the proxy of this machine (${upstream.variable}): ${why}` };
}

/** The checked host and nothing that the client wrote. */
function renderConnect(target: HostPort, { authorization }: Upstream): string {
  const authority = renderAuthority(target);
  const credentials = authorization === null ? '' : `Proxy-Authorization: ${authorization.reveal()}\r\n`;
  return `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${credentials}\r\n`;
}

/** Why an answer opens no tunnel; null when it does. */
function judgeAnswer(head: Buffer): string | null {
  const [statusLine = ''] = head.toString('latin1').split('\r\n');
  const [, status] = /^HTTP\/1\.[01] ([0-9]{3})(?: |$)/.exec(statusLine) ?? [];
  if (status === undefined) return 'it gave no proper answer';
  return status === '200' ? null : `it answered ${status}`;
}
