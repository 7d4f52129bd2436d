import { describe, expect, it } from 'vitest';
import { decide, parseAuthority, planEgress, resolveEgressPolicy, type EgressLists } from '../../src/egress/index.ts';

const network = {
  install: { allow: ['registry.example.com'], deny: [] },
  runtime: { allow: ['api.github.com', 'api.anthropic.com', 'api.github.com'], deny: ['bad.example.com'] },
};

describe('the lists of a launch (SI 4.2)', () => {
  it('puts the hosts of the harness behind those of the runtime phase, each once', () => {
    const lists = planEgress({
      network,
      phase: 'runtime',
      harnessHosts: ['API.anthropic.com', 'statsig.example.com:443'],
    });
    expect(lists).toEqual({
      phase: 'runtime',
      allow: ['api.github.com', 'api.anthropic.com', 'statsig.example.com:443'],
      deny: ['bad.example.com'],
    });
  });

  it('leaves them out of the install phase', () => {
    expect(planEgress({ network, phase: 'install', harnessHosts: ['api.anthropic.com'] })).toEqual({
      phase: 'install',
      allow: ['registry.example.com'],
      deny: [],
    });
  });

  it('lets a deny win over a host of the harness', () => {
    const denying = { ...network, runtime: { allow: [], deny: ['*.anthropic.com'] } };
    const policy = resolveEgressPolicy(
      planEgress({ network: denying, phase: 'runtime', harnessHosts: ['api.anthropic.com'] }),
    );
    const parsed = parseAuthority('api.anthropic.com:443', null);
    if (parsed.kind === 'refused') throw new Error(parsed.problem);
    expect(decide(policy, parsed.target, null, new Set())).toMatchObject({ allow: false, rule: '*.anthropic.com' });
  });

  it('comes back from text as it was', () => {
    const lists = planEgress({ network, phase: 'runtime', harnessHosts: ['*.x.com'] });
    const policy = resolveEgressPolicy(JSON.parse(JSON.stringify(lists)) as EgressLists);
    expect(policy.phase).toBe('runtime');
    expect(policy.allow.map(({ text }) => text)).toEqual(lists.allow);
    expect(policy.deny.map(({ text }) => text)).toEqual(lists.deny);
  });

  it.each(['allow', 'deny'] as const)(
    'refuses an unreadable entry of the %s list instead of leaving it out',
    (list) => {
      const lists = { phase: 'runtime', allow: [], deny: [], [list]: ['10.0.0.0/8'] } as const;
      expect(() => resolveEgressPolicy(lists)).toThrow(
        expect.objectContaining({ code: 'KRAFT_EGRESS_LISTS_UNREADABLE' }) as Error,
      );
    },
  );
});
