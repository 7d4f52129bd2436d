import { describe, expect, it } from 'vitest';
import {
  explainRefusal,
  listRefusedHosts,
  RefusalDigest,
  renderAllowCommand,
  renderRefusals,
  type Decision,
  type DecisionReason,
} from '../../src/egress/index.ts';
import type { EgressRefusal } from '../../src/events/index.ts';

function refusedAt(host: string, port = 443, reason: DecisionReason = 'not on the allow list'): Decision {
  return { allow: false, reason, rule: null, host, port, phase: 'runtime' };
}

const open = (): RefusalDigest => new RefusalDigest({ id: 's1', phase: 'runtime' });

describe('what is recorded of refusals (SI 4.8, SI-F6, SI-F7)', () => {
  it('records a host once, whatever the port and however often', () => {
    const digest = open();
    expect(digest.take({ kind: 'host', decision: refusedAt('a.com') })).toEqual({
      session_id: 's1',
      host: 'a.com',
      port: 443,
      phase: 'runtime',
      reason: 'not on the allow list',
    });
    expect(digest.take({ kind: 'host', decision: refusedAt('a.com') })).toBeNull();
    expect(digest.take({ kind: 'host', decision: refusedAt('a.com', 80) })).toBeNull();
    expect(digest.hosts()).toEqual([
      { host: 'a.com', port: 443, phase: 'runtime', reason: 'not on the allow list', count: 2 },
      { host: 'a.com', port: 80, phase: 'runtime', reason: 'not on the allow list', count: 1 },
    ]);
  });

  it('records each route of Kraft’s own API once, and cuts a long one', () => {
    const digest = open();
    const refusal = { kind: 'route', route: 'GET /items', reason: 'not a route of a worker' } as const;
    expect(digest.take(refusal)).toEqual({
      session_id: 's1',
      host: 'kraft',
      port: 80,
      phase: 'runtime',
      route: 'GET /items',
      reason: 'not a route of a worker',
    });
    expect(digest.take(refusal)).toBeNull();
    const long = digest.take({ ...refusal, route: `GET /${'x'.repeat(1000)}` });
    expect(long).toMatchObject({ route: `GET /${'x'.repeat(251)}` });
    expect(digest.hosts()).toEqual([]);
  });

  it('after 100 hosts and routes says once that later ones are not recorded', () => {
    const digest = open();
    digest.take({ kind: 'route', route: 'GET /items', reason: 'not a route of a worker' });
    for (let i = 0; i < 99; i += 1) {
      expect(digest.take({ kind: 'host', decision: refusedAt(`h${i}.test`) })).not.toBeNull();
    }
    expect(digest.take({ kind: 'host', decision: refusedAt('h0.test') })).toBeNull();
    expect(digest.take({ kind: 'host', decision: refusedAt('one-more.test') })).toEqual({
      session_id: 's1',
      phase: 'runtime',
      suppressed: true,
      reason: 'more than 100 hosts and routes were refused',
    });
    expect(digest.take({ kind: 'host', decision: refusedAt('two-more.test') })).toBeNull();
    expect(digest.take({ kind: 'route', route: 'GET /x', reason: 'not a route of a worker' })).toBeNull();
  });

  it('keeps a bounded number of hosts however many ports are tried', () => {
    const digest = open();
    for (let port = 1; port <= 1000; port += 1) digest.take({ kind: 'host', decision: refusedAt('a.com', port) });
    digest.take({ kind: 'host', decision: refusedAt('a.com', 1) });
    expect(digest.hosts()).toHaveLength(100);
    expect(digest.hosts()[0]).toMatchObject({ port: 1, count: 2 });
  });
});

describe('what would open a refused host', () => {
  it.each<[Decision, boolean, string]>([
    [refusedAt('a.com'), false, '`kraft repo allow a.com:443` allows it'],
    [{ ...refusedAt('a.com'), phase: 'install' }, false, '`kraft repo allow a.com:443 --phase install` allows it'],
    [
      refusedAt('in.corp.example', 22, 'a non-public address without an exact allow entry'),
      false,
      '`kraft repo allow in.corp.example:22` allows it',
    ],
    [refusedAt('a.com', 443, 'on the deny list'), true, 'deny list of the runtime phase'],
    [refusedAt('metadata', 80, 'a cloud metadata service'), true, 'no list can open it'],
    [refusedAt('a.com', 80, 'an address that is never reached'), true, 'no list can open it'],
    [refusedAt('169.254.169.254', 80), true, 'no list can open it'],
    [refusedAt('metadata.google.internal', 80), true, 'no list can open it'],
    [refusedAt('::1'), true, 'no list can open it'],
    [refusedAt('10.0.0.5'), false, '`kraft repo allow 10.0.0.5:443` allows it'],
    [refusedAt('2606:4700::1111'), true, 'by its name'],
    [refusedAt('kraft'), true, 'http://kraft'],
    [refusedAt('selftest.kraft.invalid'), true, 'refused to show'],
  ])('%j: final %s', (decision, final, remedy) => {
    expect(explainRefusal(decision, null)).toEqual({ final, remedy: expect.stringContaining(remedy) as string });
  });

  it.each([
    [null, 'kraft repo allow a.com:443'],
    ['/srv/app', 'kraft repo allow a.com:443 --repo /srv/app'],
    ["/srv/Ada's app", `kraft repo allow a.com:443 --repo '/srv/Ada'\\''s app'`],
  ])('the command for the repository %s is %s', (repo, command) => {
    expect(renderAllowCommand(refusedAt('a.com'), repo)).toBe(command);
  });
});

describe('the summary of a session’s refusals (PF-P20)', () => {
  it('says each host, its reason, how often, and the command that opens it', () => {
    const digest = open();
    for (const decision of [refusedAt('a.com'), refusedAt('a.com'), refusedAt('b.com', 443, 'on the deny list')]) {
      digest.take({ kind: 'host', decision });
    }
    expect(renderRefusals(digest.hosts(), null)).toEqual([
      'The network policy refused these hosts:',
      '  a.com:443: not on the allow list, 2 times; `kraft repo allow a.com:443` allows it',
      '  b.com:443: on the deny list; the deny list of the runtime phase in repos.yaml names it',
    ]);
  });

  it('is empty when nothing was refused', () => {
    expect(renderRefusals(open().hosts(), null)).toEqual([]);
  });

  it('is made from recorded events as well, without routes and the last event', () => {
    const digest = open();
    const payloads = [
      digest.take({ kind: 'host', decision: refusedAt('a.com') }),
      digest.take({ kind: 'route', route: 'GET /items', reason: 'not a route of a worker' }),
      { session_id: 's1', phase: 'runtime', suppressed: true, reason: 'more' } as const,
    ].filter((payload): payload is EgressRefusal => payload !== null);
    expect(listRefusedHosts(payloads)).toEqual([
      { host: 'a.com', port: 443, phase: 'runtime', reason: 'not on the allow list', count: 1 },
    ]);
  });
});
