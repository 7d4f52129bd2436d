import type { Socket } from 'node:net';
import { Exchange, recordRefusal, type Serving } from './exchange.ts';
import type { KraftAnswer, KraftRequest } from './kraft-host.ts';
import { parseHead, valuesOf, type Header, type PlainRequest } from './parse-head.ts';
import type { Decision } from './decision.ts';
import { bodyAnswer, malformedAnswer, refusedRouteAnswer, renderAnswer, renderKraftAnswer } from './render-answer.ts';
import { finish, readHeadFrom } from './stream.ts';
import type { Turns } from './turns.ts';

/** SI 7.4. */
const bodyMaxBytes = 16 * 1024 * 1024;
const smallBodyBytes = 64 * 1024;
const routeMaxLength = 256;

export interface KraftConversation {
  readonly client: Socket;
  readonly decision: Decision;
  /** Large bodies that are held at once. */
  readonly bodies: Turns;
  /** Whether a further request may follow on the connection. */
  readonly inTunnel: boolean;
}

/** Answers requests for Kraft inside a tunnel to it, one after the other, as long as the client likes (PF-H11). */
export function serveKraftTunnel(serving: Serving, talk: KraftConversation, early: Buffer): void {
  const { client } = talk;
  const wait = { first: early, timeoutMs: serving.limits.headTimeoutMs, idle: true };
  readHeadFrom(client, wait, (read) => {
    if (read.kind === 'ended' || read.kind === 'late') {
      client.destroySoon();
      return;
    }
    const head = read.kind === 'malformed' ? read : parseHead(read.head);
    if (head.kind !== 'kraft') {
      const why = head.kind === 'malformed' ? head.why : 'the host of this tunnel is Kraft alone';
      finish(client, renderAnswer(malformedAnswer(why), 'GET'));
      return;
    }
    const rest = read.kind === 'complete' ? read.rest : Buffer.alloc(0);
    void answerKraft(serving, talk, { ...head, early: rest }).then((left) => {
      if (left !== null) serveKraftTunnel(serving, talk, left);
    });
  });
}

export interface KraftCall extends PlainRequest {
  readonly early: Buffer;
}

/**
 * Answers one request for Kraft itself; nothing of it leaves the daemon (SI 7.1). Answers with the bytes that came
 * behind the request when the connection goes on, null when it was ended.
 */
export async function answerKraft(serving: Serving, talk: KraftConversation, call: KraftCall): Promise<Buffer | null> {
  const { client, decision } = talk;
  const exchange = new Exchange(serving, { client, method: call.method, decision, addresses: [] });
  const left = await converse(serving, { ...talk, exchange }, call);
  exchange.logOnce();
  return left;
}

interface KraftExchange extends KraftConversation {
  readonly exchange: Exchange;
}

async function converse(serving: Serving, talk: KraftExchange, call: KraftCall): Promise<Buffer | null> {
  const { client, exchange, bodies } = talk;
  const { framing } = call;
  const bytes = framing.kind === 'length' ? framing.bytes : 0;
  if (framing.kind === 'chunked' || bytes > bodyMaxBytes) {
    exchange.answer(bodyAnswer(framing.kind === 'chunked' ? 411 : 413));
    return null;
  }
  const run = (): Promise<Buffer | null> => readAndAnswer(serving, talk, { ...call, bytes });
  // Small ones are bounded by the number of connections.
  return bytes <= smallBodyBytes || client.destroyed ? run() : bodies.take(run);
}

async function readAndAnswer(
  serving: Serving,
  talk: KraftExchange,
  call: KraftCall & { bytes: number },
): Promise<Buffer | null> {
  const { client, exchange } = talk;
  const read = await readBody(client, { ...call, timeoutMs: serving.limits.headTimeoutMs });
  if (read === null) {
    exchange.breakOff('the body did not come');
    return null;
  }
  exchange.countUp(read.body.length);
  const answer = await ask(serving, { ...call, body: read.body });
  if (answer.kind === 'refused') {
    await recordRefusal(serving, { kind: 'route', route: answer.route, reason: answer.reason });
    exchange.answer(refusedRouteAnswer(answer.route, answer.reason));
    return null;
  }
  const keepAlive = call.keepAlive && talk.inTunnel && !client.readableEnded;
  const message = renderKraftAnswer(answer, { method: call.method, keepAlive });
  exchange.countDown(message.length);
  if (keepAlive) client.write(message);
  else finish(client, message);
  return keepAlive && !client.destroyed ? read.rest : null;
}

function ask(serving: Serving, call: KraftCall & { readonly body: Buffer }): Promise<KraftAnswer> {
  const request: KraftRequest = {
    method: call.method,
    target: call.path,
    headers: indexHeaders(call.headers),
    body: call.body,
  };
  if (serving.kraft !== null) return serving.kraft.answer(request);
  const route = `${call.method} ${call.path.replace(/[?#].*$/, '')}`.replace(/[^\x20-\x7e]/g, '?');
  const reason = 'nobody answers for Kraft in this sandbox';
  return Promise.resolve({ kind: 'refused', route: route.slice(0, routeMaxLength), reason });
}

/** Without a prototype: a name is the worker's own word. */
function indexHeaders(headers: readonly Header[]): Readonly<Record<string, string>> {
  const index = Object.create(null) as Record<string, string>;
  for (const [name, value] of headers) index[name.toLowerCase()] = value;
  return index;
}

interface BodyWait extends KraftCall {
  readonly bytes: number;
  readonly timeoutMs: number;
}

/** Reads a body whole, and leaves the socket paused; null when it does not come, or not in time. */
function readBody(client: Socket, wait: BodyWait): Promise<{ readonly body: Buffer; readonly rest: Buffer } | null> {
  if (wait.early.length >= wait.bytes) {
    return Promise.resolve({ body: wait.early.subarray(0, wait.bytes), rest: wait.early.subarray(wait.bytes) });
  }
  if (client.readableEnded || client.destroyed) return Promise.resolve(null);
  if (valuesOf(wait.headers, 'expect').length > 0) client.write('HTTP/1.1 100 Continue\r\n\r\n');
  const bytes = Buffer.allocUnsafe(wait.bytes);
  let used = wait.early.copy(bytes);
  const { promise, resolve } = Promise.withResolvers<{ readonly body: Buffer; readonly rest: Buffer } | null>();
  const settle = (rest: Buffer | null): void => {
    clearTimeout(late);
    client.pause();
    client.off('data', onData);
    client.off('end', onEnd);
    client.off('close', onEnd);
    resolve(rest === null ? null : { body: bytes, rest });
  };
  const late = setTimeout(() => settle(null), wait.timeoutMs);
  const onData = (chunk: Buffer): void => {
    const taken = chunk.copy(bytes, used);
    used += taken;
    if (used === wait.bytes) settle(chunk.subarray(taken));
  };
  const onEnd = (): void => settle(null);
  client.on('data', onData);
  client.on('end', onEnd);
  client.on('close', onEnd);
  client.resume();
  return promise;
}
