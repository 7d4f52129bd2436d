import { lowerCaseAscii, parseHostName } from '../config/index.ts';
import type { HostPort } from './decision.ts';
import { parseAddress, renderAddress } from './ip-address.ts';

export type ParsedHostPort =
  | { readonly kind: 'host'; readonly target: HostPort }
  /** `problem` is a clause that says what is malformed; it repeats nothing of what was asked. */
  | { readonly kind: 'refused'; readonly problem: string };

/**
 * The one way from text to a host that can be decided on (SI 4.5, PF-E01, PF-E02, PF-S01): lower case, one trailing dot
 * and the brackets of IPv6 stripped, one spelling for each address. What a resolver might read in its own way is refused.
 */
export function parseHostPort(host: string, port: string | number): ParsedHostPort {
  const digits = String(port);
  if (!/^[0-9]{1,5}$/.test(digits)) return refuse('the port is not a number');
  const number = Number(digits);
  if (number < 1 || number > 65_535) return refuse('the port is not one of 1 to 65535');
  const parsed = parseHost(host);
  if ('problem' in parsed) return refuse(parsed.problem);
  // The one place that makes the branded type.
  return { kind: 'host', target: { ...parsed, port: number } as HostPort };
}

function refuse(problem: string): ParsedHostPort {
  return { kind: 'refused', problem };
}

type Host = Pick<HostPort, 'kind' | 'host'> | { readonly problem: string };

function parseHost(written: string): Host {
  if (written === '') return { problem: 'no host is named' };
  if (/[^\u0000-\u007f]/u.test(written)) return { problem: 'the host is not ASCII (a name is written as `xn--…`)' };
  const bracketed = /^\[(.*)\]$/su.exec(written)?.[1];
  if (bracketed !== undefined || written.includes(':')) return parseIpv6(bracketed ?? written);
  const host = lowerCaseAscii(written).replace(/\.$/u, '');
  const name = parseHostName(host);
  if (name.problem !== null) return { problem: `the host ${name.problem}` };
  return { kind: name.numeric ? 'ipv4' : 'name', host };
}

function parseIpv6(text: string): Host {
  if (text.includes('%')) return { problem: 'the host is an address with a zone' };
  const bytes = parseAddress(text);
  if (bytes?.length !== 16) return { problem: 'the host is not an IPv6 address' };
  return { kind: 'ipv6', host: renderAddress(bytes) };
}

/**
 * Reads `host:port`, or `[address]:port` for IPv6. Without a port `defaultPort` stands in; null makes one mandatory, as
 * for CONNECT.
 */
export function parseAuthority(text: string, defaultPort: number | null): ParsedHostPort {
  const [, host, digits] = /^(\[[^\]]*\]|[^:[]*)(?::([^:]*))?$/u.exec(text) ?? [];
  if (host === undefined) return refuse('it is not `host:port` (an IPv6 address stands in brackets)');
  const port = digits ?? defaultPort;
  if (port === null) return refuse('the port is missing');
  return parseHostPort(host, port);
}

/** The text of a target as requests and list entries have it: `host:port`, an IPv6 address in brackets. */
export function renderAuthority(target: { readonly host: string; readonly port: number }): string {
  return `${target.host.includes(':') ? `[${target.host}]` : target.host}:${target.port}`;
}
