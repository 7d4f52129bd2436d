import { describe, expect, it } from 'vitest';
import {
  decide,
  metadataNames,
  needsAddresses,
  parseAuthority,
  resolveEgressPolicy,
  selfTestHost,
  type Decision,
  type HostPort,
} from '../../src/egress/index.ts';

const publicAddress = ['8.8.8.8'];
const own: ReadonlySet<string> = new Set(['8.8.4.4', '2a00::1']);

function asked(text: string): HostPort {
  const parsed = parseAuthority(text, 443);
  if (parsed.kind === 'refused') throw new Error(parsed.problem);
  return parsed.target;
}

interface Lists {
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
}

function verdict(lists: Lists, text: string, addresses: readonly string[] | null = publicAddress): Decision {
  const policy = resolveEgressPolicy({ phase: 'runtime', allow: lists.allow ?? [], deny: lists.deny ?? [] });
  return decide(policy, asked(text), addresses, own);
}

describe('the match of a target with lists (SI-F3, PF-E01, PF-E02, PF-E04, PF-E08)', () => {
  it.each<[Lists, string, DecisionRow]>([
    [{ allow: ['api.x.com'] }, 'api.x.com', ['on the allow list', 'api.x.com']],
    [{ allow: ['api.x.com'] }, 'API.X.com.:8443', ['on the allow list', 'api.x.com']],
    [{ allow: ['API.x.com'] }, 'api.x.com', ['on the allow list', 'api.x.com']],
    [{ allow: ['api.x.com:443'] }, 'api.x.com:443', ['on the allow list', 'api.x.com:443']],
    [{ allow: ['api.x.com:443'] }, 'api.x.com:80', ['not on the allow list', null]],
    [{ allow: ['api.x.com:80', 'api.x.com:443'] }, 'api.x.com', ['on the allow list', 'api.x.com:443']],
    [{ allow: ['*.x.com'] }, 'a.x.com', ['on the allow list', '*.x.com']],
    [{ allow: ['*.x.com'] }, 'x.com', ['not on the allow list', null]],
    [{ allow: ['*.x.com'] }, 'a.b.x.com', ['not on the allow list', null]],
    [{ allow: ['*.x.com'] }, 'ax.com', ['not on the allow list', null]],
    [{ allow: ['*.x.com:80'] }, 'a.x.com', ['not on the allow list', null]],
    [{ allow: ['go.com'] }, 'duckduckgo.com', ['not on the allow list', null]],
    [{ allow: ['chase.com'] }, 'evilchase.com', ['not on the allow list', null]],
    [{ allow: ['chase.com'] }, 'chase.com.attacker.com', ['not on the allow list', null]],
    [{ allow: ['*'] }, 'any.example:1', ['on the allow list', '*']],
    [{ allow: ['**'] }, 'any.example:65535', ['on the allow list', '**']],
    [{ allow: ['*:443'] }, 'any.example:80', ['not on the allow list', null]],
    [{ allow: ['*', '*.x.com', 'a.x.com'] }, 'a.x.com', ['on the allow list', 'a.x.com']],
    [{}, 'api.x.com', ['not on the allow list', null]],
    [{ allow: ['api.x.com'], deny: ['api.x.com'] }, 'api.x.com', ['on the deny list', 'api.x.com']],
    [{ allow: ['**'], deny: ['chase.com'] }, 'CHASE.com.:8443', ['on the deny list', 'chase.com']],
    [{ allow: ['**'], deny: ['*.x.com'] }, 'a.x.com', ['on the deny list', '*.x.com']],
    [{ allow: ['**'], deny: ['*.x.com'] }, 'x.com', ['on the allow list', '**']],
    [{ allow: ['a.x.com'], deny: ['*'] }, 'a.x.com', ['on the deny list', '*']],
    [{ allow: ['**'], deny: ['x.com:22'] }, 'x.com:22', ['on the deny list', 'x.com:22']],
    [{ allow: ['**'], deny: ['x.com:22'] }, 'x.com', ['on the allow list', '**']],
    [{ deny: ['x.com'] }, 'x.com', ['on the deny list', 'x.com']],
    [{ allow: ['**'], deny: ['8.8.8.8'] }, '8.8.8.8', ['on the deny list', '8.8.8.8']],
    [{ allow: ['**'] }, '8.8.8.8', ['on the allow list', '**']],
    [{ allow: ['**'] }, '[2606:4700::1111]', ['on the allow list', '**']],
  ])('%j and %s: %j', (lists, text, [reason, rule]) => {
    const decision = verdict(lists, text);
    expect(decision).toEqual({
      allow: reason === 'on the allow list',
      reason,
      rule,
      host: asked(text).host,
      port: asked(text).port,
      phase: 'runtime',
    });
  });
});

type DecisionRow = readonly [Decision['reason'], string | null];
const never = 'an address that is never reached';
const nonPublic = 'a non-public address without an exact allow entry';

