import { describe, expect, it } from 'vitest';
import { parseAuthority, parseHostPort, renderAuthority } from '../../src/egress/index.ts';

const longest = `${'a'.repeat(49)}.`.repeat(5) + 'com';

describe('a host that is asked for (SI 4.5, SI-F14)', () => {
  it.each([
    ['api.x.com', 'name', 'api.x.com'],
    ['API.Example.COM.', 'name', 'api.example.com'], // PF-E01
    ['localhost', 'name', 'localhost'],
    ['xn--bcher-kva.example', 'name', 'xn--bcher-kva.example'],
    ['1.example.com', 'name', '1.example.com'],
    ['0x7f.example.com', 'name', '0x7f.example.com'],
    [longest.slice(0, 253), 'name', longest.slice(0, 253)],
    ['10.0.0.1', 'ipv4', '10.0.0.1'],
    ['10.0.0.1.', 'ipv4', '10.0.0.1'],
    ['255.255.255.255', 'ipv4', '255.255.255.255'],
    ['[::1]', 'ipv6', '::1'],
    ['::1', 'ipv6', '::1'],
    ['[2001:0DB8:0:0:1:0:0:1]', 'ipv6', '2001:db8::1:0:0:1'],
    ['2001:db8:0:1:1:1:1:1', 'ipv6', '2001:db8:0:1:1:1:1:1'],
    ['2001:0:0:1:0:0:0:1', 'ipv6', '2001:0:0:1::1'],
    ['0:0:0:0:0:0:0:0', 'ipv6', '::'],
    ['1::', 'ipv6', '1::'],
    ['::ffff:7f00:1', 'ipv6', '::ffff:127.0.0.1'],
    ['::FFFF:127.0.0.1', 'ipv6', '::ffff:127.0.0.1'],
    ['64:ff9b::10.0.0.1', 'ipv6', '64:ff9b::a00:1'],
  ])('%s is read as one %s', (written, kind, host) => {
    expect(parseHostPort(written, 443)).toEqual({ kind: 'host', target: { kind, host, port: 443 } });
  });

  it.each([
    ['', 'no host'],
    ['.', 'not a valid host name'],
    ['a.com..', 'not a valid host name'],
    ['..', 'not a valid host name'],
    ['a..com', 'not a valid host name'],
    ['-a.com', 'not a valid host name'],
    ['a-.com', 'not a valid host name'],
    ['my_host.com', 'not a valid host name'],
    ['a b.com', 'not a valid host name'],
    ['a.com\t', 'not a valid host name'],
    ['a\0.com', 'not a valid host name'],
    ['a.com\r\n', 'not a valid host name'],
    ['a.com/', 'not a valid host name'],
    ['user@a.com', 'not a valid host name'],
    ['a%2ecom', 'not a valid host name'],
    ['a\\.com', 'not a valid host name'],
    ['*.a.com', 'not a valid host name'],
    ['*', 'not a valid host name'],
    [`${'a'.repeat(64)}.com`, 'not a valid host name'],
    ['0.' + longest.slice(0, 253), 'not a valid host name'],
    ['exam\u00adple.com', 'not ASCII'], // SI-F15
    ['bücher.example', 'not ASCII'],
    ['\u212aernel.org', 'not ASCII'], // the Kelvin sign lower-cases to k
    ['a\u3002com', 'not ASCII'], // the ideographic full stop
    ['１２７.0.0.1', 'not ASCII'],
    // PF-S01, PF-S06: everything a resolver would read as another address
    ['127.1', 'not a plain IPv4'],
    ['127.0.1', 'not a plain IPv4'],
    ['0177.0.0.1', 'not a plain IPv4'],
    ['012.1.2.3', 'not a plain IPv4'],
    ['0x7f.0.0.1', 'not a plain IPv4'],
    ['0x7f000001', 'not a plain IPv4'],
    ['0X7F000001', 'not a plain IPv4'],
    ['127.0.0.0x1', 'not a plain IPv4'],
    ['0x', 'not a plain IPv4'],
    ['2130706433', 'not a plain IPv4'],
    ['2130706433.', 'not a plain IPv4'],
    ['0', 'not a plain IPv4'],
    ['256.0.0.1', 'not a plain IPv4'],
    ['1.2.3.4.5', 'not a plain IPv4'],
    ['00.0.0.0', 'not a plain IPv4'],
    ['a.com.1', 'not a plain IPv4'],
    ['[127.0.0.1]', 'not an IPv6'],
    ['[a.com]', 'not an IPv6'],
    ['[]', 'not an IPv6'],
    ['[::1', 'not an IPv6'],
    ['::1]', 'not an IPv6'],
    ['[[::1]]', 'not an IPv6'],
    ['::1.', 'not an IPv6'],
    ['1::2::3', 'not an IPv6'],
    ['12345::', 'not an IPv6'],
    ['::127.1', 'not an IPv6'],
    ['fe80::1%eth0', 'zone'],
    ['[fe80::1%25eth0]', 'zone'],
  ])('%j is malformed', (written, problem) => {
    expect(parseHostPort(written, 443)).toEqual({
      kind: 'refused',
      problem: expect.stringContaining(problem) as string,
    });
  });

  it.each([
    ['1', 1],
    ['65535', 65_535],
    [80, 80],
  ])('port %j is taken', (port, number) => {
    expect(parseHostPort('a.com', port)).toMatchObject({ target: { port: number } });
  });

  it.each(['', '0', '65536', '99999', '123456', '-1', '+1', ' 1', '1 ', '1e3', '0x50', '４４３', 'http', 1.5, -1, NaN])(
    'port %j is malformed',
    (port) => {
      expect(parseHostPort('a.com', port)).toEqual({
        kind: 'refused',
        problem: expect.stringContaining('port') as string,
      });
    },
  );
});

describe('an authority', () => {
  it.each([
    ['a.com:8443', null, 'a.com:8443'],
    ['A.com.:443', null, 'a.com:443'],
    ['a.com', 443, 'a.com:443'],
    ['[::1]:80', null, '[::1]:80'],
    ['[0:0:0:0:0:0:0:1]', 443, '[::1]:443'],
    ['10.0.0.1:22', null, '10.0.0.1:22'],
  ])('%s with default %s is %s', (text, defaultPort, authority) => {
    const parsed = parseAuthority(text, defaultPort);
    expect(parsed.kind).toBe('host');
    if (parsed.kind === 'host') expect(renderAuthority(parsed.target)).toBe(authority);
  });

  it.each([
    ['a.com', null, 'missing'],
    ['[::1]', null, 'missing'],
    ['a.com:', 443, 'port'],
    ['::1:443', 443, 'brackets'],
    ['a.com:80:80', 443, 'host:port'],
    ['[::1]443', 443, 'brackets'],
    ['[::1]]:443', 443, 'brackets'],
    ['user:pw@a.com:443', 443, 'host:port'],
    ['user@a.com:443', 443, 'host'],
    ['http://a.com', 443, 'port'],
    ['a.com:80\r\n', 443, 'port'],
    ['', 443, 'no host'],
    [':443', null, 'no host'],
  ])('%j is malformed', (text, defaultPort, problem) => {
    expect(parseAuthority(text, defaultPort)).toEqual({
      kind: 'refused',
      problem: expect.stringContaining(problem) as string,
    });
  });

  it('repeats nothing of what was asked', () => {
    expect(JSON.stringify(parseAuthority('ada:hunter2@x.com', null))).not.toContain('hunter2');
  });
});
