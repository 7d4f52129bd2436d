import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { KraftAnswer, KraftHost, KraftRequest } from '../../src/egress/index.ts';
import { openProxy } from './support/open-proxy.ts';

const said = (body: string, status = 200): KraftAnswer => ({ kind: 'answer', status, contentType: 'text/plain', body });

/** Kraft itself, which keeps what it was asked. */
function answering(
  answer: (call: KraftRequest) => KraftAnswer | Promise<KraftAnswer>,
): KraftHost & { calls: KraftRequest[] } {
  const calls: KraftRequest[] = [];
  return {
    calls,
    answer: (call) => {
      calls.push(call);
      return Promise.resolve(answer(call));
    },
  };
}

const bodyOf = (call: KraftRequest | undefined): string => Buffer.from(call?.body ?? []).toString();

describe('the host kraft', () => {
  it('is answered in absolute form whatever the lists say, and dialled nowhere', async () => {
    const kraft = answering((call) => said(`${call.method} ${call.target}\n`, 409));
    const { open, dialled, asked, records } = await openProxy({ kraft, deny: ['**', 'kraft'] });
    const client = await open();
    client.send('POST http://kraft/api/x?y=1 HTTP/1.1\r\nHost: evil\r\nX-Twice: a\r\nx-twice: b\r\n__proto__: z\r\n');
    client.send('Content-Length: 4\r\n\r\nab');
    client.send('cd');
    expect(await client.waitForEnd()).toBe(
      'HTTP/1.1 409 Conflict\r\nContent-Type: text/plain\r\nContent-Length: 16\r\nConnection: close\r\n\r\nPOST /api/x?y=1\n',
    );
    expect(bodyOf(kraft.calls[0])).toBe('abcd');
    expect({ ...kraft.calls[0]?.headers }).toMatchObject({ host: 'evil', 'x-twice': 'b' });
    expect([dialled, asked]).toEqual([[], []]);
    expect(records).toMatchObject([
      { host: 'kraft', port: 80, method: 'POST', allow: true, reason: 'Kraft itself', bytesUp: 4 },
    ]);
  });

  it('is answered in origin form (PF-H14)', async () => {
    const kraft = answering(() => said('yes'));
    const { open } = await openProxy({ kraft });
    expect(await (await open()).send('GET /api/x HTTP/1.1\r\nHost: kraft\r\n\r\n').waitForEnd()).toMatch(
      /\r\n\r\nyes$/,
    );
  });

  it('is answered inside a tunnel, one request after the other (H4, PF-H11)', async () => {
    const kraft = answering((call) => said(`${call.target} ${bodyOf(call)}`));
    const { open, records } = await openProxy({ kraft });
    const client = await open();
    client.send(
      'CONNECT kraft:80 HTTP/1.1\r\nHost: kraft:80\r\n\r\nPOST /one HTTP/1.1\r\nHost: kraft\r\nContent-Length: 1\r\n\r\n1',
    );
    await client.waitFor(/\/one 1$/);
    client.send(
      'POST /two HTTP/1.1\r\nHost: kraft\r\nContent-Length: 1\r\n\r\n2GET http://kraft/three HTTP/1.1\r\n\r\n',
    );
    const all = await client.waitFor(/\/three $/);
    expect(all.match(/HTTP\/1\.1 200 OK\r\n/g)).toHaveLength(3);
    expect(all.match(/Connection: keep-alive\r\n/g)).toHaveLength(3);
    client.send('GET /four HTTP/1.1\r\nHost: kraft\r\nConnection: close\r\n\r\n');
    expect(await client.waitForEnd()).toMatch(/Connection: close\r\n\r\n\/four $/);
    expect(records.map(({ method }) => method)).toEqual(['POST', 'POST', 'GET', 'GET']);
  });

  it('is all that a tunnel to it reaches', async () => {
    const kraft = answering(() => said('yes'));
    const { open, dialled } = await openProxy({ kraft, allow: ['a.com'], names: { 'a.com': ['93.184.215.14'] } });
    for (const inner of [
      'GET http://a.com/ HTTP/1.1\r\n\r\n',
      'GET / HTTP/1.1\r\nHost: a.com\r\n\r\n',
      'CONNECT a.com:80 HTTP/1.1\r\n\r\n',
    ]) {
      const client = (await open()).send(`CONNECT kraft:80 HTTP/1.1\r\n\r\n${inner}`);
      expect(await client.waitForEnd()).toMatch(/^HTTP\/1\.1 200 [^]*\r\n\r\nHTTP\/1\.1 400 /);
    }
    expect([kraft.calls, dialled]).toEqual([[], []]);
  });

  it.each(['CONNECT kraft:443 HTTP/1.1', 'GET http://kraft:8080/ HTTP/1.1'])(
    'is refused on other ports: %s',
    async (line) => {
      const kraft = answering(() => said('yes'));
      const { open, refusals } = await openProxy({ kraft, allow: ['**', 'kraft'] });
      expect(await (await open()).send(`${line}\r\n\r\n`).waitForEnd()).toMatch(/^HTTP\/1\.1 403 /);
      expect(refusals).toMatchObject([{ kind: 'host', decision: { host: 'kraft', allow: false } }]);
      expect(kraft.calls).toEqual([]);
    },
  );

  it('without anybody to answer is refused (SI-9.6 F8), and so is a call that is not for a worker', async () => {
    const nobody = await openProxy({ allow: ['**'] });
    const call = 'POST http://kraft/api/x?y=1 HTTP/1.1\r\nContent-Length: 0\r\n\r\n';
    expect(await (await nobody.open()).send(call).waitForEnd()).toMatch(/^HTTP\/1\.1 403 /);
    expect(nobody.refusals).toMatchObject([{ kind: 'route', route: 'POST /api/x' }]);

    const kraft = answering(() => ({ kind: 'refused', route: 'POST /api/x', reason: 'no call of a worker' }));
    const some = await openProxy({ kraft });
    const answer = await (await some.open()).send(call).waitForEnd();
    expect(answer).toMatch(
      /^HTTP\/1\.1 403 Forbidden \(kraft: no call of a worker\)\r\n[^]*\nkraft: POST \/api\/x is refused/,
    );
    expect(some.refusals).toEqual([{ kind: 'route', route: 'POST /api/x', reason: 'no call of a worker' }]);
  });

  it('takes a body of 16 MiB and no larger one, and none without a length', { timeout: 20_000 }, async () => {
    const kraft = answering((call) => said(String(call.body.length)));
    const { open } = await openProxy({ kraft });
    const most = 16 * 1024 * 1024;
    const head = (length: number): string => `POST http://kraft/x HTTP/1.1\r\nContent-Length: ${length}\r\n\r\n`;
    const large = (await open()).send(head(most)).send(Buffer.alloc(most));
    expect(await large.waitForEnd()).toMatch(/\r\n\r\n16777216$/);
    expect(await (await open()).send(head(most + 1)).waitForEnd()).toMatch(/^HTTP\/1\.1 413 /);
    const chunked = 'POST http://kraft/x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n';
    expect(await (await open()).send(chunked).waitForEnd()).toMatch(/^HTTP\/1\.1 411 /);
    expect(kraft.calls).toHaveLength(1);
  });

  it('ends the connection of a body that does not come', async () => {
    const kraft = answering(() => said('yes'));
    const { open } = await openProxy({ kraft, limits: { headTimeoutMs: 50 } });
    const client = (await open()).send('POST http://kraft/x HTTP/1.1\r\nContent-Length: 10\r\n\r\nhalf');
    expect(await client.waitForEnd()).toBe('');
    expect(kraft.calls).toEqual([]);
  });

  it('holds few large bodies at once, and answers all', async () => {
    let held = 0;
    let most = 0;
    const kraft = answering(async () => {
      held += 1;
      most = Math.max(most, held);
      await new Promise((resolve) => setImmediate(resolve));
      held -= 1;
      return said('yes');
    });
    const { open } = await openProxy({ kraft, limits: { kraftBodies: 2 } });
    const clients = await Promise.all(Array.from({ length: 8 }, () => open()));
    for (const client of clients) {
      client.send('POST http://kraft/x HTTP/1.1\r\nContent-Length: 100000\r\n\r\n').send(Buffer.alloc(100_000));
    }
    for (const client of clients) expect(await client.waitForEnd()).toMatch(/\r\n\r\nyes$/);
    expect(most).toBeLessThanOrEqual(2);
  });

  it('serves a client of HTTP as it is, which waits to be told to send its body', async () => {
    const kraft = answering((call) => said(bodyOf(call)));
    const { path } = await openProxy({ kraft });
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const headers = { host: 'kraft', 'content-length': 5, expect: '100-continue' };
    const call = request({ socketPath: path, path: 'http://kraft/x', method: 'POST', headers }, (response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => (body += chunk.toString()));
      response.on('end', () => resolve(body));
    });
    call.on('continue', () => call.end('hello'));
    call.on('error', reject);
    call.flushHeaders();
    expect(await promise).toBe('hello');
  });
});
