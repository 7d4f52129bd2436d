import { describe, expect, it } from 'vitest';
import { findDeadEntries, findDeniedHosts, findLeftOutApexes } from '../../src/egress/index.ts';

const lists = (allow: readonly string[], deny: readonly string[] = []) => ({ allow, deny });

describe('entries that allow nothing', () => {
  it.each<[readonly string[], readonly string[], readonly string[]]>([
    [['a.com'], [], []],
    [['a.com', 'b.com'], ['*'], ['a.com', 'b.com']],
    [['a.com'], ['**'], ['a.com']],
    [['a.com'], ['a.com'], ['a.com']],
    [['a.com:443'], ['a.com'], ['a.com:443']],
    [['a.com'], ['a.com:443'], []],
    [['a.com:443'], ['*:443'], ['a.com:443']],
    [['a.com:443'], ['*:80'], []],
    [['a.x.com', 'x.com', 'a.b.x.com'], ['*.x.com'], ['a.x.com']],
    [['*.x.com'], ['*.x.com'], ['*.x.com']],
    [['*.x.com'], ['a.x.com'], []],
    [['*'], ['*.x.com'], []],
    [['10.0.0.1'], [], []],
    [['127.0.0.1', '169.254.169.254:80', '0.0.0.0'], [], ['127.0.0.1', '169.254.169.254:80', '0.0.0.0']],
    [['metadata.google.internal'], [], ['metadata.google.internal']],
    [['kraft', 'kraft:80', 'selftest.kraft.invalid'], [], ['kraft', 'kraft:80', 'selftest.kraft.invalid']],
  ])('of %j under the deny list %j: %j', (allow, deny, dead) => {
    expect(findDeadEntries(lists(allow, deny)).map(({ entry }) => entry)).toEqual(dead);
  });

  it('say why', () => {
    expect(findDeadEntries(lists(['a.com', '127.0.0.1', 'kraft'], ['a.com']))).toEqual([
      { entry: 'a.com', why: 'the deny list has a.com' },
      { entry: '127.0.0.1', why: 'it is an address that is never reached' },
      { entry: 'kraft', why: 'the name is Kraft’s own' },
    ]);
  });
});

describe('a name that its wildcard leaves out', () => {
  it.each<[readonly string[], readonly string[], readonly string[]]>([
    [['*.x.com'], [], ['x.com']],
    [['*.x.com:443'], [], ['x.com:443']],
    [['*.x.com', 'x.com'], [], []],
    [['*.x.com', 'x.com:443'], [], []],
    [['*.x.com'], ['x.com'], []],
    [['*.x.com', '*'], [], []],
    [['*.internal'], [], []],
    [['x.com'], [], []],
  ])('of %j with %j denied: %j', (allow, deny, apexes) => {
    expect(findLeftOutApexes(lists(allow, deny)).map(({ apex }) => apex)).toEqual(apexes);
  });
});

describe('hosts of a harness that are denied', () => {
  it.each<[readonly string[], readonly string[]]>([
    [[], []],
    [['api.x.com'], ['api.x.com']],
    [['*.x.com:443'], ['api.x.com']],
    [['*.x.com:80'], []],
    [['*'], ['api.x.com', '*.y.com']],
    [['*.y.com'], ['*.y.com']],
    [['a.y.com'], []],
  ])('by %j: %j', (deny, hosts) => {
    const network = { install: lists([], ['*']), runtime: lists([], deny) };
    expect(findDeniedHosts(network, ['api.x.com', '*.y.com']).map(({ host }) => host)).toEqual(hosts);
  });
});