describe('addresses that are never reached (SI-F4)', () => {
  it.each([
    ['a.test', ['127.0.0.1']],
    ['a.test', ['8.8.8.8', '127.0.0.1']],
    ['a.test', ['10.0.0.1', '8.8.8.8', '::1']],
    ['a.test', ['169.254.1.1']],
    ['a.test', ['fe80::1%eth0']],
    ['a.test', ['::ffff:169.254.169.254']],
    ['a.test', ['8.8.4.4']],
    ['a.test', ['2a00:0::1']],
    ['a.test', ['::7f00:1']],
    ['a.test', ['2002:7f00:1::']],
    ['a.test', ['64:ff9b::7f00:1']],
    ['a.test', ['::ffff:0:7f00:1']],
    ['a.test', ['what is this']],
    ['a.test', []],
    ['localhost', ['127.0.0.1', '::1']],
  ])('%s at %j is refused under an exact entry and under `**`', (host, addresses) => {
    for (const allow of [[host], [`${host}:443`], ['**']]) {
      expect(verdict({ allow }, host, addresses)).toMatchObject({ allow: false, reason: never });
    }
  });

  it.each(['127.0.0.1', '169.254.169.254', '100.100.100.200', '0.0.0.0', '8.8.4.4', '255.255.255.255'])(
    'the literal %s is refused even when it is named, whether addresses are asked or not',
    (host) => {
      for (const addresses of [null, publicAddress]) {
        expect(verdict({ allow: [host, '*'] }, host, addresses)).toMatchObject({
          allow: false,
          reason: never,
          rule: host,
        });
      }
    },
  );

  it.each(['[::1]', '[fe80::1]', '[::ffff:127.0.0.1]', '[::]', '[fd00:ec2::254]', '[2a00::1]', '[ff02::1]'])(
    'the literal %s is refused under `**`',
    (host) => {
      expect(verdict({ allow: ['**'] }, host, null)).toMatchObject({ allow: false, reason: never });
    },
  );

  it.each([...metadataNames, 'Metadata.Google.Internal.'])(
    'the metadata name %s is refused wherever it points',
    (host) => {
      for (const addresses of [null, publicAddress]) {
        expect(verdict({ allow: [host.replace(/\.$/u, ''), '**'] }, host, addresses)).toMatchObject({
          allow: false,
          reason: 'a cloud metadata service',
        });
      }
    },
  );

  it('names the address that decided', () => {
    expect(verdict({ allow: ['**'] }, 'a.test', ['8.8.8.8', '10.0.0.1', 'FE80:0::1%2']).rule).toBe('fe80::1');
    expect(verdict({ allow: ['**'] }, 'a.test', ['8.8.8.8', '10.0.0.1']).rule).toBe('10.0.0.1');
  });
});

describe('addresses that are not public (SI-F5)', () => {
  it.each(['10.0.0.5', '192.168.1.1', '100.64.0.1', 'fd00::1', '64:ff9b::10.0.0.5', '240.0.0.1', '::ffff:8.8.8.8'])(
    '%s needs an entry that names the host, on that port',
    (address) => {
      const at = (allow: readonly string[]): string => verdict({ allow }, 'in.corp.example', [address]).reason;
      expect(at(['*'])).toBe(nonPublic);
      expect(at(['**:443'])).toBe(nonPublic);
      expect(at(['*.corp.example'])).toBe(nonPublic);
      expect(at(['*', 'in.corp.example:80'])).toBe(nonPublic);
      expect(at(['in.corp.example'])).toBe('on the allow list');
      expect(at(['*', 'in.corp.example:443'])).toBe('on the allow list');
    },
  );

  it('refuses a name of which one address is not public', () => {
    expect(verdict({ allow: ['*'] }, 'a.test', ['8.8.8.8', '10.0.0.1']).reason).toBe(nonPublic);
  });

  it('takes a literal only when it is itself named', () => {
    expect(verdict({ allow: ['*'] }, '10.0.0.5').reason).toBe(nonPublic);
    expect(verdict({ allow: ['10.0.0.5'] }, '10.0.0.5').reason).toBe('on the allow list');
    expect(verdict({ allow: ['10.0.0.5:22'] }, '10.0.0.5').reason).toBe('not on the allow list');
    expect(verdict({ allow: ['*'] }, '[fd00::1]', null).reason).toBe(nonPublic);
  });
});

describe('names that no list decides on', () => {
  it.each<[Lists]>([[{}], [{ allow: ['**'] }], [{ allow: ['kraft'], deny: ['kraft', '*'] }]])(
    'Kraft itself is reached on port 80 alone under %j',
    (lists) => {
      expect(verdict(lists, 'kraft:80', null)).toMatchObject({ allow: true, reason: 'Kraft itself', rule: null });
      expect(verdict(lists, 'KRAFT.:80', ['127.0.0.1'])).toMatchObject({ allow: true, reason: 'Kraft itself' });
      expect(verdict(lists, 'kraft:443', null)).toMatchObject({ allow: false, reason: 'not on the allow list' });
    },
  );

  it('the self test is refused before any list is asked (PF-E07)', () => {
    for (const allow of [['**'], [selfTestHost]]) {
      expect(verdict({ allow }, `${selfTestHost}:80`)).toMatchObject({ allow: false, reason: 'not on the allow list' });
    }
  });
});

describe('whether a name must be resolved', () => {
  it.each([
    ['a.test', true],
    ['b.test', false],
    ['8.8.8.8', false],
    ['metadata', false],
    ['kraft:80', false],
  ])('%s: %s', (text, needed) => {
    const policy = resolveEgressPolicy({ phase: 'install', allow: ['a.test', '8.8.8.8', 'metadata'], deny: [] });
    expect(needsAddresses(policy, asked(text))).toBe(needed);
  });

  it('decides by the name alone where there are no addresses', () => {
    expect(verdict({ allow: ['a.test'] }, 'a.test', null)).toMatchObject({ allow: true, rule: 'a.test' });
  });
});
