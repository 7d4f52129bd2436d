import type { Socket } from 'node:net';
import { HeadReader, type ReadHead } from './read-head.ts';

/** How long a client may take to see the end of an answer before its socket is closed for good (PF-R18). */
const lingerMs = 2_000;
/** How long bytes that already came may take on their way to a client, after its host broke off. */
const drainMs = 30_000;

/** Sends the last bytes and ends: what still comes is thrown away, so that its arrival does not cut the answer off. */
export function finish(socket: Socket, bytes: Buffer): void {
  socket.end(bytes);
  lingerOn(socket);
}

/** After the end was written: takes and drops what comes until the other side ends too, for a short while. */
export function lingerOn(socket: Socket): void {
  socket.removeAllListeners('data');
  socket.resume();
  destroyLater(socket, lingerMs);
}

export function destroyLater(socket: Socket, ms: number): void {
  if (socket.destroyed) return;
  const late = setTimeout(() => socket.destroy(), ms);
  socket.on('close', () => clearTimeout(late));
}

/**
 * Copies what one socket receives to another with back-pressure. The end is not passed on. Early bytes are for the
 * caller.
 */
export function pump(from: Socket, to: Socket, count: (bytes: number) => void): void {
  from.on('data', (chunk: Buffer) => {
    count(chunk.length);
    sendOn(from, to, chunk);
  });
  to.on('drain', () => from.resume());
  from.resume();
}

/** Writes to `to`, and stops `from` while that has not been taken; `drain` of `to` is for the caller to watch. */
export function sendOn(from: Socket, to: Socket, chunk: Buffer): void {
  if (!to.writable) return;
  // What the kernel took at once needs no waiting.
  if (!to.write(chunk) && to.writableLength > 0) from.pause();
}

/** Whether a closed socket ended properly in both directions. */
export function endedWell(socket: Socket): boolean {
  return socket.readableEnded && socket.writableFinished;
}

/** Calls when a socket has said its last, which an idle one may have done before anybody listened. */
export function onceEnded(socket: Socket, call: () => void): void {
  if (socket.readableEnded) call();
  else socket.on('end', call);
}

/** Ties two ends: each end is passed on as a half-close, and one that breaks takes the other with it. */
export function tie(client: Socket, origin: Socket): void {
  onceEnded(client, () => endAfter(client, origin));
  onceEnded(origin, () => endAfter(origin, client));
  client.on('close', () => {
    if (!endedWell(client)) origin.destroy();
  });
  origin.on('close', () => {
    if (endedWell(origin)) return;
    client.destroySoon();
    destroyLater(client, drainMs);
  });
}

/** Passes the end of `ended` on. Where that was all, in both directions, one step closes the socket instead of two. */
function endAfter(ended: Socket, other: Socket): void {
  const isAll = other.readableEnded && other.writableLength === 0 && ended.writableFinished;
  if (isAll) other.destroy();
  else other.end();
}

export type HeadFromSocket =
  Exclude<ReadHead, { kind: 'incomplete' }> | { readonly kind: 'ended' } | { readonly kind: 'late' };

export interface HeadWait {
  /** Bytes that came already. */
  readonly first: Buffer;
  readonly timeoutMs: number;
  /** Whether the time begins with the first byte: a connection that may be kept idle. */
  readonly idle: boolean;
}

/** Reads one head from a socket and leaves it paused and without listeners. Calls back once. */
export function readHeadFrom(socket: Socket, wait: HeadWait, done: (read: HeadFromSocket) => void): void {
  const reader = new HeadReader();
  let late: NodeJS.Timeout | null = null;
  const startClock = (): void => {
    late ??= setTimeout(() => settle({ kind: 'late' }), wait.timeoutMs);
  };
  const settle = (read: HeadFromSocket): void => {
    if (late !== null) clearTimeout(late);
    socket.pause();
    socket.off('data', onData);
    socket.off('end', onEnd);
    socket.off('close', onEnd);
    done(read);
  };
  const onData = (chunk: Buffer): void => {
    startClock();
    const read = reader.push(chunk);
    if (read.kind !== 'incomplete') settle(read);
  };
  const onEnd = (): void => settle({ kind: 'ended' });
  socket.on('data', onData);
  socket.on('end', onEnd);
  socket.on('close', onEnd);
  if (!wait.idle) startClock();
  if (wait.first.length > 0) {
    startClock();
    const read = reader.push(wait.first);
    if (read.kind !== 'incomplete') {
      settle(read);
      return;
    }
  }
  if (socket.readableEnded || socket.destroyed) settle({ kind: 'ended' });
  else socket.resume();
}
