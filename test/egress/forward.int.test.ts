import { describe, expect, it } from 'vitest';
import {
  listenRaw,
  openProxy,
  publicAddress,
  until,
  type Listening,
  type ProxyUnderTest,
} from './support/open-proxy.ts';
import type { RawClient } from './support/raw-client.ts';

const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok';

interface Path extends ProxyUnderTest {
  readonly origin: Listening;
  readonly heard: () => string;
}

/** A proxy that allows `a.com`, with a host behind it that does as told. */
async function openPath(serve: (connection: RawClient) => void = () => undefined): Promise<Path> {
  const origin = await listenRaw(serve);
  const proxy = await openProxy({
    allow: ['a.com', 'b.com'],
    names: { 'a.com': [publicAddress], 'b.com': [publicAddress] },
    ports: { [`${publicAddress}:80`]: origin.port, [`${publicAddress}:8080`]: origin.port },
  });
  return { ...proxy, origin, heard: () => origin.connections[0]?.received ?? '' };
}

/** Answers once the request matches, and ends. */
const answering =
  (wanted: RegExp, text = answer) =>
  (connection: RawClient): void =>
    void connection.waitFor(wanted).then(() => connection.send(text).socket.end());

describe('a request in absolute form', () => {
  it('leaves in origin form with the checked host, without hop headers, bytes as they came (SI-9.6 F2)', async () => {
    const { open, heard, records } = await openPath(answering(/\r\n\r\n$/));
    const client = await open();
    client.send(
      [
        'GET http://user:secret@A.com:8080/p?q=\xe4#part HTTP/1.1',
        'Host: b.com',
        'Proxy-Authorization: Basic eDp5',
        'Proxy-Connection: keep-alive',
        'Connection: keep-alive, X-Hop',
        'Keep-Alive: timeout=5',
        'X-Hop: mine',
        'TE: trailers',
        'Upgrade: h2c',
        'X-Odd: \xe4\xff',
        'Accept: */*',
        '',
        '',
      ].join('\r\n'),
    );
    expect(await client.waitForEnd()).toBe(answer);
    expect(heard()).toBe(
      'GET /p?q=\xe4 HTTP/1.1\r\nHost: a.com:8080\r\nX-Odd: \xe4\xff\r\nAccept: */*\r\nConnection: close\r\n\r\n',
    );
    client.socket.end();
    await until(() => records.length === 1, 'the line');
    expect(records[0]).toMatchObject({
      method: 'GET',
      host: 'a.com',
      port: 8080,
      allow: true,
      bytesDown: answer.length,
    });
  });

  it('carries a body of a told length and nothing behind it (F11)', async () => {
    const { open, heard, records } = await openPath(answering(/hello$/));
    const client = await open();
    client.send('POST http://a.com/ HTTP/1.1\r\nHost: a.com\r\nContent-Length: 5\r\n\r\nhel');
    client.send('loGET http://a.com/second HTTP/1.1\r\nHost: a.com\r\n\r\n');
    expect(await client.waitForEnd()).toBe(answer);
    expect(heard()).toBe('POST / HTTP/1.1\r\nHost: a.com\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello');
    client.socket.end();
    await until(() => records.length === 1, 'the line');
    expect(records[0]).toMatchObject({ bytesUp: 5 });
  });

  it.each(['DELETE', 'OPTIONS', 'PATCH', 'POST'])('frames the chunked body of %s anew (H01, H08)', async (method) => {
    const { open, heard } = await openPath(answering(/0\r\n\r\n$/));
    const client = await open();
    client.send(
      `${method} http://a.com/ HTTP/1.1\r\nHost: a.com\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\n\r\n5;x\r\nhe`,
    );
    client.send('llo\r\n0\r\nX: y\r\n\r\nDELETE http://a.com/all HTTP/1.1\r\n\r\n');
    expect(await client.waitForEnd()).toBe(answer);
    expect(heard()).toBe(
      `${method} / HTTP/1.1\r\nHost: a.com\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
    );
  });

  it('breaks off at a chunk that is none, and says so', async () => {
    const { open, heard, origin } = await openPath();
    const client = await open();
    client.send('POST http://a.com/ HTTP/1.1\r\nHost: a.com\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n');
    await until(() => heard().endsWith('abc\r\n'), 'the first chunk');
    client.send('zz\r\nGET /smuggled HTTP/1.1\r\n\r\n');
    expect(await client.waitForEnd()).toMatch(/^HTTP\/1\.1 400 .*the size of a chunk is not a number/);
    await origin.connections[0]?.waitForClose();
    expect(heard()).toMatch(/\r\n\r\n3\r\nabc\r\n$/);
  });

  it('breaks off when the body ends early', async () => {
    const { open, origin } = await openPath();
    const client = await open();
    client.send('POST http://a.com/ HTTP/1.1\r\nHost: a.com\r\nContent-Length: 50\r\n\r\nhello').socket.end();
    await client.waitForClose();
    await until(() => origin.connections[0]?.closed === true, 'the end of the connection to the host');
    expect(client.received).toBe('');
  });

  it('passes the word of a host that the client waits for', async () => {
    const { open, heard } = await openPath((connection) => {
      void connection.waitFor(/\r\n\r\n$/).then(() => connection.send('HTTP/1.1 100 Continue\r\n\r\n'));
      answering(/body$/)(connection);
    });
    const client = await open();
    client.send('PUT http://a.com/ HTTP/1.1\r\nHost: a.com\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n');
    await client.waitFor(/100 Continue\r\n\r\n$/);
    client.send('body');
    expect(await client.waitForEnd()).toBe(`HTTP/1.1 100 Continue\r\n\r\n${answer}`);
    expect(heard()).toContain('Expect: 100-continue\r\n');
  });

  it('answers 502 for a host that ends without an answer, and breaks off after a part of one (H09)', async () => {
    const silent = await openPath(
      (connection) => void connection.waitFor(/\r\n\r\n/).then(() => connection.socket.end()),
    );
    const request = 'GET http://a.com/ HTTP/1.1\r\nHost: a.com\r\n\r\n';
    const client = (await silent.open()).send(request);
    expect(await client.waitForEnd()).toMatch(
      /^HTTP\/1\.1 502 .*without an answer.*\r\n(.*\r\n)*Proxy-Status: kraft; error=connection_terminated/,
    );

    const broken = await openPath((connection) => {
      void connection.waitFor(/\r\n\r\n/).then(() => {
        connection.send('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf');
        setImmediate(() => connection.socket.resetAndDestroy());
      });
    });
    const second = (await broken.open()).send(request);
    await second.waitForEnd();
    expect(second.received).not.toContain('kraft:');
  });

  it('keeps the version of the client, so that the answer fits it', async () => {
    const { open, heard } = await openPath(answering(/\r\n\r\n$/));
    const client = (await open()).send('GET http://a.com/ HTTP/1.0\r\n\r\n');
    await client.waitForEnd();
    expect(heard()).toBe('GET / HTTP/1.0\r\nHost: a.com\r\nConnection: close\r\n\r\n');
  });
});
