// The client of all proxies: the same bytes, the same buffers, the same moments.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';

/** A proxy at work, and the name under which it reaches the origin. */
export interface Target {
  readonly port: number;
  readonly authority: string;
}

const deadlineMs = 60_000;

function open({ port }: Target): Socket {
  return connect({ host: '127.0.0.1', port, noDelay: true });
}

function failure(what: string): Error {
  return new Error(`the proxy under measurement ${what}`);
}

/** Opens a tunnel and answers with its socket, paused behind the head. */
export async function openTunnel(target: Target): Promise<Socket> {
  const socket = open(target);
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  let head = '';
  const onData = (chunk: Buffer): void => {
    head += chunk.toString('latin1');
    if (!head.includes('\r\n\r\n')) return;
    socket.off('data', onData);
    socket.off('close', onClose);
    if (/^HTTP\/1\.[01] 200/.test(head)) resolve(socket);
    else reject(failure(`answered ${head.slice(0, 40)}`));
  };
  const onClose = (): void => reject(failure('closed the connection'));
  socket.on('data', onData);
  socket.once('close', onClose);
  socket.on('error', () => undefined);
  socket.write(`CONNECT ${target.authority} HTTP/1.1\r\nHost: ${target.authority}\r\n\r\n`);
  return promise;
}

async function connectOnce(target: Target): Promise<void> {
  const socket = await openTunnel(target);
  socket.destroy();
}

async function askOnce(target: Target): Promise<void> {
  const socket = open(target);
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  let bytes = 0;
  socket.on('error', reject);
  socket.on('data', (chunk: Buffer) => (bytes += chunk.length));
  socket.once('close', () => (bytes > 16 ? resolve(undefined) : reject(failure('gave no answer'))));
  socket.write(`GET http://${target.authority}/ HTTP/1.1\r\nHost: ${target.authority}\r\nConnection: close\r\n\r\n`);
  await promise;
}

/** How many times a second a thing gets done, so many at once. */
async function rate(once: () => Promise<void>, atOnce: number, ms: number): Promise<number> {
  const begin = performance.now();
  let done = 0;
  const one = async (): Promise<void> => {
    while (performance.now() - begin < ms) {
      await once();
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, one));
  return (done * 1000) / (performance.now() - begin);
}

export function connectsPerSecond(target: Target, atOnce: number, ms: number): Promise<number> {
  return rate(() => connectOnce(target), atOnce, ms);
}

export function requestsPerSecond(target: Target, atOnce: number, ms: number): Promise<number> {
  return rate(() => askOnce(target), atOnce, ms);
}

/** Exchanges of 64 bytes a second inside one tunnel, one after the other. */
export async function exchangesPerSecond(target: Target, ms: number): Promise<number> {
  const socket = await openTunnel(target);
  const message = Buffer.alloc(64, 0x2e);
  const exchange = async (): Promise<void> => {
    let left = message.length;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const onData = (chunk: Buffer): void => {
      left -= chunk.length;
      if (left > 0) return;
      socket.off('data', onData);
      resolve(undefined);
    };
    socket.on('data', onData);
    socket.write(message);
    await promise;
  };
  const measured = await rate(exchange, 1, ms);
  socket.destroy();
  return measured;
}

/** Megabytes a second of one transfer of so many bytes through a tunnel. */
export async function bulkRate(target: Target, bytes: number): Promise<number> {
  let received = 0;
  let isOpen = false;
  const { promise: opened, resolve } = Promise.withResolvers<undefined>();
  const socket = connect({
    host: '127.0.0.1',
    port: target.port,
    noDelay: true,
    onread: {
      buffer: Buffer.alloc(256 * 1024),
      callback: (count, buffer) => {
        if (isOpen) received += count;
        else if (Buffer.from(buffer.subarray(0, count)).includes('\r\n\r\n')) {
          isOpen = true;
          resolve(undefined);
        }
        return true;
      },
    },
  });
  socket.write(`CONNECT ${target.authority} HTTP/1.1\r\nHost: ${target.authority}\r\n\r\n`);
  socket.on('error', () => undefined);
  // One that stops in the middle is cut off, and has delivered too little.
  const late = setTimeout(() => socket.destroy(), deadlineMs);
  const closed = once(socket, 'close');
  await Promise.race([opened, closed]);
  const begin = performance.now();
  socket.write(`BULK ${bytes}\n`);
  await closed;
  clearTimeout(late);
  const seconds = (performance.now() - begin) / 1000;
  if (received !== bytes) throw failure(`delivered ${received} of ${bytes} bytes`);
  return bytes / 1e6 / seconds;
}
