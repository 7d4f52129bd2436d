import { carriers, ipv4Rows, ipv6Rows, type RegistryRow } from './address-registry.ts';
import type { AddressClass } from './decision.ts';
import { hasPrefix, normalizeAddress, parseAddress, renderAddress, type AddressBytes } from './ip-address.ts';

/** The longest prefix first, so that the first row that covers an address is the one that holds. */
const byLength = (rows: readonly RegistryRow[]): readonly RegistryRow[] =>
  [...rows].sort((a, b) => b.block.bits - a.block.bits);
const ipv4 = byLength(ipv4Rows);
const ipv6 = byLength(ipv6Rows);

/**
 * Where an address lies: the worst of itself and of the IPv4 address that it may carry (SI 4.3, 4.4). `own` holds the
 * addresses of this machine as `normalizeAddress` gives them. What is no address is never reached.
 */
export function classifyAddress(text: string, own: ReadonlySet<string>): AddressClass {
  const bytes = parseAddress(normalizeAddress(text) ?? '');
  if (bytes === null) return 'never';
  const classes = [bytes, ...carriedBy(bytes)].map((address) =>
    own.has(renderAddress(address)) ? 'never' : classOf(address),
  );
  return (['never', 'non-global'] as const).find((cls) => classes.includes(cls)) ?? 'public';
}

function classOf(address: AddressBytes): AddressClass {
  const rows = address.length === 4 ? ipv4 : ipv6;
  return rows.find((row) => hasPrefix(address, row.block))?.class ?? 'public';
}

function carriedBy(address: AddressBytes): readonly AddressBytes[] {
  return carriers
    .filter((carrier) => hasPrefix(address, carrier.block))
    .map((carrier) => address.slice(carrier.at, carrier.at + 4));
}
