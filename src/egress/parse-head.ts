import type { HostPort } from './decision.ts';
import { kraftHost, kraftPort } from './decide.ts';
import { parseAuthority } from './host-port.ts';

/** Name and value as they came, as latin-1: bytes that are no ASCII leave as they arrived. */
export type Header = readonly [name: string, value: string];

/** What follows a head (RFC 9112 6.3), by the one reading that is left after everything ambiguous was refused. */
export type Framing =
  { readonly kind: 'none' } | { readonly kind: 'length'; readonly bytes: number } | { readonly kind: 'chunked' };

/** What a plain request says besides whom it is for. */
export interface PlainRequest {
  readonly method: string;
  /** Path and query; never a fragment. */
  readonly path: string;
  readonly version: '1.0' | '1.1';
  readonly headers: readonly Header[];
  readonly framing: Framing;
  /** Whether the client keeps its connection for a further request. */
  readonly keepAlive: boolean;
}

/** The head of a request, understood, or why it is none: nothing else is ever acted on. */
export type RequestHead =
  | { readonly kind: 'connect'; readonly target: HostPort }
  | (PlainRequest & { readonly kind: 'absolute'; readonly target: HostPort })
  /** For Kraft itself: in absolute form, or in origin form with `Host: kraft` (PF-H14). */
  | (PlainRequest & { readonly kind: 'kraft'; readonly target: HostPort })
  /** `why` is a clause that repeats nothing of what was sent. */
  | Malformed;

export interface Malformed {
  readonly kind: 'malformed';
  readonly why: string;
}

