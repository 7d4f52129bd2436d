import { describe, expect, it } from 'vitest';
import { parseHostPort, resolveEgressPolicy, type HostPort, type Lookup } from '../../src/egress/index.ts';
import { openJudge } from '../../src/egress/judge.ts';

function target(host: string, port = 443): HostPort {
  const parsed = parseHostPort(host, port);
  if (parsed.kind === 'refused') throw new Error(parsed.problem);
  return parsed.target;
}

const policy = resolveEgressPolicy({ phase: 'runtime', allow: ['**', 'in.corp'], deny: ['bad.com'] });
const addresses = (...list: string[]): Lookup => ({ kind: 'addresses', addresses: list });

describe('judging a request', () => {
  it('asks for the addresses of what the lists let through, and of nothing else', async () => {
    const asked: string[] = [];
    const judge = openJudge({
      policy,
      resolver: { lookup: (name) => Promise.resolve((asked.push(name), addresses('93.184.215.14'))) },
      ownAddresses: () => new Set(),
    });
    expect(await judge(target('a.com'))).toMatchObject({ decision: { allow: true }, addresses: ['93.184.215.14'] });
    expect(await judge(target('bad.com'))).toMatchObject({ decision: { allow: false }, addresses: [] });
    expect(await judge(target('metadata.google.internal'))).toMatchObject({ decision: { allow: false } });
    expect(await judge(target('kraft', 80))).toMatchObject({ decision: { allow: true }, addresses: [] });
    expect(await judge(target('93.184.215.14'))).toMatchObject({
      decision: { allow: true },
      addresses: ['93.184.215.14'],
    });
    expect(await judge(target('127.0.0.1'))).toMatchObject({ decision: { allow: false } });
    expect(asked).toEqual(['a.com']);
  });

  it('judges anew when the name resolves to something else, or when this machine gets another address', async () => {
    let found = addresses('93.184.215.14');
    let own: ReadonlySet<string> = new Set();
    const judge = openJudge({ policy, resolver: { lookup: () => Promise.resolve(found) }, ownAddresses: () => own });
    const first = await judge(target('a.com'));
    expect(first.decision.allow).toBe(true);
    expect(await judge(target('a.com'))).toBe(first);
    own = new Set(['93.184.215.14']);
    expect((await judge(target('a.com'))).decision).toMatchObject({ allow: false, rule: '93.184.215.14' });
    own = new Set();
    found = addresses('127.0.0.1');
    expect((await judge(target('a.com'))).decision).toMatchObject({ allow: false, rule: '127.0.0.1' });
    found = { kind: 'outage', code: 'ENOTFOUND' };
    expect(await judge(target('a.com'))).toMatchObject({ decision: { allow: true }, outage: { error: 'dns_error' } });
  });

  it('keeps few verdicts, whatever a worker asks for', async () => {
    const judge = openJudge({
      policy,
      resolver: { lookup: (name) => Promise.resolve(addresses(name === 'h300.com' ? '127.0.0.1' : '93.184.215.14')) },
      ownAddresses: () => new Set(),
    });
    for (let at = 0; at < 600; at++) {
      const { decision } = await judge(target(`h${at}.com`));
      expect(decision).toMatchObject({ host: `h${at}.com`, allow: at !== 300 });
    }
  });
});
