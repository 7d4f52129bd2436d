import { describe, expect, it } from 'vitest';
import { parseHead, type RequestHead } from '../../src/egress/parse-head.ts';

/** `head` as a request has it, one line after the other. */
const parse = (...lines: string[]): RequestHead => parseHead(Buffer.from(lines.join('\r\n'), 'latin1'));
const why = (...lines: string[]): string => {
  const parsed = parse(...lines);
  return parsed.kind === 'malformed' ? parsed.why : `understood as ${parsed.kind}`;
};
const target = (parsed: RequestHead): unknown =>
  parsed.kind === 'malformed' ? parsed : { host: parsed.target.host, port: parsed.target.port };

describe('the head of a request (SI 4.5)', () => {
  it.each([
    ['a.com:443', { host: 'a.com', port: 443 }],
    ['A.Com.:443', { host: 'a.com', port: 443 }],
    ['1.2.3.4:80', { host: '1.2.3.4', port: 80 }],
    ['[2001:DB8::1]:443', { host: '2001:db8::1', port: 443 }],
    ['xn--bcher-kva.example:8443', { host: 'xn--bcher-kva.example', port: 8443 }],
  ])('understands CONNECT %s', (authority, expected) => {
    const parsed = parse(`CONNECT ${authority} HTTP/1.1`, `Host: ${authority}`);
    expect(parsed.kind).toBe('connect');
    expect(target(parsed)).toEqual(expected);
    expect(target(parse(`CONNECT ${authority} HTTP/1.0`))).toEqual(expected);
  });

  it.each([
    ['http://a.com/', 'a.com', 80, '/'],
    ['HTTP://A.COM', 'a.com', 80, '/'],
    ['http://a.com:8080?x=1', 'a.com', 8080, '/?x=1'],
    ['http://a.com/p/q?x=/y#part', 'a.com', 80, '/p/q?x=/y'],
    ['http://a.com#part', 'a.com', 80, '/'],
    ['http://user:secret@a.com/p', 'a.com', 80, '/p'],
    ['http://b.com:80@a.com/p', 'a.com', 80, '/p'],
    ['http://[2001:db8::1]:81/p', '2001:db8::1', 81, '/p'],
    ['http://a.com/\xe4', 'a.com', 80, '/\xe4'],
    ['http://kraft:81/x', 'kraft', 81, '/x'],
  ])('understands %s', (url, host, port, path) => {
    const parsed = parse(`GET ${url} HTTP/1.1`, 'Host: whatever', 'X-Odd: \xe4');
    expect(parsed).toMatchObject({ kind: 'absolute', method: 'GET', path, framing: { kind: 'none' }, keepAlive: true });
    expect(target(parsed)).toEqual({ host, port });
    expect(parsed).toMatchObject({
      headers: [
        ['Host', 'whatever'],
        ['X-Odd', '\xe4'],
      ],
    });
  });

  it.each([
    ['absolute form', ['POST http://kraft/api/x HTTP/1.1', 'Host: kraft']],
    ['absolute form, spelled otherwise', ['POST http://KRAFT.:80/api/x HTTP/1.1']],
    ['origin form with the host Kraft (PF-H14)', ['POST /api/x HTTP/1.1', 'Host: kraft']],
    ['origin form with its port', ['POST /api/x#y HTTP/1.1', 'Host: kraft:80']],
  ])('takes %s for Kraft itself', (_form, lines) => {
    expect(parse(...lines)).toMatchObject({ kind: 'kraft', method: 'POST', path: '/api/x' });
  });

  it('says whether the connection is kept', () => {
    const keeps = (...lines: string[]): unknown => {
      const parsed = parse(...lines);
      return 'keepAlive' in parsed ? parsed.keepAlive : parsed;
    };
    expect(keeps('GET http://a.com/ HTTP/1.1')).toBe(true);
    expect(keeps('GET http://a.com/ HTTP/1.1', 'Connection: x, Close')).toBe(false);
    expect(keeps('GET http://a.com/ HTTP/1.0', 'Connection: keep-alive')).toBe(false);
  });

  it.each([
    ['Content-Length: 0', { kind: 'length', bytes: 0 }],
    ['content-length:  12 ', { kind: 'length', bytes: 12 }],
    ['Transfer-Encoding: Chunked', { kind: 'chunked' }],
    ['X-Length: 3', { kind: 'none' }],
  ])('reads the length of the body from %s', (header, framing) => {
    expect(parse('PUT http://a.com/ HTTP/1.1', header)).toMatchObject({ framing });
  });
});

