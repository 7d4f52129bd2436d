import { describe, expect, it } from 'vitest';
import { classifyAddress, normalizeAddress } from '../../src/egress/index.ts';
import { carriers, ipv4Rows, ipv6Rows } from '../../src/egress/address-registry.ts';

const none: ReadonlySet<string> = new Set();

/** At least one address of every registry row, and the neighbours just outside. */
const cases: Readonly<Record<'never' | 'non-global' | 'public', readonly string[]>> = {
  never: [
    ...['0.0.0.0', '0.0.0.1', '0.255.255.255', '127.0.0.1', '127.255.255.254', '169.254.0.1', '169.254.169.254'],
    ...['169.254.255.255', '224.0.0.1', '239.255.255.255', '255.255.255.255', '100.100.100.200', '168.63.129.16'],
    ...['192.0.0.192', '::', '::1', 'fe80::1', 'febf::1', 'ff02::1', 'ff0e::1', 'fd00:ec2::254', 'fd00:ec2::23'],
    ...['fd00:42::42', 'fd20:ce::254', '::ffff:127.0.0.1', '::ffff:a9fe:a9fe', '::127.0.0.1', '::ffff:0:127.0.0.1'],
    ...['64:ff9b::169.254.169.254', '64:ff9b::7f00:1', '64:ff9b:1::7f00:1', '2002:7f00:1::', '2002:a9fe:a9fe::1'],
    ...['::ffff:224.0.0.1', '::ffff:0.0.0.0', '::2', '2002:0:1::'],
  ],
  'non-global': [
    ...['10.0.0.1', '10.255.255.255', '100.64.0.1', '100.127.255.254', '172.16.0.1', '172.31.255.255', '192.0.0.1'],
    ...['192.0.0.8', '192.0.0.11', '192.0.0.170', '192.0.0.171', '192.0.0.255', '192.0.2.1', '192.88.99.1'],
    ...['192.168.0.1', '192.168.255.255', '198.18.0.1', '198.19.255.255', '198.51.100.1', '203.0.113.1', '240.0.0.1'],
    ...['255.255.255.254', '::ffff:10.0.0.1', '::ffff:8.8.8.8', '::8.8.8.8', '::ffff:0:8.8.8.8', '64:ff9b::10.0.0.1'],
    ...['64:ff9b:1::808:808', '100::1', '100:0:0:1::1', '100:0:0:2::1', '2001::1', '2001:1::4', '2001:1ff::1'],
    ...['2001:2::1', '2001:4:111::1', '2001:10::1', '2001:1f:ffff::1', '2001:40::1', '2001:db8::1', '2002:808:808::1'],
    ...[
      '2002:a00:1::1',
      '3fff::1',
      '3fff:fff::1',
      '5f00::1',
      'fc00::1',
      'fd00:0:0::1',
      'fdff::1',
      'fec0::1',
      '4000::1',
    ],
    ...['1fff::1', '8000::1', '64:ff9b:0:1::1', '::1:0:0:0:1'],
  ],
  public: [
    ...['1.0.0.1', '8.8.8.8', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255'],
    ...['128.0.0.0', '169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0', '192.0.0.9', '192.0.0.10'],
    ...[
      '192.0.1.0',
      '192.31.196.1',
      '192.52.193.1',
      '192.167.255.255',
      '192.169.0.0',
      '192.175.48.1',
      '198.17.255.255',
    ],
    ...['198.20.0.0', '223.255.255.255', '168.63.129.17', '64:ff9b::8.8.8.8', '2001:1::1', '2001:1::2', '2001:1::3'],
    ...['2001:3::1', '2001:4:112::1', '2001:20::1', '2001:2f:ffff::1', '2001:30::1', '2001:200::1', '2001:db7::1'],
    ...['2003::1', '2606:4700::1111', '2620:4f:8000::1', '3ffe::1', '3fff:1000::1', '2a00:1450::1'],
  ],
};

describe('the class of an address (SI 4.3, 4.4, SI-F4, SI-F5, PF-S04, PF-S05, PF-S10)', () => {
  it.each(Object.entries(cases).flatMap(([cls, addresses]) => addresses.map((address) => [address, cls])))(
    '%s is %s',
    (address, cls) => {
      expect(classifyAddress(address, none)).toBe(cls);
    },
  );

  it.each([...ipv4Rows, ...ipv6Rows].map((row) => [row.text, row.name, row] as const))(
    'the row %s (%s) is a block without host bits, and its first address is not better than the row',
    (text, _, row) => {
      const [address = '', bits = ''] = text.split('/');
      expect(row.block.bits).toBe(Number(bits));
      expect(row.block.bytes.length * 8).toBeGreaterThanOrEqual(row.block.bits);
      expect(normalizeAddress(address)).toBe(address === '::ffff:0:0' ? '::ffff:0.0.0.0' : address);
      const order = ['public', 'non-global', 'never'];
      expect(order.indexOf(classifyAddress(address, none))).toBeGreaterThanOrEqual(order.indexOf(row.class));
    },
  );

  it('names every carrier of IPv4 once', () => {
    expect(new Set(carriers.map(({ name }) => name)).size).toBe(carriers.length);
  });

  it.each(['FE80::1%eth0', 'fe80::1%25', '::1%lo'])('the zone of the answer %s does not hide it', (address) => {
    expect(classifyAddress(address, none)).toBe('never');
  });

  it.each(['', 'example.com', '127.1', '1.2.3', '::g', '1.2.3.4/8'])('%j, which is no address, is never', (text) => {
    expect(classifyAddress(text, none)).toBe('never');
  });

  it.each([
    ['203.0.114.7', '203.0.114.7'],
    ['::ffff:203.0.114.7', '203.0.114.7'],
    ['2002:cb00:7207::1', '203.0.114.7'],
    ['64:ff9b::cb00:7207', '203.0.114.7'],
    ['2a00:0:0::00FF', '2a00::ff'],
  ])('%s is this machine when it has %s (PF-S11)', (address, own) => {
    expect(classifyAddress(address, new Set([own]))).toBe('never');
    expect(classifyAddress(address, none)).not.toBe('never');
  });
});
