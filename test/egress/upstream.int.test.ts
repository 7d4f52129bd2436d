import { describe, expect, it } from 'vitest';
import { Secret } from '../../src/base/index.ts';
import type { Upstream } from '../../src/egress/index.ts';
import { listenRaw, openProxy, publicAddress, until } from './support/open-proxy.ts';
import type { RawClient } from './support/raw-client.ts';

const upstream = (name: string): Upstream => ({
  variable: name,
  host: 'proxy.corp',
  port: 3128,
  authorization: new Secret(name, 'Basic dTpw'),
});
const names = { 'a.com': [publicAddress] };
const connectTo = 'CONNECT A.com:443 HTTP/1.1\r\nHost: evil.com:443\r\nX-Mine: y\r\n\r\n';

describe('a tunnel through a proxy of this machine (SI 4.6)', () => {
  const through = async (
    serve: (connection: RawClient) => void,
  ): Promise<Awaited<ReturnType<typeof openProxy>> & { heard: () => string }> => {
    const server = await listenRaw(serve);
    const proxy = await openProxy({
      allow: ['**'],
      names,
      upstreams: { tunnel: upstream('HTTPS_PROXY'), bypass: ['.direct.com'] },
      ports: { 'proxy.corp:3128': server.port },
      limits: { dialTimeoutMs: 500 },
    });
    return { ...proxy, heard: () => server.connections[0]?.received ?? '' };
  };

  it('asks for the checked host alone, with its own credentials (F9), and passes bytes behind the answer', async () => {
    const { open, heard, dialled, records } = await through((connection) => {
      void connection.waitFor(/\r\n\r\n/).then(() => connection.send('HTTP/1.0 200 Fine\r\nX: y\r\n\r\nhello'));
      connection.socket.once('end', () => connection.socket.end());
    });
    const client = (await open()).send(connectTo);
    expect(await client.waitFor(/hello$/)).toBe('HTTP/1.1 200 Connection established\r\n\r\nhello');
    expect(heard()).toBe('CONNECT a.com:443 HTTP/1.1\r\nHost: a.com:443\r\nProxy-Authorization: Basic dTpw\r\n\r\n');
    expect(dialled).toEqual(['proxy.corp:3128']);
    client.send('up');
    await until(() => heard().endsWith('\r\n\r\nup'), 'the bytes');
    client.socket.end();
    await until(() => records.length === 1, 'the line');
    expect(records[0]).toMatchObject({ bytesUp: 2, bytesDown: 5 });
  });

  it.each([
    ['HTTP/1.1 407 Proxy Authentication Required\r\n\r\n', 'it answered 407'],
    ['HTTP/1.1 201 Created\r\n\r\n', 'it answered 201'],
    ['HTTP/1.1 2000 OK\r\n\r\n', 'it gave no proper answer'],
    ['SSH-2.0-OpenSSH\r\n\r\n', 'it gave no proper answer'],
    ['HTTP/1.1 200 OK\n\n', 'it gave no proper answer'],
  ])('takes no other answer than 200: %j', async (text, why) => {
    const { open } = await through(
      (connection) => void connection.waitFor(/\r\n\r\n/).then(() => connection.send(text)),
    );
    const answer = await (await open()).send(connectTo).waitForEnd();
    expect(answer).toMatch(/^HTTP\/1\.1 502 /);
    expect(answer).toContain(`the proxy of this machine (HTTPS_PROXY): ${why}`);
    expect(answer).not.toContain('dTpw');
  });

  it('waits for an answer no longer than for a connection', async () => {
    const { open } = await through(() => undefined);
    expect(await (await open()).send(connectTo).waitForEnd()).toContain('it gave no proper answer');
  });

  it('still refuses and checks: addresses are judged before it is asked', async () => {
    const { open, dialled } = await through(() => undefined);
    const proxy = await openProxy({
      allow: ['b.com'],
      names: { 'b.com': ['127.0.0.1'] },
      upstreams: { tunnel: upstream('X') },
    });
    expect(await (await proxy.open()).send('CONNECT b.com:443 HTTP/1.1\r\n\r\n').waitForEnd()).toMatch(
      /^HTTP\/1\.1 403/,
    );
    expect(proxy.dialled).toEqual([]);
    const gone = await (await open()).send('CONNECT nowhere.com:443 HTTP/1.1\r\n\r\n').waitForEnd();
    expect([gone.slice(0, 12), dialled]).toEqual(['HTTP/1.1 502', []]);
  });

  it('goes around it where NO_PROXY says so', async () => {
    const origin = await listenRaw((connection) => connection.send('direct'));
    const { open, dialled } = await openProxy({
      allow: ['**'],
      names: { 'x.direct.com': [publicAddress] },
      upstreams: { tunnel: upstream('HTTPS_PROXY'), bypass: ['direct.com'] },
      ports: { [`${publicAddress}:443`]: origin.port },
    });
    await (await open()).send('CONNECT x.direct.com:443 HTTP/1.1\r\n\r\n').waitFor(/direct$/);
    expect(dialled).toEqual([`${publicAddress}:443`]);
  });
});

describe('plain http through a proxy of this machine (PF-H12)', () => {
  const through = async (): Promise<Awaited<ReturnType<typeof openProxy>> & { heard: () => string }> => {
    const server = await listenRaw((connection) => {
      void connection
        .waitFor(/\r\n\r\n(?:hello)?$/)
        .then(() => connection.send('HTTP/1.1 200 OK\r\n\r\nok').socket.end());
    });
    const proxy = await openProxy({
      allow: ['a.com'],
      names,
      upstreams: { absolute: upstream('HTTP_PROXY') },
      ports: { 'proxy.corp:3128': server.port },
    });
    return { ...proxy, heard: () => server.connections.map(({ received }) => received).join('|') };
  };

  it('names the checked host, drops what follows, and lets no client choose the credentials (F10, F11)', async () => {
    const { open, heard } = await through();
    const client = await open();
    client.send('POST http://evil.com@A.com:80/p HTTP/1.1\r\nHost: evil.com\r\nProxy-Authorization: mine\r\n');
    client.send('Content-Length: 5\r\n\r\nhelloGET http://evil.com/ HTTP/1.1\r\nHost: evil.com\r\n\r\n');
    expect(await client.waitForEnd()).toBe('HTTP/1.1 200 OK\r\n\r\nok');
    expect(heard()).toBe(
      'POST http://a.com/p HTTP/1.1\r\nHost: a.com\r\nProxy-Authorization: Basic dTpw\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello',
    );
  });

  it.each([
    ['a chunked body (F12)', 'POST http://a.com/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['a backslash in front of another host (F10)', 'GET http://a.com\\@evil.com/ HTTP/1.1\r\n\r\n'],
  ])('refuses %s and dials nothing', async (_what, text) => {
    const { open, dialled } = await through();
    expect(await (await open()).send(text).waitForEnd()).toMatch(/^HTTP\/1\.1 400 /);
    expect(dialled).toEqual([]);
  });
});
