import type { HostPort } from './decision.ts';
import { connectionOptions, type Framing, type Header, type PlainRequest } from './parse-head.ts';

/**
 * Of one connection alone (SI 4.6, RFC 9110 7.6.1), or written anew: `Host` from what was checked, the length of the
 * body from how it was read.
 */
const dropped: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * The head that leaves for an absolute-form request, one request a connection; every line of it was understood or is
 * ours. With `upstream` it is for a proxy of this machine, which is told the checked host and no other.
 */
export function renderForward(
  request: PlainRequest & { readonly target: HostPort },
  upstream: { readonly authorization: string | null } | null,
): Buffer {
  const host = renderHost(request.target);
  const target = upstream === null ? request.path : `http://${host}${request.path}`;
  // A header that the client names in `Connection` ends here too.
  const named = new Set(connectionOptions(request.headers));
  const kept = request.headers.filter(([name]) => {
    const lower = name.toLowerCase();
    return !dropped.has(lower) && !named.has(lower);
  });
  const own: Header[] = [['Host', host]];
  if (upstream !== null && upstream.authorization !== null) own.push(['Proxy-Authorization', upstream.authorization]);
  const lines = [...own, ...kept, ...renderFraming(request.framing), ['Connection', 'close'] as const]
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  return Buffer.from(`${request.method} ${target} HTTP/${request.version}\r\n${lines}\r\n`, 'latin1');
}

function renderFraming(framing: Framing): readonly Header[] {
  switch (framing.kind) {
    case 'none':
      return [];
    case 'length':
      return [['Content-Length', String(framing.bytes)]];
    case 'chunked':
      return [['Transfer-Encoding', 'chunked']];
  }
}

/** As `Host` and URLs have it: without the port of plain http. */
function renderHost({ kind, host, port }: HostPort): string {
  const name = kind === 'ipv6' ? `[${host}]` : host;
  return port === 80 ? name : `${name}:${port}`;
}
