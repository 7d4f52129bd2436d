import type { HostPattern, Phase } from '../config/index.ts';

declare const canonical: unique symbol;

/** A host and a port that somebody asks for, spelled in the one canonical way. Only `parseHostPort` makes one. */
export interface HostPort {
  readonly [canonical]: true;
  readonly kind: 'name' | 'ipv4' | 'ipv6';
  /** Lower case, without trailing dot or brackets; an IPv6 address in its shortest form (RFC 5952). */
  readonly host: string;
  /** 1 to 65535. */
  readonly port: number;
}

/** What a session may reach, as text: kept on its row, so that a daemon that comes back goes on with the same. */
export interface EgressLists {
  readonly phase: Phase;
  readonly allow: readonly string[];
  /** Wins over `allow`. */
  readonly deny: readonly string[];
}

/** The same, parsed. */
export interface EgressPolicy {
  readonly phase: Phase;
  readonly allow: readonly HostPattern[];
  readonly deny: readonly HostPattern[];
}

/** Where an address lies, by IANA's special-purpose registries of both families and this machine's interfaces. */
export type AddressClass =
  /** Never reached, whatever the lists say: loopback, link-local, unspecified, multicast, broadcast, metadata, this host. */
  | 'never'
  /** Reached only where an allow entry names the host exactly. */
  | 'non-global'
  | 'public';

/** Why a request is allowed or not: a closed list, so that tests assert it and receipts count it. */
export type DecisionReason =
  | 'on the allow list'
  | 'Kraft itself'
  | 'on the deny list'
  | 'not on the allow list'
  | 'a cloud metadata service'
  | 'an address that is never reached'
  | 'a non-public address without an exact allow entry';

/** The one verdict on one request. */
export interface Decision {
  readonly allow: boolean;
  readonly reason: DecisionReason;
  /** The entry that decided, as canonical text; the address for one that is refused by its class; null for none. */
  readonly rule: string | null;
  readonly host: string;
  readonly port: number;
  readonly phase: Phase;
}
