import { Secret } from '../base/index.ts';
import { parseProxy, type EnvReader } from '../credentials/index.ts';
import type { HostPort } from './decision.ts';
import { egressErrors } from './errors.ts';
import { parseAuthority, parseHostPort } from './host-port.ts';
import { hasPrefix, parseAddress, parseBlock } from './ip-address.ts';

/** A proxy of this machine, through which the daemon makes connections. */
export interface Upstream {
  /** The variable that names it, as its errors and doctor say it. */
  readonly variable: string;
  readonly host: string;
  readonly port: number;
  /** Value of `Proxy-Authorization`, or null for a proxy without user. */
  readonly authorization: Secret | null;
}

/** How a worker's request arrived, which is how it leaves: a tunnel, or plain http in absolute form. */
export type RequestForm = 'tunnel' | 'absolute';

/** The proxies of this machine by what they are for, and the hosts that are reached without them. */
export interface Upstreams {
  readonly tunnel: Upstream | null;
  readonly absolute: Upstream | null;
  /** Entries of NO_PROXY, trimmed and in lower case. */
  readonly bypass: readonly string[];
}

/**
 * The daemon's own proxies (SI 4.6): `https_proxy` or `HTTPS_PROXY` for tunnels, `http_proxy` or `HTTP_PROXY` for plain
 * http; an empty variable counts as unset and ALL_PROXY is not used. Raises UPSTREAM_PROXY_UNUSABLE for a value that
 * cannot be used: going on without it would leave the machine on another way than its owner set.
 */
export function planUpstreams(env: EnvReader): Upstreams {
  return {
    tunnel: readUpstream(['https_proxy', 'HTTPS_PROXY'], env),
    absolute: readUpstream(['http_proxy', 'HTTP_PROXY'], env),
    bypass: (firstSet(['no_proxy', 'NO_PROXY'], env)?.value ?? '')
      .split(',')
      .map((entry) => entry.trim().toLowerCase())
      .filter((entry) => entry !== ''),
  };
}

function firstSet(names: readonly string[], env: EnvReader): { readonly name: string; readonly value: string } | null {
  for (const name of names) {
    const value = env(name)?.trim() ?? '';
    if (value !== '') return { name, value };
  }
  return null;
}

function readUpstream(names: readonly string[], env: EnvReader): Upstream | null {
  const set = firstSet(names, env);
  if (set === null) return null;
  const refuse = (why: string): Error => egressErrors.create('UPSTREAM_PROXY_UNUSABLE', { variable: set.name, why });
  const proxy = parseProxy(set.value);
  if (proxy === null) throw refuse('its value names no host');
  if (proxy.scheme !== 'http')
    throw refuse(`it names a proxy that speaks ${proxy.scheme}, and Kraft speaks plain http`);
  const parsed = parseHostPort(proxy.host, proxy.port === '' ? 80 : proxy.port);
  if (parsed.kind === 'refused') throw refuse(parsed.problem);
  const authorization = readAuthorization(set.value);
  if (authorization === null) throw refuse('its user or password has a % that is no percent-encoding');
  const { host, port } = parsed.target;
  return {
    variable: set.name,
    host,
    port,
    authorization: authorization === '' ? null : new Secret(set.name, authorization),
  };
}

/** `Basic …` of the user and password in front of the host; empty for none, null when they cannot be decoded. */
function readAuthorization(value: string): string | null {
  // As `parseProxy` does, so that both read the same parts.
  const url = URL.parse(`http://${value.replace(/^[a-z][a-z0-9+.-]*:\/\//iu, '')}`);
  if (url === null || (url.username === '' && url.password === '')) return '';
  const user = decodePercent(url.username);
  const password = decodePercent(url.password);
  if (user === null || password === null) return null;
  return `Basic ${Buffer.concat([user, Buffer.from(':'), password]).toString('base64')}`;
}

/** Bytes, as a password need not be UTF-8; null for a % without two hex digits. */
function decodePercent(text: string): Buffer | null {
  if (/%(?![0-9a-f]{2})/iu.test(text)) return null;
  const parts = text.split(/(%[0-9a-f]{2})/iu);
  return Buffer.concat(parts.map((part, i) => (i % 2 === 1 ? Buffer.from(part.slice(1), 'hex') : Buffer.from(part))));
}

/** The proxy that a checked target is reached through; null to dial it directly. */
export function chooseUpstream(upstreams: Upstreams, target: HostPort, form: RequestForm): Upstream | null {
  return upstreams.bypass.some((entry) => covers(entry, target)) ? null : upstreams[form];
}

/**
 * An entry of NO_PROXY: `*`; a name, with or without a leading dot, for itself and everything below it; an address or a
 * range of addresses for targets that are addresses; each but the first with an optional port.
 */
function covers(entry: string, target: HostPort): boolean {
  if (entry === '*') return true;
  if (entry.includes('/')) return coversAddress(entry, target);
  // The port of the target stands in for one that is not written.
  const parsed = parseAuthority(entry.replace(/^\*?\./u, ''), target.port);
  const bare = parsed.kind === 'refused' ? parseHostPort(entry, target.port) : parsed;
  if (bare.kind === 'refused' || bare.target.port !== target.port) return false;
  const { kind, host } = bare.target;
  return target.host === host || (kind === 'name' && target.kind === 'name' && target.host.endsWith(`.${host}`));
}

function coversAddress(entry: string, target: HostPort): boolean {
  const address = target.kind === 'name' ? null : parseAddress(target.host);
  const [base = '', bits = ''] = entry.split('/');
  if (address === null || parseAddress(base) === null || !/^[0-9]{1,3}$/.test(bits)) return false;
  return hasPrefix(address, parseBlock(entry));
}
