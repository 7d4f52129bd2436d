import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { listenRaw, openProxy, publicAddress, until, type Listening, type ProxySetup } from './support/open-proxy.ts';

const connectTo = 'CONNECT a.com:443 HTTP/1.1\r\nHost: a.com\r\n\r\n';
const established = /^HTTP\/1\.1 200 Connection established\r\n\r\n/;

const toward = (origin: Listening): ProxySetup => ({
  allow: ['a.com'],
  names: { 'a.com': [publicAddress] },
  ports: { [`${publicAddress}:443`]: origin.port },
});

const openDescriptors = (): number => readdirSync('/proc/self/fd').length;

describe('a connection to the proxy', () => {
  it('that says nothing, or not enough, is closed without an answer (SI-9.6 F16)', async () => {
    const { open } = await openProxy({ limits: { headTimeoutMs: 50 } });
    const silent = await open();
    const slow = (await open()).send('CONNECT a.com:443 HTT');
    expect(await silent.waitForEnd()).toBe('');
    expect(await slow.waitForEnd()).toBe('');
  });

  it('that ends before its head does is closed', async () => {
    const { open, records } = await openProxy({});
    const client = (await open()).send('CONNECT a.c');
    client.socket.end();
    await client.waitForClose();
    expect(records).toEqual([]);
  });

  it('whose client is gone mid-tunnel takes the connection to its host with it, and nothing else (PF-R16, R21)', async () => {
    const origin = await listenRaw((connection) => {
      const flood = (): void => {
        while (connection.socket.writable && connection.socket.write(Buffer.alloc(65_536)));
      };
      connection.socket.on('drain', flood);
      flood();
    });
    const { open, records } = await openProxy(toward(origin));
    const killed = (await open()).send(connectTo);
    const other = (await open()).send(connectTo);
    await killed.waitFor(established);
    await other.waitFor(established);
    killed.socket.destroy();
    await until(() => origin.connections.filter(({ closed }) => closed).length === 1, 'the end of one connection');
    const before = other.received.length;
    await until(() => other.received.length > before + 1_000_000, 'more bytes of the other');
    expect(records).toHaveLength(1);
  });

  it('is reset by its host without a word: the client sees the end', async () => {
    const origin = await listenRaw((connection) => connection.send('part'));
    const { open, records } = await openProxy(toward(origin));
    const client = (await open()).send(connectTo);
    await client.waitFor(/part$/);
    origin.connections[0]?.socket.resetAndDestroy();
    expect(await client.waitForEnd()).toMatch(/\r\n\r\npart$/);
    client.socket.destroy();
    await until(() => records.length === 1, 'the line');
  });

  it('stays open while nothing is said in its tunnel (PF-P11)', async () => {
    const origin = await listenRaw();
    const { open } = await openProxy({ ...toward(origin), limits: { headTimeoutMs: 30, dialTimeoutMs: 30 } });
    const client = (await open()).send(connectTo);
    await client.waitFor(established);
    await new Promise((resolve) => setTimeout(resolve, 150));
    origin.connections[0]?.send('still here');
    await client.waitFor(/still here$/);
    expect([client.ended, origin.connections[0]?.ended]).toEqual([false, false]);
  });
});

describe('the bounds of a session', () => {
  it('holds so many connections to hosts, and takes the next when one ends', async () => {
    const origin = await listenRaw();
    const { open, records } = await openProxy({ ...toward(origin), limits: { tunnels: 2 } });
    const [first, second, third] = await Promise.all([open(), open(), open()]);
    await first.send(connectTo).waitFor(established);
    await second.send(connectTo).waitFor(established);
    expect(await third.send(connectTo).waitForEnd()).toMatch(/^HTTP\/1\.1 503 .*too many requests to hosts/);
    first.socket.end();
    origin.connections[0]?.socket.end();
    await first.waitForClose();
    await until(() => records.some(({ failure }) => failure === null), 'the line of the first');
    await (await open()).send(connectTo).waitFor(established);
  });

  it('holds so many connections of the worker', async () => {
    const { open } = await openProxy({ limits: { connections: 2 } });
    await open();
    await open();
    expect(await (await open()).waitForEnd()).toMatch(/^HTTP\/1\.1 503 .*too many connections/);
  });

  it('leaves no socket behind after refusals, whatever their clients do (PF-R18)', async () => {
    const { open, records } = await openProxy({});
    const before = openDescriptors();
    const clients = await Promise.all(Array.from({ length: 40 }, () => open()));
    // Each client holds its own side open and never closes it.
    for (const client of clients) expect(await client.send(connectTo).waitForEnd()).toMatch(/^HTTP\/1\.1 403/);
    // A line is written when its connection is closed; descriptors of an earlier test may go meanwhile.
    await until(() => records.length === clients.length, 'the end of every connection');
    await until(() => openDescriptors() <= before + clients.length, 'the close of all sockets of the proxy');
  });
});

describe('the end of a session', () => {
  it('ends its tunnels within five seconds, told properly, and takes no further connection', async () => {
    const origin = await listenRaw();
    const { open, proxy, records } = await openProxy(toward(origin));
    const polite = (await open()).send(connectTo);
    await polite.waitFor(established);
    polite.socket.once('end', () => polite.socket.end());
    const stubborn = (await open()).send(connectTo);
    await stubborn.waitFor(established);
    const waiting = await open();
    const begin = performance.now();
    await proxy.close();
    expect(performance.now() - begin).toBeLessThan(5_000);
    await Promise.all([polite.waitForEnd(), stubborn.waitForEnd(), waiting.waitForEnd()]);
    await until(() => origin.connections.every(({ ended, closed }) => ended || closed), 'the ends of the host');
    expect(records).toHaveLength(2);
    expect(await (await open()).waitForEnd()).toBe('');
    await proxy.close();
  });

  it('leaves the tunnels of another session alone', async () => {
    const origin = await listenRaw();
    const one = await openProxy(toward(origin));
    const other = await openProxy(toward(origin));
    const kept = (await other.open()).send(connectTo);
    await kept.waitFor(established);
    await (await one.open()).send(connectTo).waitFor(established);
    await one.proxy.close();
    origin.connections[0]?.send('on');
    await kept.waitFor(/on$/);
    expect(kept.ended).toBe(false);
  });
});
