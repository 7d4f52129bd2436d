import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import {
  agentCredentialNames,
  decideProxies,
  parseProxy,
  planForwarding,
  readForwarded,
  revealForwarded,
  sessionVariableNames,
  type EnvReader,
} from '../../src/credentials/index.ts';

function reader(env: Readonly<Record<string, string>>): EnvReader {
  return (name) => (Object.hasOwn(env, name) ? env[name] : undefined);
}
const request = {
  ownNames: [...sessionVariableNames, ...agentCredentialNames],
  repoEnv: {},
  envPassthrough: [],
  network: false,
};

describe('what crosses into a container', () => {
  it('is what lists name, in order and once (SI 1.6)', () => {
    const plan = planForwarding(
      { ...request, envPassthrough: ['NPM_TOKEN', 'ANTHROPIC_API_KEY'], repoEnv: { NPM_TOKEN: 'x', DB_URL: 'y' } },
      reader({ https_proxy: 'http://proxy.corp:3128', NO_PROXY: 'corp', AWS_SECRET_ACCESS_KEY: 'never' }),
    );
    expect(plan.names).toEqual([
      'KRAFT_RESULT_PATH',
      'KRAFT_WORK_ITEM_ID',
      'KRAFT_SESSION_ID',
      'KRAFT_REVIEW_PACKAGE',
      'CLAUDE_CODE_OAUTH_TOKEN',
      'ANTHROPIC_API_KEY',
      'https_proxy',
      'NO_PROXY',
      'NPM_TOKEN',
      'DB_URL',
    ]);
  });

  it('is no proxy of this machine under a network', () => {
    const plan = planForwarding(
      { ...request, network: true },
      reader({ HTTPS_PROXY: 'http://proxy.corp:3128', NO_PROXY: 'x' }),
    );
    expect(plan.names).toEqual(request.ownNames);
  });

  it('is not what the daemon merely has, for a setup command as for a session (PF-C18)', () => {
    const plan = planForwarding(
      { ...request, ownNames: [] },
      reader({ GITHUB_TOKEN: 'x', SSH_AUTH_SOCK: '/s', ANTHROPIC_API_KEY: 'k' }),
    );
    expect(plan.names).toEqual([]);
  });

  it('holds no value in the plan (SI-9.4 D11)', () => {
    const plan = planForwarding(
      { ...request, repoEnv: { KEY: 's3cret' } },
      reader({ HTTP_PROXY: 'http://u:s3cret@proxy:1' }),
    );
    expect(JSON.stringify(plan)).not.toContain('s3cret');
  });
});

describe('the values of what crosses', () => {
  const names = ['A', 'B', 'C', 'UNSET', 'EMPTY'];
  const values = readForwarded(names, {
    launchEnv: { A: 'launch' },
    repoEnv: { A: 'repo', B: 'repo', EMPTY: '' },
    env: reader({ A: 'daemon', B: 'daemon', C: 'daemon', STRAY: 's' }),
  });

  it('come from the launch, else the repository, else the daemon; unset stays absent', () => {
    expect(revealForwarded(values)).toEqual({ A: 'launch', B: 'repo', C: 'daemon', EMPTY: '' });
  });

  it('are not printed on the way', () => {
    expect(inspect(values)).not.toContain('daemon');
    expect(JSON.stringify([...values])).not.toContain('daemon');
  });
});

describe('proxies of this machine', () => {
  it.each([
    'http://127.0.0.1:3128',
    '127.0.0.1:3128',
    'http://127.9.9.9',
    '127.1:80',
    'http://0x7f000001:80',
    '2130706433:80',
    'localhost:3128',
    'LOCALHOST.:3128',
    'http://proxy.localhost:1',
    'https://[::1]:3128',
    '[::1]:3128',
    'http://[::]:80',
    '0.0.0.0:8080',
    'http://[::ffff:127.0.0.1]:3128',
    'http://[::ffff:0.0.0.0]:3128',
    'http://[::127.0.0.1]:3128',
    'socks5://127.0.0.1:1080',
    'socks5h://user:pw@127.0.0.1:1080',
    'http://user:p%40ss@127.0.0.1:3128/',
  ])('%s is loopback and stays (SI-9.4 D12)', (value) => {
    expect(parseProxy(value)?.loopback).toBe(true);
    expect(decideProxies(reader({ ALL_PROXY: value }))).toMatchObject([{ name: 'ALL_PROXY', forwarded: false }]);
  });

  it.each([
    ['http://proxy.corp:3128', { scheme: 'http', host: 'proxy.corp', port: '3128' }],
    ['proxy.corp:3128', { scheme: 'http', host: 'proxy.corp', port: '3128' }],
    ['my.proxy.com', { scheme: 'http', host: 'my.proxy.com', port: '' }],
    ['https://10.1.2.3', { scheme: 'https', host: '10.1.2.3', port: '' }],
    ['socks5://u:p@proxy:1080', { scheme: 'socks5', host: 'proxy', port: '1080' }],
    ['http://localhost.corp:1', { scheme: 'http', host: 'localhost.corp', port: '1' }],
    ['http://[fd00::7f00:1]:80', { scheme: 'http', host: '[fd00::7f00:1]', port: '' }],
    ['128.0.0.1:80', { scheme: 'http', host: '128.0.0.1', port: '' }],
  ])('%s crosses, and is told without its password (PF-P10)', (value, parsed) => {
    const [decision] = decideProxies(reader({ HTTPS_PROXY: value }));
    expect(decision).toEqual({
      name: 'HTTPS_PROXY',
      forwarded: true,
      proxy: { ...parsed, loopback: false },
      why: null,
    });
  });

  it('cross with NO_PROXY even when every one of them stays (SI-9.4 D12)', () => {
    const decisions = decideProxies(reader({ HTTP_PROXY: 'localhost:1', no_proxy: '127.0.0.1,corp' }));
    expect(decisions.filter((decision) => decision.forwarded).map((decision) => decision.name)).toEqual(['no_proxy']);
  });

  it.each(['http://', 'http://exa mple', '://'])('%j, which names no host, stays and says so', (value) => {
    expect(decideProxies(reader({ HTTP_PROXY: value }))).toMatchObject([
      { forwarded: false, why: 'its value names no host' },
    ]);
  });

  it('are absent when unset or empty (SI-9.4 D11)', () => {
    expect(decideProxies(reader({ HTTP_PROXY: '', FTP_PROXY: 'http://proxy:1' }))).toEqual([]);
  });
});
