import type { Socket } from 'node:net';
import type { HostPort } from './decision.ts';
import type { Exchange, Serving } from './exchange.ts';
import { BodyFramer } from './frame-body.ts';
import type { PlainRequest } from './parse-head.ts';
import { describeOutage, malformedAnswer } from './render-answer.ts';
import { renderForward } from './render-forward.ts';
import { reach } from './reach.ts';
import { destroyLater, lingerOn, onceEnded, sendOn } from './stream.ts';
import { chooseUpstream, type Upstream } from './upstream.ts';
import { describeUpstream } from './tunnel.ts';

export interface ForwardRequest extends PlainRequest {
  readonly target: HostPort;
  /** What came behind the head. */
  readonly early: Buffer;
}

/**
 * Serves an allowed request in absolute form (SI 4.6): its own head, its body as it was read, and not a byte behind it;
 * the answer comes back as it is. One request a connection on both sides (PF-H02).
 */
export function forward(serving: Serving, exchange: Exchange, request: ForwardRequest): void {
  const upstream = chooseUpstream(serving.upstreams, request.target, 'absolute');
  if (upstream !== null && request.framing.kind === 'chunked') {
    exchange.answer(malformedAnswer('a chunked body does not go through the proxy of this machine'));
    return;
  }
  reach(serving, exchange, {
    addresses: upstream === null ? exchange.addresses : [upstream.host],
    port: upstream === null ? request.target.port : upstream.port,
    reading: 'carried',
    failed: (code) => exchange.fail(describeFailure(upstream, code)),
    connected: (origin) => {
      send(exchange, origin, { ...request, upstream });
      receive(exchange, origin, upstream);
    },
  });
}

function describeFailure(upstream: Upstream | null, code: string): ReturnType<typeof describeOutage> {
  const outage = describeOutage('dial', code);
  return upstream === null ? outage : describeUpstream(upstream, outage.why);
}

function send(exchange: Exchange, origin: Socket, request: ForwardRequest & { upstream: Upstream | null }): void {
  const { client } = exchange;
  const { upstream } = request;
  const framer = new BodyFramer(request.framing);
  const via = upstream === null ? null : { authorization: upstream.authorization?.reveal() ?? null };
  origin.write(renderForward(request, via));
  const take = (chunk: Buffer): void => {
    // What lies behind the body was not asked for by this request and goes nowhere (SI-9.6 F10, F11).
    if (framer.done) return;
    const part = framer.push(chunk);
    for (const bytes of part.pass) {
      exchange.countUp(bytes.length);
      sendOn(client, origin, bytes);
    }
    if (part.malformed !== null) {
      // A part of a request must not look like a whole one.
      origin.resetAndDestroy();
      if (exchange.bytesDown === 0) exchange.answer(malformedAnswer(part.malformed));
      else exchange.breakOff(part.malformed);
    }
  };
  take(request.early);
  if (client.writableEnded) return;
  client.on('data', take);
  origin.on('drain', () => client.resume());
  onceEnded(client, () => {
    if (framer.done) origin.end();
    else {
      origin.resetAndDestroy();
      exchange.breakOff('the body ended early');
    }
  });
  client.resume();
}

function receive(exchange: Exchange, origin: Socket, upstream: Upstream | null): void {
  const { client } = exchange;
  const ended = (): void => {
    if (client.writableEnded || client.destroyed) return;
    if (exchange.bytesDown === 0) {
      const why = 'the connection was ended without an answer';
      exchange.fail(upstream === null ? { error: 'connection_terminated', why } : describeUpstream(upstream, why));
    } else if (origin.readableEnded) {
      client.end(() => lingerOn(client));
    } else {
      // A broken answer must not look like a whole one.
      client.destroySoon();
      destroyLater(client, brokenDrainMs);
    }
    // All that it had to say is on its way to the client, and nothing more is asked.
    origin.destroy();
  };
  origin.on('end', ended);
  origin.on('close', ended);
  client.on('close', () => origin.destroy());
}

const brokenDrainMs = 30_000;
