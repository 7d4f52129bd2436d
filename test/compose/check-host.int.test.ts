import { describe, expect, it } from 'vitest';
import { checkHost, type HostEdges } from '../../src/compose/check-host.ts';
import type { HostCheck, HostCheckRequest } from '../../src/compose/index.ts';
import { loadRepos } from '../../src/config/index.ts';
import { makeHome } from '../config/repos-file.ts';

const answers: Readonly<Record<string, readonly string[]>> = {
  'api.x.com': ['8.8.8.8'],
  'rebind.x.com': ['8.8.8.8', '127.0.0.1'],
  'in.x.com': ['10.0.0.5'],
  'here.x.com': ['203.0.114.7'],
  'api.anthropic.com': ['8.8.8.8'],
};

async function check(network: string | null, request: Partial<HostCheckRequest>): Promise<HostCheck> {
  const sandbox = `sandbox: {kind: docker, image: i:1${network === null ? '' : `, network: ${network}`}}`;
  const paths = await makeHome({ 'repos.yaml': `repos:\n  - path: /srv/app\n    name: app\n    ${sandbox}\n` });
  const [repo] = (await loadRepos(paths)).repos;
  if (repo === undefined) throw new Error('no repository was loaded');
  const asked: string[] = [];
  const edges: HostEdges = {
    lookup: (name) => {
      asked.push(name);
      const addresses = answers[name];
      return Promise.resolve(
        addresses === undefined ? { kind: 'outage', code: 'ENOTFOUND' } : { kind: 'addresses', addresses },
      );
    },
    own: () => new Set(['203.0.114.7']),
  };
  return checkHost(repo, { host: 'api.x.com', phase: 'runtime', resolve: true, ...request }, { paths, ...edges });
}

const lists = '{runtime: {allow: ["*.x.com", "api.x.com:8443"], deny: [bad.x.com]}, install: {allow: [r.example.com]}}';

describe('a host that is checked (PF-E12, PF-E15)', () => {
  it.each<[Partial<HostCheckRequest>, Partial<HostCheck['verdict']>]>([
    [{}, { allow: true, reason: 'on the allow list', rule: '*.x.com', host: 'api.x.com', port: 443, phase: 'runtime' }],
    [{ host: 'API.x.com.:8443' }, { allow: true, rule: 'api.x.com:8443', host: 'api.x.com', port: 8443 }],
    [{ host: 'bad.x.com' }, { allow: false, reason: 'on the deny list', rule: 'bad.x.com' }],
    [{ host: 'x.com' }, { allow: false, reason: 'not on the allow list', rule: null }],
    [{ phase: 'install' }, { allow: false, reason: 'not on the allow list', phase: 'install' }],
    [{ host: 'rebind.x.com' }, { allow: false, reason: 'an address that is never reached', rule: '127.0.0.1' }],
    [{ host: 'here.x.com' }, { allow: false, reason: 'an address that is never reached', rule: '203.0.114.7' }],
    [
      { host: 'in.x.com' },
      { allow: false, reason: 'a non-public address without an exact allow entry', rule: '10.0.0.5' },
    ],
    [
      { host: 'in.x.com', resolve: false },
      { allow: true, rule: '*.x.com' },
    ],
    [{ host: 'kraft:80' }, { allow: true, reason: 'Kraft itself' }],
  ])('%j: %j', async (request, verdict) => {
    expect((await check(lists, request)).verdict).toMatchObject(verdict);
  });

  it('has six fields in its verdict, whatever it is', async () => {
    for (const host of ['api.x.com', 'x.com']) {
      const { verdict } = await check(lists, { host });
      expect(Object.keys(verdict).sort()).toEqual(['allow', 'host', 'phase', 'port', 'reason', 'rule']);
    }
    expect(Object.keys((await check(null, {})).verdict)).toHaveLength(6);
  });

  it('is refused with the command that allows it', async () => {
    expect((await check(lists, { phase: 'install' })).remedy).toBe(
      '`kraft repo allow api.x.com:443 --phase install --repo /srv/app` allows it',
    );
  });

  it('is allowed to the sessions of a harness that brings it, in the runtime phase alone', async () => {
    const host = 'api.anthropic.com';
    expect(await check(lists, { host })).toMatchObject({ verdict: { allow: true, rule: host }, harnesses: ['claude'] });
    expect(await check(lists, { host, phase: 'install' })).toMatchObject({ verdict: { allow: false }, harnesses: [] });
    const denying = '{runtime: {deny: ["*.anthropic.com"]}}';
    expect(await check(denying, { host })).toMatchObject({ verdict: { allow: false, rule: '*.anthropic.com' } });
    const named = `{runtime: {allow: [${host}]}}`;
    expect(await check(named, { host })).toMatchObject({ verdict: { allow: true }, harnesses: [] });
  });

  it('is not looked up when the lists refuse it', async () => {
    expect((await check(lists, { host: 'no.example.com' })).addresses).toBeNull();
    expect((await check(lists, {})).addresses).toEqual(['8.8.8.8']);
  });

  it('that does not resolve is an outage and no refusal', async () => {
    await expect(check(lists, { host: 'gone.x.com' })).rejects.toMatchObject({
      code: 'KRAFT_HOST_UNRESOLVED',
      message: expect.stringContaining('ENOTFOUND') as string,
    });
  });

  it.each(['2130706433', 'a_b.x.com', 'b\u00fc.x.com', 'x.com:0', 'https://x.com'])('%s is malformed', async (host) => {
    await expect(check(lists, { host })).rejects.toMatchObject({ code: 'KRAFT_HOST_MALFORMED' });
  });

  it('is allowed where egress is open', async () => {
    expect((await check(null, { host: 'x.com' })).verdict).toMatchObject({ allow: true, reason: 'no network policy' });
  });
});
