import { describe, expect, it } from 'vitest';
import {
  chooseUpstream,
  parseAuthority,
  planUpstreams,
  type RequestForm,
  type Upstreams,
} from '../../src/egress/index.ts';

function upstreams(env: Readonly<Record<string, string>>): Upstreams {
  return planUpstreams((name) => env[name]);
}

function chosen(env: Readonly<Record<string, string>>, text: string, form: RequestForm = 'tunnel'): string | null {
  const parsed = parseAuthority(text, 443);
  if (parsed.kind === 'refused') throw new Error(parsed.problem);
  const upstream = chooseUpstream(upstreams(env), parsed.target, form);
  return upstream === null ? null : `${upstream.variable} ${upstream.host}:${upstream.port}`;
}

describe('the proxies of this machine (SI 4.6, PF-P10)', () => {
  it.each<[Record<string, string>, RequestForm, string | null]>([
    [{}, 'tunnel', null],
    [{ HTTPS_PROXY: 'http://p.test:3128' }, 'tunnel', 'HTTPS_PROXY p.test:3128'],
    [{ HTTPS_PROXY: 'http://p.test:3128' }, 'absolute', null],
    [{ HTTP_PROXY: 'http://p.test:3128' }, 'tunnel', null],
    [{ HTTP_PROXY: 'http://p.test:3128' }, 'absolute', 'HTTP_PROXY p.test:3128'],
    [{ https_proxy: 'http://low.test', HTTPS_PROXY: 'http://up.test' }, 'tunnel', 'https_proxy low.test:80'],
    [{ http_proxy: 'http://low.test', HTTP_PROXY: 'http://up.test' }, 'absolute', 'http_proxy low.test:80'],
    [{ https_proxy: '', HTTPS_PROXY: 'http://up.test' }, 'tunnel', 'HTTPS_PROXY up.test:80'],
    [{ ALL_PROXY: 'http://p.test', all_proxy: 'socks5://p.test' }, 'tunnel', null],
    [{ HTTPS_PROXY: 'p.test' }, 'tunnel', 'HTTPS_PROXY p.test:80'],
    [{ HTTPS_PROXY: ' P.Test:8080/ ' }, 'tunnel', 'HTTPS_PROXY p.test:8080'],
    [{ HTTPS_PROXY: '127.0.0.1:3128' }, 'tunnel', 'HTTPS_PROXY 127.0.0.1:3128'],
    [{ HTTPS_PROXY: 'http://[::1]:3128' }, 'tunnel', 'HTTPS_PROXY ::1:3128'],
  ])('%j for %s: %s', (env, form, expected) => {
    expect(chosen(env, 'a.com', form)).toBe(expected);
  });

  it.each([
    ['http://ada:hunter2@p.test', 'ada:hunter2'],
    ['ada:hunter2@p.test', 'ada:hunter2'],
    ['http://ada:p%40ss%3aw%2Frd@p.test', 'ada:p@ss:w/rd'],
    ['http://ada@p.test', 'ada:'],
    ['http://:x@p.test', ':x'],
    ['http://j%C3%BCrg:x@p.test', 'jürg:x'],
  ])('%s authenticates as %s', (value, pair) => {
    const { tunnel } = upstreams({ HTTPS_PROXY: value });
    expect(tunnel?.host).toBe('p.test');
    expect(tunnel?.authorization?.reveal()).toBe(`Basic ${Buffer.from(pair).toString('base64')}`);
  });

  it('keeps the bytes of a password that is not UTF-8', () => {
    const { tunnel } = upstreams({ HTTPS_PROXY: 'http://a:%E9@p.test' });
    expect(tunnel?.authorization?.reveal()).toBe(`Basic ${Buffer.from('a:é', 'latin1').toString('base64')}`);
  });

  it('has no authorization without a user, and shows none when printed', () => {
    expect(upstreams({ HTTPS_PROXY: 'http://p.test' }).tunnel?.authorization).toBeNull();
    expect(JSON.stringify(upstreams({ HTTPS_PROXY: 'http://ada:hunter2@p.test' }))).not.toMatch(/hunter2|YWRh/);
  });

  it.each([
    ['https://ada:hunter2@p.test', 'speaks https'],
    ['socks5://p.test:1080', 'speaks socks5'],
    ['http://', 'names no host'],
    ['http://ada:hunter2@', 'names no host'],
    ['http://p.test:0', 'port'],
    ['http://p_q.test', 'host name'],
    ['http://ada:hunter2%zz@p.test', 'percent-encoding'],
  ])('%s is refused, so that nothing leaves another way', (value, why) => {
    for (const variable of ['https_proxy', 'HTTP_PROXY']) {
      expect(() => upstreams({ [variable]: value })).toThrow(
        expect.objectContaining({
          code: 'KRAFT_UPSTREAM_PROXY_UNUSABLE',
          message: expect.stringMatching(new RegExp(`${variable}.*${why}`)) as string,
        }) as Error,
      );
      expect(() => upstreams({ [variable]: value })).not.toThrow('hunter2');
    }
  });
});

describe('hosts that are reached without the proxy (SI 4.6, SI-F9)', () => {
  it.each([
    ['*', 'a.com', true],
    ['a.com', 'a.com', true],
    ['A.COM', 'a.com', true],
    ['.a.com', 'a.com', true],
    ['.a.com', 'b.a.com', true],
    ['a.com', 'c.b.a.com', true],
    ['*.a.com', 'b.a.com', true],
    ['a.com', 'ba.com', false],
    ['a.com', 'a.com.evil.test', false],
    ['b.com , a.com', 'a.com', true],
    ['b.com,,', 'a.com', false],
    ['a.com:443', 'a.com', true],
    ['a.com:80', 'a.com', false],
    ['10.0.0.1', '10.0.0.1', true],
    ['0.0.1', '10.0.0.1', false],
    ['10.0.0.0/8', '10.1.2.3', true],
    ['10.0.0.0/8', '11.1.2.3', false],
    ['10.0.0.0/8', 'a.com', false],
    ['fd00::/8', '[fd12::1]', true],
    ['fd00::/x', '[fd12::1]', false],
    ['::1', '[::1]', true],
    ['[::1]:443', '[::1]', true],
    ['what is this', 'a.com', false],
  ])('NO_PROXY=%s and %s: %s', (bypass, host, direct) => {
    expect(chosen({ HTTPS_PROXY: 'http://p.test', NO_PROXY: bypass }, host) === null).toBe(direct);
  });

  it('reads the lower-case variable first', () => {
    expect(chosen({ HTTPS_PROXY: 'p.test', no_proxy: 'b.com', NO_PROXY: 'a.com' }, 'a.com')).not.toBeNull();
  });
});
