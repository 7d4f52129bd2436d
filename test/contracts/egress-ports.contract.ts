import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { AskSystem, Dialer } from '../../src/egress/index.ts';

/** Where a dialer under test finds a server that listens on a port of loopback, and one that refuses. */
export interface DialerUnderTest {
  readonly dialer: Dialer;
  readonly address: string;
  readonly port: (listening: number) => number;
  readonly refusing: { readonly address: string; readonly port: number };
}

/** What every `Dialer` does; run against the kernel's and the one of the tests. */
export function dialerContract(name: string, open: (listening: () => number) => DialerUnderTest): void {
  describe(`the dialer contract of ${name}`, () => {
    it('connects, delivers into the given buffer before or as data, and stays open in one direction', async () => {
      const server = createServer({ allowHalfOpen: true }, (socket) => {
        socket.end('hello');
        socket.on('data', (chunk) => received.push(chunk.toString()));
      });
      const received: string[] = [];
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      onTestFinished(() => void server.close());
      const { dialer, address, port } = open(() => (server.address() as AddressInfo).port);
      for (const isRead of [true, false]) {
        let heard = '';
        const onread = {
          buffer: Buffer.alloc(16),
          callback: (bytes: number, buffer: Uint8Array) => {
            heard += Buffer.from(buffer.subarray(0, bytes)).toString();
            return true;
          },
        };
        const to = { address, port: port((server.address() as AddressInfo).port) };
        const socket = dialer.connect(to, isRead ? onread : null);
        if (!isRead) socket.on('data', (chunk: Buffer) => (heard += chunk.toString()));
        await once(socket, 'end');
        expect([heard, socket.writable]).toEqual(['hello', true]);
        socket.end(`after ${isRead}`);
        await once(socket, 'close');
      }
      await expect.poll(() => received).toEqual(['after true', 'after false']);
    });

    it("tells a refused connection by the kernel's word", async () => {
      const { dialer, refusing } = open(() => 1);
      const [error] = (await once(dialer.connect(refusing, null), 'error')) as [NodeJS.ErrnoException];
      expect(error.code).toBe('ECONNREFUSED');
    });
  });
}

/** What everything that is asked for addresses does; `known` resolves to loopback. */
export function askSystemContract(name: string, open: () => { readonly ask: AskSystem; readonly known: string }): void {
  describe(`the contract of names asked of ${name}`, () => {
    it('answers with addresses in plain text, or with the word for why there are none', async () => {
      const { ask, known } = open();
      const found = await ask(known);
      expect(found.kind === 'addresses' ? found.addresses : found).toContain('127.0.0.1');
      expect(await ask('no-such-name.invalid')).toEqual({
        kind: 'outage',
        code: expect.stringMatching(/^E[A-Z_]+$/) as string,
      });
    });
  });
}
