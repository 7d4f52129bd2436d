import { describe, expect, it } from 'vitest';
import { selfTestHost } from '../../src/egress/index.ts';
import { listenRaw, openProxy, publicAddress, until } from './support/open-proxy.ts';

const connectTo = (authority: string): string => `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`;

describe('a refusal', () => {
  it('is a 403 that says why in its phrase, its body and Proxy-Status, and dials nothing (SI-9.6 F6)', async () => {
    const { open, dialled, asked, refusals, records } = await openProxy({ allow: ['a.com'] });
    const client = (await open()).send(connectTo('Evil.example:443'));
    const answer = await client.waitForEnd();
    expect(answer).toMatch(
      /^HTTP\/1\.1 403 Forbidden \(kraft: evil\.example:443: not on the allow list of the runtime phase\)\r\n/,
    );
    expect(answer).toContain('\r\nContent-Type: text/plain\r\n');
    expect(answer).toContain('\r\nConnection: close\r\n');
    expect(answer).toMatch(/\r\nProxy-Status: kraft; error=http_request_denied; details="[^"]+"\r\n/);
    const [, body = ''] = answer.split('\r\n\r\n');
    expect(answer).toContain(`\r\nContent-Length: ${body.length}\r\n`);
    expect(body).toMatch(
      /^kraft: [^\n]*no outage[^\n]*a person has to allow it[^\n]*`kraft repo allow evil\.example:443`[^\n]*\n$/,
    );
    expect([dialled, asked]).toEqual([[], []]);
    const refused = { allow: false, reason: 'not on the allow list', host: 'evil.example', port: 443 };
    expect(refusals).toMatchObject([{ kind: 'host', decision: refused }]);
    client.socket.end();
    await until(() => records.length === 1, 'the line');
    expect(records[0]).toMatchObject({ ...refused, method: 'CONNECT', failure: null, bytesUp: 0, bytesDown: 0 });
  });

  it.each([
    ['a mixed answer of the resolver', 'rebind.com', [publicAddress, '127.0.0.1'], '127.0.0.1'],
    ['the address of this machine', 'self.com', ['93.184.215.99'], '93.184.215.99'],
    ['a metadata address', 'meta.com', ['169.254.169.254'], '169.254.169.254'],
    ['an address that carries one', 'mapped.com', ['::ffff:169.254.169.254'], '::ffff:169.254.169.254'],
  ])('holds for %s under an exact entry (F4)', async (_what, name, addresses, address) => {
    const { open, dialled } = await openProxy({ allow: [name], names: { [name]: addresses }, own: ['93.184.215.99'] });
    const answer = await (await open()).send(connectTo(`${name}:443`)).waitForEnd();
    expect(answer).toMatch(/^HTTP\/1\.1 403 /);
    expect(answer).toContain(`an address that is never reached: ${address}`);
    expect(answer).toContain('Proxy-Status: kraft; error=destination_ip_prohibited;');
    expect(answer).toContain('This is final:');
    expect(dialled).toEqual([]);
  });

  it('needs an exact entry for an address that is not public (F5)', async () => {
    const origin = await listenRaw((connection) => connection.send('in'));
    const ports = { '10.1.2.3:443': origin.port };
    const names = { 'in.corp': ['10.1.2.3'] };
    const wild = await openProxy({ allow: ['*'], names, ports });
    const refused = await (await wild.open()).send(connectTo('in.corp:443')).waitForEnd();
    expect(refused).toContain('a non-public address without an exact allow entry: 10.1.2.3');
    expect(wild.dialled).toEqual([]);
    const exact = await openProxy({ allow: ['in.corp'], names, ports });
    await (await exact.open()).send(connectTo('in.corp:443')).waitFor(/in$/);
    expect(exact.dialled).toEqual(['10.1.2.3:443']);
  });

  it('holds for plain requests, whose HEAD gets no body', async () => {
    const { open } = await openProxy({ allow: ['**'], deny: ['bad.com'] });
    const get = await (await open()).send('GET http://bad.com/ HTTP/1.1\r\nHost: good.com\r\n\r\n').waitForEnd();
    expect(get).toMatch(
      /^HTTP\/1\.1 403 Forbidden \(kraft: bad\.com:80: on the deny list of the runtime phase as bad\.com\)/,
    );
    const head = await (await open()).send('HEAD http://bad.com/ HTTP/1.1\r\nHost: good.com\r\n\r\n').waitForEnd();
    expect(head).toMatch(/Content-Length: [1-9][0-9]*\r\n[^]*\r\n\r\n$/);
  });

  it('reaches a client that is still sending', async () => {
    const { open } = await openProxy({});
    const client = await open();
    client.send(`POST http://a.com/ HTTP/1.1\r\nHost: a.com\r\nContent-Length: 9000000\r\n\r\n`);
    client.send(Buffer.alloc(9_000_000));
    expect(await client.waitForEnd()).toMatch(/^HTTP\/1\.1 403 .*[^]*\n$/);
  });

  it('is recorded before it is told, and told all the same when it cannot be', async () => {
    let recorded = false;
    const slow = await openProxy({
      onRefusal: () => new Promise((resolve) => setTimeout(() => resolve(void (recorded = true)), 100)),
    });
    await (await slow.open()).send(connectTo('a.com:443')).waitForEnd();
    expect(recorded).toBe(true);

    const failing = await openProxy({ onRefusal: () => Promise.reject(new Error('no disk')) });
    expect(await (await failing.open()).send(connectTo('a.com:443')).waitForEnd()).toMatch(/^HTTP\/1\.1 403/);
    const hanging = await openProxy({ onRefusal: () => new Promise(() => undefined) });
    expect(await (await hanging.open()).send(connectTo('a.com:443')).waitForEnd()).toMatch(/^HTTP\/1\.1 403/);
  });

  it('of the self test stands in no record', async () => {
    const { open, refusals, records } = await openProxy({ allow: ['**'] });
    const client = (await open()).send(connectTo(`${selfTestHost}:443`));
    expect(await client.waitForEnd()).toMatch(/^HTTP\/1\.1 403/);
    client.socket.end();
    await client.waitForClose();
    expect([refusals, records]).toEqual([[], []]);
  });
});