const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
// A token, a colon, and tab, visible ASCII, space or obs-text: no control character, so no bare line feed and no NUL; a
// folded line begins with a space, which no token does (RFC 9110 5.1, 5.5).
const headerLine = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):([\t\x20-\x7e\x80-\xff]*)$/;
const absoluteUrl = /^http:\/\/([^/?#]*)([^#]*)/i;

/**
 * Reads the head of a request to the proxy, given without the empty line that ends it (SI 4.5). Strict: what two readers
 * could understand in two ways is malformed, so that nothing is forwarded that was not understood (PF-H03, PF-H06). Pure.
 */
export function parseHead(head: Buffer): RequestHead {
  const [requestLine = '', ...lines] = head.toString('latin1').split('\r\n');
  const line = parseRequestLine(requestLine);
  if (typeof line === 'string') return malformed(line);
  const headers: Header[] = [];
  for (const text of lines) {
    const [, name, value] = headerLine.exec(text) ?? [];
    if (name === undefined || value === undefined) return malformed('a header line is not `name: value`');
    headers.push([name, value.replace(/^[\t ]+|[\t ]+$/g, '')]);
  }
  const framing = parseFraming(line, headers);
  if (typeof framing === 'string') return malformed(framing);
  if (valuesOf(headers, 'host').length > 1) return malformed('Host is given more than once');
  return line.method === 'CONNECT' ? parseConnect(line, framing) : parsePlain(line, headers, framing);
}

function malformed(why: string): Malformed {
  return { kind: 'malformed', why };
}

interface RequestLine {
  readonly method: string;
  readonly target: string;
  readonly version: '1.0' | '1.1';
}

function parseRequestLine(text: string): RequestLine | string {
  if (!/^[\x20-\x7e\x80-\xff]*$/.test(text)) return 'the request line holds a control character';
  const [method = '', target = '', protocol, ...more] = text.split(' ');
  if (protocol === undefined || more.length > 0) return 'the request line is not `METHOD target HTTP/1.1`';
  if (protocol !== 'HTTP/1.1' && protocol !== 'HTTP/1.0') return 'it is not HTTP/1.1 or HTTP/1.0';
  if (method !== 'CONNECT' && !methods.has(method)) return 'the method is not one that the proxy passes on';
  // What takes it for a slash sees another host than who takes it for a part of one.
  if (target.includes('\\')) return 'the target holds a backslash';
  return { method, target, version: protocol === 'HTTP/1.1' ? '1.1' : '1.0' };
}

function parseConnect({ target }: RequestLine, framing: Framing): RequestHead {
  if (framing.kind === 'chunked' || (framing.kind === 'length' && framing.bytes > 0)) {
    return malformed('a CONNECT has no body');
  }
  const parsed = parseAuthority(target, null);
  return parsed.kind === 'refused'
    ? malformed(`in the target of CONNECT ${parsed.problem}`)
    : { kind: 'connect', target: parsed.target };
}

function parsePlain(line: RequestLine, headers: readonly Header[], framing: Framing): RequestHead {
  const { method, target, version } = line;
  const rest = { method, version, headers, framing, keepAlive: version === '1.1' && !saysClose(headers) };
  if (target.startsWith('/')) return parseOrigin(target, rest);
  const [, authority, path = ''] = absoluteUrl.exec(target) ?? [];
  if (authority === undefined) return malformed(explainTarget(target));
  // Who one is to the host is not part of which host it is. Two of them leave open which is which.
  const [host = '', ...before] = authority.split('@').reverse();
  if (before.length > 1) return malformed('the URL holds more than one @ in front of its host');
  const parsed = parseAuthority(host, 80);
  if (parsed.kind === 'refused') return malformed(`in the URL ${parsed.problem}`);
  const asked = { ...rest, path: path.startsWith('/') ? path : `/${path}` };
  return { kind: isKraft(parsed.target) ? 'kraft' : 'absolute', target: parsed.target, ...asked };
}

function parseOrigin(target: string, rest: Omit<PlainRequest, 'path'>): RequestHead {
  const [host = ''] = valuesOf(rest.headers, 'host');
  const parsed = parseAuthority(host, kraftPort);
  if (parsed.kind === 'host' && isKraft(parsed.target)) {
    return { kind: 'kraft', target: parsed.target, path: target.replace(/#.*$/, ''), ...rest };
  }
  return malformed('this is a proxy: the target must be a whole URL (`GET http://host/path`), or a host to CONNECT to');
}

function isKraft(target: HostPort): boolean {
  return target.host === kraftHost && target.port === kraftPort;
}

function explainTarget(target: string): string {
  return /^https:/i.test(target)
    ? 'https is asked for by CONNECT, not by a URL'
    : 'the target is neither `http://host/path` nor a host to CONNECT to';
}

/** RFC 9112 6.1 to 6.3 without their leniency: two lengths, both kinds, and any coding but `chunked` alone are refused. */
function parseFraming({ version }: RequestLine, headers: readonly Header[]): Framing | string {
  const codings = valuesOf(headers, 'transfer-encoding');
  const lengths = valuesOf(headers, 'content-length');
  if (codings.length > 0) {
    if (lengths.length > 0) return 'both Content-Length and Transfer-Encoding are given';
    if (version === '1.0') return 'HTTP/1.0 has no Transfer-Encoding';
    const isPlain = codings.length === 1 && codings[0]?.toLowerCase() === 'chunked';
    return isPlain ? { kind: 'chunked' } : 'the Transfer-Encoding is not `chunked` alone';
  }
  const [length] = lengths;
  if (length === undefined) return { kind: 'none' };
  if (lengths.length > 1) return 'Content-Length is given more than once';
  return /^[0-9]{1,15}$/.test(length) ? { kind: 'length', bytes: Number(length) } : 'Content-Length is not a number';
}

/** Values of a header, in order. `name` is lower case. */
export function valuesOf(headers: readonly Header[], name: string): readonly string[] {
  const values: string[] = [];
  for (const [written, value] of headers) {
    if (written.length === name.length && written.toLowerCase() === name) values.push(value);
  }
  return values;
}

/** What stands in `Connection`: header names and `close`, in lower case. */
export function connectionOptions(headers: readonly Header[]): readonly string[] {
  return valuesOf(headers, 'connection').flatMap((value) => value.split(',').map((part) => part.trim().toLowerCase()));
}

function saysClose(headers: readonly Header[]): boolean {
  return connectionOptions(headers).includes('close');
}
