import { describe, expect, it } from 'vitest';
import { openOwnAddresses, readOwnAddresses } from '../../src/egress/index.ts';

describe("this machine's own addresses (PF-S11)", () => {
  it('are those of the interfaces and those that are told, in one spelling', () => {
    const own = openOwnAddresses({
      more: () => ['FD00::0:1', '10.0.2.2', 'no address'],
      readInterfaces: () => ['192.0.2.7', '2001:DB8:0::1'],
      clock: { nowMs: () => 0, monotonicMs: () => 0 },
    });
    expect([...own()].sort()).toEqual(['10.0.2.2', '192.0.2.7', '2001:db8::1', 'fd00::1'].sort());
  });

  it('are read afresh after a second', () => {
    const clock = { ms: 0 };
    const found = ['192.0.2.1'];
    const own = openOwnAddresses({
      more: () => [],
      readInterfaces: () => [...found],
      clock: { nowMs: () => clock.ms, monotonicMs: () => clock.ms },
    });
    expect([...own()]).toEqual(['192.0.2.1']);
    found.push('192.0.2.2');
    clock.ms = 999;
    expect([...own()]).toEqual(['192.0.2.1']);
    clock.ms = 1_000;
    expect([...own()]).toEqual(['192.0.2.1', '192.0.2.2']);
  });

  it('hold the loopback of the machine that the tests run on', () => {
    expect(readOwnAddresses(() => ['192.0.2.9'])()).toContain('127.0.0.1');
    expect(readOwnAddresses(() => ['192.0.2.9'])()).toContain('192.0.2.9');
  });
});
