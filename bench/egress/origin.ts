// The host that the proxies reach: bulk bytes for `BULK n`, a small answer for GET, and everything else is sent back.
import { createServer } from 'node:net';
import process from 'node:process';

const block = Buffer.alloc(256 * 1024, 0x78);
const answer = Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 16\r\nConnection: close\r\n\r\n0123456789abcdef');

const server = createServer({ noDelay: true, allowHalfOpen: true }, (socket) => {
  socket.on('error', () => undefined);
  socket.on('end', () => socket.end());
  socket.once('data', (first: Buffer) => {
    const text = first.toString('latin1', 0, 32);
    const [, bytes] = /^BULK (\d+)\n/.exec(text) ?? [];
    if (bytes !== undefined) sendBulk(Number(bytes), socket);
    else if (text.startsWith('GET ')) socket.end(answer);
    else {
      socket.write(first);
      socket.on('data', (chunk: Buffer) => socket.write(chunk));
    }
  });
});

function sendBulk(
  bytes: number,
  socket: { write(chunk: Buffer): boolean; end(): unknown; on(event: 'drain', call: () => void): unknown },
): void {
  let left = bytes;
  const send = (): void => {
    while (left > 0) {
      const part = left < block.length ? block.subarray(0, left) : block;
      left -= part.length;
      if (!socket.write(part)) return;
    }
    socket.end();
  };
  socket.on('drain', send);
  send();
}

server.listen({ port: 0, host: '127.0.0.1', backlog: 1024 }, () => {
  const address = server.address();
  process.stdout.write(`${typeof address === 'object' ? (address?.port ?? 0) : 0}\n`);
});
