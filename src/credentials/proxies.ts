import type { EnvReader } from './plan.ts';

/** Every proxy variable that programs read, in both cases. `FTP_PROXY` is never forwarded. */
export const proxyNames = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'].flatMap((name) => [
  name,
  name.toLowerCase(),
]);

/** What a proxy variable of this machine names, without its user and password. */
export interface ParsedProxy {
  readonly scheme: string;
  readonly host: string;
  /** Empty where the scheme's own port is meant. */
  readonly port: string;
  readonly loopback: boolean;
}

/** Whether one set proxy variable crosses into containers, and why not. */
export interface ProxyDecision {
  readonly name: string;
  readonly forwarded: boolean;
  /** Null for NO_PROXY, which is no address, and for a value that is none. */
  readonly proxy: ParsedProxy | null;
  /** Null when it is forwarded. */
  readonly why: string | null;
}

/** Reads a proxy value as curl does: without a scheme it is http (PF-P10). Null when it names no host. */
export function parseProxy(value: string): ParsedProxy | null {
  const text = value.trim();
  const [, scheme = 'http', rest = ''] = /^(?:([a-z][a-z0-9+.-]*):\/\/)?(.*)$/iu.exec(text) ?? [];
  // Only for http does the parser bring every spelling of an IPv4 address (127.1, 0x7f000001) into one form.
  const url = URL.parse(`http://${rest}`);
  if (url === null || url.hostname === '') return null;
  return {
    scheme: scheme.toLowerCase(),
    host: url.hostname,
    port: url.port,
    loopback: isLoopback(url.hostname),
  };
}

/** Addresses that mean the machine itself, where a container finds only itself. Takes the form that `URL` gives. */
function isLoopback(hostname: string): boolean {
  const host = hostname.replace(/\.$/u, '');
  if (host === 'localhost' || host.endsWith('.localhost')) return true;
  if (/^127\./u.test(host) || host === '0.0.0.0') return true;
  // v4-mapped (and the old v4-compatible) addresses come as hex groups: 7fxx is 127.x.
  return (
    host === '[::1]' ||
    host === '[::]' ||
    /^\[::(?:ffff:)?7f[0-9a-f]{2}:[0-9a-f]{1,4}\]$/u.test(host) ||
    host === '[::ffff:0:0]'
  );
}

/** The set proxy variables of this machine; NO_PROXY always crosses. A value that names no host does not. */
export function decideProxies(env: EnvReader): readonly ProxyDecision[] {
  return proxyNames.flatMap((name) => {
    const value = env(name);
    if (value === undefined || value === '') return [];
    if (name.toUpperCase() === 'NO_PROXY') return [{ name, forwarded: true, proxy: null, why: null }];
    const proxy = parseProxy(value);
    const why =
      proxy === null
        ? 'its value names no host'
        : proxy.loopback
          ? 'a container cannot reach a proxy on loopback'
          : null;
    return [{ name, forwarded: why === null, proxy, why }];
  });
}
