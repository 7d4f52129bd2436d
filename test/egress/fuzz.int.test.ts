import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { listenRaw, MappedDialer, openProxy, publicAddress, until } from './support/open-proxy.ts';
import { mayBeUnderstood, mutate, seededRandom } from './support/mutate.ts';

const requests = 5_000;
const atOnce = 25;

const openDescriptors = (): number => readdirSync('/proc/self/fd').length;

describe('mutated requests over sockets (issue 4)', () => {
  it(
    '5,000 of them crash, hang and leak nothing, and of none that is malformed a byte is forwarded',
    { timeout: 120_000 },
    async () => {
      const origin = await listenRaw((connection) => {
        connection.socket.once('data', () =>
          connection.send('HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nok').socket.end(),
        );
        connection.socket.once('end', () => connection.socket.end());
      });
      const kraft = {
        answer: () => Promise.resolve({ kind: 'answer', status: 200, contentType: 'text/plain', body: 'ok' } as const),
      };
      const { open, dialled } = await openProxy({
        allow: ['**'],
        deny: ['evil.example'],
        ask: () => Promise.resolve({ kind: 'addresses', addresses: [publicAddress] }),
        dialer: new MappedDialer(() => origin.port),
        kraft,
      });
      const random = seededRandom(7);
      const before = openDescriptors();
      const answers = new Map<string, number>();

      const ask = async (text: string): Promise<void> => {
        const client = await open();
        client.send(text).socket.end();
        const answer = await client.waitForEnd();
        client.socket.destroy();
        const status = answer.slice(9, 12);
        answers.set(status, (answers.get(status) ?? 0) + 1);
        if (!mayBeUnderstood(text) && status !== '400' && status !== '')
          expect.fail(`${status} for ${JSON.stringify(text)}`);
      };
      const batches = async (holds: (text: string) => boolean, count: number): Promise<void> => {
        let left = count;
        while (left > 0) {
          const batch: string[] = [];
          while (batch.length < Math.min(atOnce, left)) {
            const text = mutate(random);
            if (holds(text)) batch.push(text);
          }
          await Promise.all(batch.map(ask));
          left -= batch.length;
        }
      };
      await batches((text) => !mayBeUnderstood(text), requests / 2);
      expect([dialled, origin.connections]).toEqual([[], []]);
      await batches(() => true, requests / 2);

      expect([...answers.values()].reduce((sum, count) => sum + count, 0)).toBe(requests);
      for (const status of ['', '200', '400', '403']) expect(answers.get(status) ?? 0).toBeGreaterThan(10);
      // Every head that arrived anywhere is one that may be: bytes of a tunnel aside, which are the client's own.
      const heads = origin.connections.filter(({ received }) => /\r\nConnection: close\r\n\r\n/.test(received));
      expect(heads.length).toBeGreaterThan(100);
      for (const { received } of heads) expect(mayBeUnderstood(received)).toBe(true);
      await until(() => openDescriptors() <= before + 4, 'the close of all sockets');
    },
  );
});