describe('what is malformed (SI-9.6 F13, F14, F15)', () => {
  it.each([
    ['garbage', 'HELLO\r\n\r\n'],
    ['a method that is not passed on', 'TRACE http://a.com/ HTTP/1.1\r\n\r\n'],
    ['https by URL', 'GET https://a.com/ HTTP/1.1\r\n\r\n'],
    ['origin form', 'GET /x HTTP/1.1\r\nHost: a.com\r\n\r\n'],
    ['CONNECT without a port', 'CONNECT a.com HTTP/1.1\r\n\r\n'],
    ['a bad port', 'CONNECT a.com:99999 HTTP/1.1\r\n\r\n'],
    ['bare line feeds', 'GET http://a.com/ HTTP/1.1\nHost: a.com\n\n'],
    ['a request behind a bare line feed', 'GET http://a.com/ HTTP/1.1\r\nX: y\n\nGET http://a.com/ HTTP/1.1\r\n\r\n'],
    ['a nameless header', 'GET http://a.com/ HTTP/1.1\r\n: x\r\n\r\n'],
    ['NUL', 'GET http://a.com/ HTTP/1.1\r\nX: \x00\r\n\r\n'],
    ['an oversized head', `GET http://a.com/ HTTP/1.1\r\nX: ${'x'.repeat(70_000)}\r\n\r\n`],
    ['both lengths', 'POST http://a.com/ HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['a deny entry spelled with a soft hyphen', 'CONNECT ba\xadd.com:443 HTTP/1.1\r\n\r\n'],
    ['a hexadecimal address', 'GET http://0x7f000001/ HTTP/1.1\r\n\r\n'],
    ['TLS', '\x16\x03\x01\x00\x05\x01\x00\x00\x01\x00'],
  ])('%s gets a 400 and a line in the log, is no event and reaches nobody', async (_what, text) => {
    const { open, dialled, asked, refusals, records, malformed } = await openProxy({
      allow: ['**'],
      deny: ['bad.com'],
    });
    const client = (await open()).send(text);
    expect(await client.waitForEnd()).toMatch(
      /^HTTP\/1\.1 400 Bad Request \(kraft: [^\r]+\)\r\n[^]*\r\n\r\nkraft: [^\n]+\n$/,
    );
    expect([dialled, asked, refusals, records]).toEqual([[], [], [], []]);
    expect(malformed).toEqual([expect.stringMatching(/./)]);
  });
});
