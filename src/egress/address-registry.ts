import type { AddressClass } from './decision.ts';
import { parseBlock, type AddressBlock } from './ip-address.ts';

/** One block of addresses with the name that the registry gives it. */
export interface RegistryRow {
  readonly text: string;
  readonly name: string;
  readonly class: AddressClass;
  readonly block: AddressBlock;
}

function row(text: string, cls: AddressClass, name: string): RegistryRow {
  return { text, name, class: cls, block: parseBlock(text) };
}

/**
 * IANA's IPv4 special-purpose address registry (RFC 6890 and its updates), the multicast block and the addresses at which
 * clouds serve their metadata. What no row covers is public.
 */
export const ipv4Rows: readonly RegistryRow[] = [
  row('0.0.0.0/8', 'never', 'this network'),
  row('10.0.0.0/8', 'non-global', 'private use'),
  row('100.64.0.0/10', 'non-global', 'shared address space'),
  row('100.100.100.200/32', 'never', 'metadata (Alibaba Cloud)'),
  row('127.0.0.0/8', 'never', 'loopback'),
  row('168.63.129.16/32', 'never', 'metadata (Azure wire server)'),
  row('169.254.0.0/16', 'never', 'link local'),
  row('172.16.0.0/12', 'non-global', 'private use'),
  row('192.0.0.0/24', 'non-global', 'IETF protocol assignments'),
  row('192.0.0.0/29', 'non-global', 'IPv4 service continuity prefix'),
  row('192.0.0.8/32', 'non-global', 'IPv4 dummy address'),
  row('192.0.0.9/32', 'public', 'port control protocol anycast'),
  row('192.0.0.10/32', 'public', 'traversal using relays around NAT anycast'),
  row('192.0.0.170/32', 'non-global', 'NAT64/DNS64 discovery'),
  row('192.0.0.171/32', 'non-global', 'NAT64/DNS64 discovery'),
  row('192.0.0.192/32', 'never', 'metadata (Oracle Cloud)'),
  row('192.0.2.0/24', 'non-global', 'documentation (TEST-NET-1)'),
  row('192.31.196.0/24', 'public', 'AS112-v4'),
  row('192.52.193.0/24', 'public', 'AMT'),
  row('192.88.99.0/24', 'non-global', 'deprecated 6to4 relay anycast'),
  row('192.168.0.0/16', 'non-global', 'private use'),
  row('192.175.48.0/24', 'public', 'direct delegation AS112 service'),
  row('198.18.0.0/15', 'non-global', 'benchmarking'),
  row('198.51.100.0/24', 'non-global', 'documentation (TEST-NET-2)'),
  row('203.0.113.0/24', 'non-global', 'documentation (TEST-NET-3)'),
  row('224.0.0.0/4', 'never', 'multicast'),
  row('240.0.0.0/4', 'non-global', 'reserved'),
  row('255.255.255.255/32', 'never', 'limited broadcast'),
];

/**
 * The same for IPv6. Its first row denies by default: outside 2000::/3 nothing is global unicast, whatever is assigned
 * there later.
 */
export const ipv6Rows: readonly RegistryRow[] = [
  row('::/0', 'non-global', 'not global unicast'),
  row('2000::/3', 'public', 'global unicast'),
  row('::/128', 'never', 'unspecified'),
  row('::1/128', 'never', 'loopback'),
  row('::ffff:0:0/96', 'non-global', 'IPv4-mapped'),
  row('64:ff9b::/96', 'public', 'IPv4-IPv6 translation'),
  row('64:ff9b:1::/48', 'non-global', 'IPv4-IPv6 translation, local use'),
  row('100::/64', 'non-global', 'discard only'),
  row('100:0:0:1::/64', 'non-global', 'dummy prefix'),
  row('2001::/23', 'non-global', 'IETF protocol assignments'),
  row('2001::/32', 'non-global', 'Teredo'),
  row('2001:1::1/128', 'public', 'port control protocol anycast'),
  row('2001:1::2/128', 'public', 'traversal using relays around NAT anycast'),
  row('2001:1::3/128', 'public', 'DNS-SD service registration anycast'),
  row('2001:2::/48', 'non-global', 'benchmarking'),
  row('2001:3::/32', 'public', 'AMT'),
  row('2001:4:112::/48', 'public', 'AS112-v6'),
  row('2001:10::/28', 'non-global', 'deprecated ORCHID'),
  row('2001:20::/28', 'public', 'ORCHIDv2'),
  row('2001:30::/28', 'public', 'drone remote ID entity tags'),
  row('2001:db8::/32', 'non-global', 'documentation'),
  row('2002::/16', 'non-global', '6to4'),
  row('2620:4f:8000::/48', 'public', 'direct delegation AS112 service'),
  row('3fff::/20', 'non-global', 'documentation'),
  row('5f00::/16', 'non-global', 'segment routing identifiers'),
  row('fc00::/7', 'non-global', 'unique local'),
  row('fd00:42::42/128', 'never', 'metadata (Scaleway)'),
  row('fd00:ec2::23/128', 'never', 'metadata (Amazon EKS)'),
  row('fd00:ec2::254/128', 'never', 'metadata (Amazon EC2)'),
  row('fd20:ce::254/128', 'never', 'metadata (Google Cloud)'),
  row('fe80::/10', 'never', 'link local'),
  row('ff00::/8', 'never', 'multicast'),
];

/** Where IPv6 addresses carry an IPv4 one (SI 4.4), with the first byte of it: both are judged. */
export const carriers: readonly { readonly block: AddressBlock; readonly name: string; readonly at: number }[] = [
  { block: parseBlock('::ffff:0:0/96'), name: 'IPv4-mapped', at: 12 },
  { block: parseBlock('::/96'), name: 'IPv4-compatible', at: 12 },
  { block: parseBlock('::ffff:0:0:0/96'), name: 'IPv4-translated', at: 12 },
  { block: parseBlock('64:ff9b::/96'), name: 'NAT64', at: 12 },
  // Its other layouts put zeros here, which is 0.0.0.0: such an address is never reached.
  { block: parseBlock('64:ff9b:1::/48'), name: 'NAT64, local use', at: 12 },
  { block: parseBlock('2002::/16'), name: '6to4', at: 2 },
];