describe('what is no request (SI-9.6 F13, F14, F15; PF-H03, H06)', () => {
  it.each([
    ['garbage', 'the request line is not `METHOD target HTTP/1.1`'],
    ['', 'the request line is not `METHOD target HTTP/1.1`'],
    ['GET http://a.com/', 'the request line is not `METHOD target HTTP/1.1`'],
    ['GET http://a.com/  HTTP/1.1', 'the request line is not `METHOD target HTTP/1.1`'],
    ['GET http://a.com/ b HTTP/1.1', 'the request line is not `METHOD target HTTP/1.1`'],
    ['GET  http://a.com/ HTTP/1.1', 'the request line is not `METHOD target HTTP/1.1`'],
    ['GET http://a.com/ HTTP/1.1 ', 'the request line is not `METHOD target HTTP/1.1`'],
    ['GET\thttp://a.com/\tHTTP/1.1', 'the request line holds a control character'],
    ['GET http://a.com/\x00 HTTP/1.1', 'the request line holds a control character'],
    ['GET http://a.com/\x7f HTTP/1.1', 'the request line holds a control character'],
    ['GET http://a.com/\n HTTP/1.1', 'the request line holds a control character'],
    ['GET http://a.com/ HTTP/2.0', 'it is not HTTP/1.1 or HTTP/1.0'],
    ['GET http://a.com/ HTTP/1.2', 'it is not HTTP/1.1 or HTTP/1.0'],
    ['GET http://a.com/ http/1.1', 'it is not HTTP/1.1 or HTTP/1.0'],
    ['TRACE http://a.com/ HTTP/1.1', 'the method is not one that the proxy passes on'],
    ['get http://a.com/ HTTP/1.1', 'the method is not one that the proxy passes on'],
    ['PROPFIND http://a.com/ HTTP/1.1', 'the method is not one that the proxy passes on'],
    ['GET https://a.com/ HTTP/1.1', 'https is asked for by CONNECT, not by a URL'],
    ['GET ftp://a.com/ HTTP/1.1', 'the target is neither `http://host/path` nor a host to CONNECT to'],
    ['GET http:/a.com/ HTTP/1.1', 'the target is neither `http://host/path` nor a host to CONNECT to'],
    ['OPTIONS * HTTP/1.1', 'the target is neither `http://host/path` nor a host to CONNECT to'],
    ['GET a.com:80 HTTP/1.1', 'the target is neither `http://host/path` nor a host to CONNECT to'],
    ['GET http:///x HTTP/1.1', 'in the URL no host is named'],
    ['GET http://:80/x HTTP/1.1', 'in the URL no host is named'],
    ['GET http://a.com:/x HTTP/1.1', 'in the URL the port is not a number'],
    ['GET http://a.com:0/x HTTP/1.1', 'in the URL the port is not one of 1 to 65535'],
    ['GET http://a.com\\@b.com/ HTTP/1.1', 'the target holds a backslash'],
    ['GET http://a@b@c.com/ HTTP/1.1', 'the URL holds more than one @ in front of its host'],
    ['CONNECT a.com HTTP/1.1', 'in the target of CONNECT the port is missing'],
    ['CONNECT a.com: HTTP/1.1', 'in the target of CONNECT the port is not a number'],
    ['CONNECT a.com:65536 HTTP/1.1', 'in the target of CONNECT the port is not one of 1 to 65535'],
    ['CONNECT a.com:443x HTTP/1.1', 'in the target of CONNECT the port is not a number'],
    ['CONNECT :443 HTTP/1.1', 'in the target of CONNECT no host is named'],
  ])('refuses %j', (line, expected) => {
    expect(why(line, 'Host: a.com')).toBe(expected);
  });

  it.each([
    'ex\xadample.com', // a soft hyphen, as latin-1
    'ex\xc2\xadample.com', // and as UTF-8
    '0x7f.0.0.1',
    '0x7f000001',
    '2130706433',
    '0177.0.0.1',
    '127.1',
    '1.2.3.4.5',
    `${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.${'e'.repeat(20)}`,
    '-a.com',
    'a..com',
    'a_b!.com',
    '[::1',
    '[fe80::1%eth0]',
    '[1.2.3.4]',
    'a.com%00.b.com',
  ])('refuses the host %j in both forms (F14, F15)', (host) => {
    expect(why(`CONNECT ${host}:443 HTTP/1.1`)).toMatch(/^in the target of CONNECT |^the request line/);
    expect(why(`GET http://${host}/ HTTP/1.1`)).toMatch(/^in the URL |^the request line/);
  });

  it('names the mistake of a request in origin form', () => {
    const expected =
      'this is a proxy: the target must be a whole URL (`GET http://host/path`), or a host to CONNECT to';
    expect(why('GET /path HTTP/1.1', 'Host: a.com')).toBe(expected);
    expect(why('GET /path HTTP/1.1')).toBe(expected);
    expect(why('GET /path HTTP/1.1', 'Host: kraft:81')).toBe(expected);
    expect(why('GET /path HTTP/1.1', 'Host: kraft.example')).toBe(expected);
  });

  it.each([
    [': nameless'],
    ['no colon'],
    [' folded: line'],
    ['\tfolded'],
    ['space before : colon'],
    ['X: bare\nY: line feed'],
    ['X: bare\rreturn'],
    ['X: nul\x00'],
    ['X: del\x7f'],
    ['X\x80: y'],
    [''],
  ])('refuses the header line %j', (line) => {
    expect(why('GET http://a.com/ HTTP/1.1', 'Host: a.com', line)).toBe('a header line is not `name: value`');
  });

  it.each([
    [['Content-Length: 0', 'Transfer-Encoding: chunked'], 'both Content-Length and Transfer-Encoding are given'],
    [['Transfer-Encoding: chunked', 'Content-Length: 5'], 'both Content-Length and Transfer-Encoding are given'],
    [['Content-Length: 5', 'Content-Length: 5'], 'Content-Length is given more than once'],
    [['Content-Length: 5', 'content-length: 6'], 'Content-Length is given more than once'],
    [['Content-Length: 5, 5'], 'Content-Length is not a number'],
    [['Content-Length: +5'], 'Content-Length is not a number'],
    [['Content-Length: 0x5'], 'Content-Length is not a number'],
    [['Content-Length: -1'], 'Content-Length is not a number'],
    [['Content-Length:'], 'Content-Length is not a number'],
    [['Content-Length: 5 5'], 'Content-Length is not a number'],
    [['Transfer-Encoding: gzip, chunked'], 'the Transfer-Encoding is not `chunked` alone'],
    [['Transfer-Encoding: identity'], 'the Transfer-Encoding is not `chunked` alone'],
    [['Transfer-Encoding: xchunked'], 'the Transfer-Encoding is not `chunked` alone'],
    [['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'], 'the Transfer-Encoding is not `chunked` alone'],
    [['Transfer-Encoding:'], 'the Transfer-Encoding is not `chunked` alone'],
    [['Host: a.com', 'Host: a.com'], 'Host is given more than once'],
  ])('refuses a body told as %j (H03)', (headers, expected) => {
    expect(why('POST http://a.com/ HTTP/1.1', ...headers)).toBe(expected);
  });

  it('refuses what HTTP/1.0 does not have, and a body behind CONNECT', () => {
    expect(why('POST http://a.com/ HTTP/1.0', 'Transfer-Encoding: chunked')).toBe('HTTP/1.0 has no Transfer-Encoding');
    expect(why('CONNECT a.com:443 HTTP/1.1', 'Content-Length: 4')).toBe('a CONNECT has no body');
    expect(why('CONNECT a.com:443 HTTP/1.1', 'Transfer-Encoding: chunked')).toBe('a CONNECT has no body');
    expect(why('CONNECT a.com:443 HTTP/1.1', 'Content-Length: 0')).toBe('understood as connect');
  });
});
