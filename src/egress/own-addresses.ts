import { readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { systemClock, type Clock } from '../base/index.ts';
import { normalizeAddress } from './ip-address.ts';

/** This machine's own addresses at this moment, as `normalizeAddress` gives them. */
export type OwnAddresses = () => ReadonlySet<string>;

export interface OwnAddressesOptions {
  /** Addresses that are this machine's without being an interface's, such as an engine's gateway aliases. */
  readonly more: () => readonly string[];
  readonly readInterfaces: () => readonly string[];
  readonly clock: Clock;
}

const keptMs = 1_000;

/**
 * The addresses of every interface, read afresh as networks come and go (PF-S11), and `more`. What was read is used for
 * one second, since every request asks.
 */
export function openOwnAddresses({ more, readInterfaces, clock }: OwnAddressesOptions): OwnAddresses {
  let kept: ReadonlySet<string> = new Set();
  let untilMs = Number.NEGATIVE_INFINITY;
  return () => {
    if (clock.monotonicMs() < untilMs) return kept;
    const texts = [...readInterfaces(), ...more()].map((address) => normalizeAddress(address));
    kept = new Set(texts.filter((text) => text !== null));
    untilMs = clock.monotonicMs() + keptMs;
    return kept;
  };
}

/** The interfaces of this machine, and `more`. */
export function readOwnAddresses(more: () => readonly string[]): OwnAddresses {
  return openOwnAddresses({ more, readInterfaces: listInterfaceAddresses, clock: systemClock });
}

function listInterfaceAddresses(): readonly string[] {
  const named = Object.values(networkInterfaces()).flatMap((rows) => (rows ?? []).map(({ address }) => address));
  return [...named, ...listLocalAddresses()];
}

/**
 * What Linux takes for itself. The list of interfaces leaves out those without a carrier, such as the bridge of an engine
 * that runs no container, whose address is this machine's all the same. Elsewhere there is no such file.
 */
function listLocalAddresses(): readonly string[] {
  const found: string[] = [];
  let leaf = '';
  for (const line of readKernelFile('/proc/net/fib_trie').split('\n')) {
    leaf = /\|-- ([0-9.]+)$/.exec(line)?.[1] ?? leaf;
    if (/\/32 host LOCAL$/.test(line)) found.push(leaf);
  }
  for (const [hex = ''] of readKernelFile('/proc/net/if_inet6').matchAll(/^[0-9a-f]{32}/gm)) {
    found.push(hex.match(/.{4}/g)?.join(':') ?? '');
  }
  return found;
}

function readKernelFile(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
