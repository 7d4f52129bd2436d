import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { listenRaw, openProxy, otherAddress, publicAddress, until } from './support/open-proxy.ts';

const connectTo = (authority: string): string => `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`;
const established = 'HTTP/1.1 200 Connection established\r\n\r\n';

describe('a tunnel', () => {
  it('dials the address that was checked and never the name (SI-9.6 F1)', async () => {
    const origin = await listenRaw((connection) => connection.send('hello'));
    const names = { 'api.example.com': [publicAddress] };
    const { open, dialled, asked, records } = await openProxy({
      allow: ['api.example.com'],
      names,
      ports: { [`${publicAddress}:443`]: origin.port },
    });
    const client = await open();
    client.send(connectTo('API.example.com.:443'));
    expect(await client.waitFor(/hello$/)).toBe(`${established}hello`);
    expect(asked).toEqual(['api.example.com']);
    expect(dialled).toEqual([`${publicAddress}:443`]);

    client.send('abc');
    await until(() => origin.connections[0]?.received === 'abc', 'the bytes');
    client.socket.end();
    origin.connections[0]?.socket.end();
    await client.waitForClose();
    await until(() => records.length === 1, 'the line');
    expect(records[0]).toMatchObject({
      method: 'CONNECT',
      host: 'api.example.com',
      port: 443,
      phase: 'runtime',
      allow: true,
      reason: 'on the allow list',
      rule: 'api.example.com',
      failure: null,
      bytesUp: 3,
      bytesDown: 5,
    });
  });

  it('goes on to the next address where one does not answer', async () => {
    const origin = await listenRaw((connection) => connection.send('hello'));
    const { open, dialled } = await openProxy({
      allow: ['**'],
      names: { 'a.com': [publicAddress, otherAddress] },
      ports: { [`${otherAddress}:80`]: origin.port },
    });
    const client = (await open()).send(connectTo('a.com:80'));
    await client.waitFor(/hello$/);
    expect(dialled).toEqual([`${publicAddress}:80`, `${otherAddress}:80`]);
  });

  it('says 502 and what failed where no address answers, which is no refusal', async () => {
    const { open, refusals, records } = await openProxy({ allow: ['a.com'], names: { 'a.com': [publicAddress] } });
    const client = (await open()).send(connectTo('a.com:443'));
    const answer = await client.waitForEnd();
    expect(answer).toMatch(/^HTTP\/1\.1 502 Bad Gateway \(kraft: a\.com:443: .*ECONNREFUSED\)\)\r\n/);
    expect(answer).toMatch(/\r\nProxy-Status: kraft; error=connection_refused; /);
    expect(answer).toMatch(/\r\n\r\nkraft: a\.com:443 is allowed, but was not reached: .* outage and no policy\.\n$/);
    client.socket.end();
    await until(() => records.length === 1, 'the line');
    expect(records[0]).toMatchObject({ allow: true, failure: expect.stringContaining('ECONNREFUSED') as string });
    expect(refusals).toEqual([]);
  });

  it('says 504 where nothing answers in time, after the next address was tried', async () => {
    const { open, dialled } = await openProxy({
      allow: ['a.com'],
      names: { 'a.com': [publicAddress, otherAddress] },
      ports: { [`${publicAddress}:443`]: 0, [`${otherAddress}:443`]: 0 },
      limits: { dialTimeoutMs: 50 },
    });
    const answer = await (await open()).send(connectTo('a.com:443')).waitForEnd();
    expect(answer).toMatch(/^HTTP\/1\.1 504 Gateway Timeout [^]*error=connection_timeout/);
    expect(dialled).toHaveLength(2);
  });

  it('says 502 with the word of the resolver for a name that does not resolve, and dials nothing', async () => {
    const { open, dialled, refusals } = await openProxy({ allow: ['**'] });
    const answer = await (await open()).send(connectTo('no.such.example:443')).waitForEnd();
    expect(answer).toMatch(/^HTTP\/1\.1 502 .*does not resolve \(ENOTFOUND\)/);
    expect(answer).toMatch(/error=dns_error/);
    expect(dialled).toEqual([]);
    expect(refusals).toEqual([]);
  });

  it('passes bytes that came with the head, and those that the host says first', async () => {
    const origin = await listenRaw((connection) => connection.send('220 ready\r\n'));
    const { open } = await openProxy({
      allow: ['a.com:25'],
      names: { 'a.com': [publicAddress] },
      ports: { [`${publicAddress}:25`]: origin.port },
    });
    const client = (await open()).send(`${connectTo('a.com:25')}EHLO me\r\n`);
    await client.waitFor(/220 ready/);
    await until(() => origin.connections[0]?.received === 'EHLO me\r\n', 'the early bytes');
    expect(client.received).toBe(`${established}220 ready\r\n`);
  });

  it('half-closes each way and keeps the other way open', async () => {
    const origin = await listenRaw();
    const { open } = await openProxy({
      allow: ['a.com'],
      names: { 'a.com': [publicAddress] },
      ports: { [`${publicAddress}:443`]: origin.port },
    });
    const first = (await open()).send(connectTo('a.com:443'));
    await first.waitFor(/\r\n\r\n$/);
    first.send('question').socket.end();
    await until(() => origin.connections[0]?.ended === true, 'the end of the client');
    origin.connections[0]?.send('answer after the end').socket.end();
    expect(await first.waitForEnd()).toBe(`${established}answer after the end`);
    await first.waitForClose();

    const second = (await open()).send(connectTo('a.com:443'));
    await second.waitFor(/\r\n\r\n$/);
    await until(() => origin.connections.length === 2, 'the second connection');
    origin.connections[1]?.send('all that I say').socket.end();
    await second.waitForEnd();
    second.send('still heard').socket.end();
    await until(() => origin.connections[1]?.ended === true, 'the end of the client');
    expect(origin.connections[1]?.received).toBe('still heard');
  });

  it('half-closes a host to which the client ended before the tunnel stood', async () => {
    const origin = await listenRaw();
    const { open } = await openProxy({
      allow: ['a.com'],
      ask: () => new Promise((resolve) => setTimeout(resolve, 50, { kind: 'addresses', addresses: [publicAddress] })),
      ports: { [`${publicAddress}:443`]: origin.port },
    });
    const client = (await open()).send(`${connectTo('a.com:443')}bye`);
    client.socket.end();
    await until(() => origin.connections[0]?.ended === true, 'the end of the client');
    expect(origin.connections[0]?.received).toBe('bye');
  });

  it('carries many bytes each way unharmed, with a reader that stops in between', { timeout: 30_000 }, async () => {
    const up = randomBytes(6 * 1024 * 1024);
    const down = randomBytes(24 * 1024 * 1024);
    const origin = await listenRaw((connection) => {
      connection.socket.write(down);
      setTimeout(() => connection.socket.pause(), 20);
      setTimeout(() => connection.socket.resume(), 200);
    });
    const { open, records } = await openProxy({
      allow: ['a.com'],
      names: { 'a.com': [publicAddress] },
      ports: { [`${publicAddress}:443`]: origin.port },
    });
    const clients = await Promise.all(Array.from({ length: 3 }, () => open()));
    for (const client of clients) {
      client.send(connectTo('a.com:443')).send(up);
      setTimeout(() => client.socket.pause(), 30);
      setTimeout(() => client.socket.resume(), 300);
    }
    const whole = established.length + down.length;
    await until(() => clients.every((client) => client.received.length === whole), 'all bytes down');
    await until(() => origin.connections.every(({ received }) => received.length === up.length), 'all bytes up');
    for (const client of clients) {
      expect(Buffer.from(client.received.slice(established.length), 'latin1').equals(down)).toBe(true);
      client.socket.end();
    }
    for (const { received, socket } of origin.connections) {
      expect(Buffer.from(received, 'latin1').equals(up)).toBe(true);
      socket.end();
    }
    await until(() => records.length === 3, 'the lines');
    expect(records[0]).toMatchObject({ bytesUp: up.length, bytesDown: down.length });
  });
});
