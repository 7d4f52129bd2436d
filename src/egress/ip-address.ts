import { isIPv4, isIPv6 } from 'node:net';

/** An address as its bytes in network order: 4 or 16. Text is never compared (PF-S10). */
export type AddressBytes = readonly number[];

/** Reads a dotted quad or an IPv6 address in any of its spellings; null for everything else, a zone included. */
export function parseAddress(text: string): AddressBytes | null {
  if (isIPv4(text)) return text.split('.').map(Number);
  if (!isIPv6(text) || text.includes('%')) return null;
  const [head = '', tail] = text.split('::');
  const front = groupsOf(head);
  if (tail === undefined) return front;
  const back = groupsOf(tail);
  return [...front, ...Array<number>(16 - front.length - back.length).fill(0), ...back];
}

/** The bytes of colon-separated groups, of which the last may be a dotted quad. */
function groupsOf(text: string): number[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => {
    if (group.includes('.')) return group.split('.').map(Number);
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}

/** The one text of an address: RFC 5952 for IPv6, with a dotted tail where it is an IPv4-mapped one. */
export function renderAddress(bytes: AddressBytes): string {
  if (bytes.length === 4) return bytes.join('.');
  if (hasPrefix(bytes, mappedPrefix)) return `::ffff:${bytes.slice(12).join('.')}`;
  const groups = Array.from({ length: 8 }, (_, i) => ((bytes[2 * i] ?? 0) << 8) | (bytes[2 * i + 1] ?? 0));
  const gap = longestZeros(groups);
  const hex = (part: readonly number[]): string => part.map((group) => group.toString(16)).join(':');
  if (gap.length < 2) return hex(groups);
  return `${hex(groups.slice(0, gap.start))}::${hex(groups.slice(gap.start + gap.length))}`;
}

/** The first of the longest runs of zero groups. */
function longestZeros(groups: readonly number[]): { readonly start: number; readonly length: number } {
  let best = { start: 0, length: 0 };
  let run = { start: 0, length: 0 };
  groups.forEach((group, i) => {
    run = group !== 0 ? { start: i + 1, length: 0 } : { start: run.start, length: run.length + 1 };
    if (run.length > best.length) best = run;
  });
  return best;
}

/** The one text of an address that a resolver or an interface gave; its zone is dropped. Null when it is none. */
export function normalizeAddress(text: string): string | null {
  const bytes = parseAddress(text.replace(/%.*$/su, ''));
  return bytes === null ? null : renderAddress(bytes);
}

/** A block of addresses: the first `bits` bits of `bytes`. */
export interface AddressBlock {
  readonly bytes: AddressBytes;
  readonly bits: number;
}

/** Reads `address/bits`. Precondition: it is well-formed (our own data). */
export function parseBlock(text: string): AddressBlock {
  const [address = '', bits = ''] = text.split('/');
  return { bytes: parseAddress(address) ?? [], bits: Number(bits) };
}

/** Whether an address lies in a block of the same family. */
export function hasPrefix(address: AddressBytes, block: AddressBlock): boolean {
  if (address.length !== block.bytes.length) return false;
  for (let i = 0, left = block.bits; left > 0; i += 1, left -= 8) {
    const mask = left >= 8 ? 0xff : (0xff << (8 - left)) & 0xff;
    if (((address[i] ?? 0) & mask) !== ((block.bytes[i] ?? 0) & mask)) return false;
  }
  return true;
}

const mappedPrefix = parseBlock('::ffff:0:0/96');
