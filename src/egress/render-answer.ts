import type { Decision } from './decision.ts';
import { renderAuthority } from './host-port.ts';
import type { KraftAnswer } from './kraft-host.ts';
import { explainRefusal } from './refusals.ts';

/** Reason phrases of the statuses that leave here (RFC 9110 15). */
const phrases: Readonly<Record<number, string>> = {
  200: 'OK',
  201: 'Created',
  400: 'Bad Request',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  411: 'Length Required',
  413: 'Content Too Large',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};

/** Types of `Proxy-Status` errors (RFC 9209 2.3) that this proxy tells. */
export type ProxyError =
  | 'connection_limit_reached'
  | 'connection_refused'
  | 'connection_terminated'
  | 'connection_timeout'
  | 'destination_ip_prohibited'
  | 'destination_unavailable'
  | 'dns_error'
  | 'dns_timeout'
  | 'http_request_denied'
  | 'http_request_error'
  | 'proxy_internal_error';

/** An answer that the proxy itself makes (SI 4.7): one line of plain text, and then the end of the connection. */
export interface ProxyAnswer {
  readonly status: number;
  readonly error: ProxyError;
  /** A clause: few clients show more of a refused CONNECT than the status line (PF-P20). */
  readonly reason: string;
  /** One line without its prefix `kraft: `, meant for an agent to read. */
  readonly line: string;
}

/** The whole message; for HEAD without its body. The reason stands in `Proxy-Status` too, for programs (RFC 9209). */
export function renderAnswer(answer: ProxyAnswer, method: string): Buffer {
  const body = `kraft: ${asciiLine(answer.line)}\n`;
  const reason = asciiLine(answer.reason);
  const details = reason.replace(/[\\"]/g, '\\$&');
  return Buffer.from(
    `HTTP/1.1 ${answer.status} ${phrases[answer.status] ?? 'Refused'} (kraft: ${reason})\r\n` +
      `Content-Type: text/plain\r\n` +
      `Content-Length: ${body.length}\r\n` +
      `Proxy-Status: kraft; error=${answer.error}; details="${details}"\r\n` +
      `Connection: close\r\n\r\n` +
      (method === 'HEAD' ? '' : body),
    'latin1',
  );
}

/** What Kraft itself answers a worker; the body is UTF-8. */
export function renderKraftAnswer(
  answer: KraftAnswer & { readonly kind: 'answer' },
  { method, keepAlive }: { readonly method: string; readonly keepAlive: boolean },
): Buffer {
  const body = Buffer.from(answer.body);
  const head =
    `HTTP/1.1 ${answer.status} ${phrases[answer.status] ?? 'Answer'}\r\n` +
    `Content-Type: ${asciiLine(answer.contentType)}\r\n` +
    `Content-Length: ${body.length}\r\n` +
    `Connection: ${keepAlive ? 'keep-alive' : 'close'}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), method === 'HEAD' ? Buffer.alloc(0) : body]);
}

/** A refusal by policy, told as one: not an outage, what would have to be allowed and by whom, and whether that is all. */
export function refusedAnswer(decision: Decision): ProxyAnswer {
  const byAddress =
    decision.reason === 'an address that is never reached' ||
    decision.reason === 'a non-public address without an exact allow entry';
  const { final, remedy } = explainRefusal(decision, null);
  const hint = final
    ? `This is final: ${remedy}.`
    : `Go on without it, or say that a person has to allow it on the host: ${remedy}.`;
  const target = renderAuthority(decision);
  const reason = because(decision);
  return {
    status: 403,
    error: byAddress ? 'destination_ip_prohibited' : 'http_request_denied',
    reason: `${target}: ${reason}`,
    line: `${target} is refused by the network policy of this sandbox (${reason}). It is no outage, and asking again changes nothing. ${hint}`,
  };
}

function because({ reason, rule, phase }: Decision): string {
  switch (reason) {
    case 'on the deny list':
    case 'not on the allow list':
      return `${reason} of the ${phase} phase${rule === null ? '' : ` as ${rule}`}`;
    default:
      return rule === null ? reason : `${reason}: ${rule}`;
  }
}

/** A call of Kraft's own that a worker may not make. */
export function refusedRouteAnswer(route: string, reason: string): ProxyAnswer {
  return {
    status: 403,
    error: 'http_request_denied',
    reason,
    line: `${route} is refused (${reason}). It is no outage, and asking again changes nothing.`,
  };
}

export function malformedAnswer(why: string): ProxyAnswer {
  return { status: 400, error: 'http_request_error', reason: why, line: `the request was not understood: ${why}.` };
}

/** A request for Kraft itself whose body it does not take. */
export function bodyAnswer(status: 411 | 413): ProxyAnswer {
  const why = status === 411 ? 'a body for Kraft needs a Content-Length' : 'a body for Kraft has at most 16 MiB';
  return { status, error: 'http_request_error', reason: why, line: `${why}.` };
}

export function crowdedAnswer(what: string): ProxyAnswer {
  return {
    status: 503,
    error: 'connection_limit_reached',
    reason: `too many ${what} at once`,
    line: `this sandbox has too many ${what} open at once; close some and ask again.`,
  };
}

/** A failure on the way to a host that is allowed. */
export interface Outage {
  readonly error: ProxyError;
  /** A clause with the word of the resolver, the kernel or the upstream proxy. */
  readonly why: string;
}

export function outageAnswer(target: { readonly host: string; readonly port: number }, outage: Outage): ProxyAnswer {
  const timedOut = outage.error === 'connection_timeout' || outage.error === 'dns_timeout';
  return {
    status: timedOut ? 504 : 502,
    error: outage.error,
    reason: `${renderAuthority(target)}: ${outage.why}`,
    line: `${renderAuthority(target)} is allowed, but was not reached: ${outage.why}. This is an outage and no policy.`,
  };
}

/** The words of the resolver and of the kernel for a failure, as a clause. */
export function describeOutage(kind: 'lookup' | 'dial', code: string): Outage {
  if (kind === 'lookup') {
    return code === 'ETIMEOUT'
      ? { error: 'dns_timeout', why: 'its name was not resolved in time' }
      : { error: 'dns_error', why: `its name does not resolve (${code})` };
  }
  switch (code) {
    case 'ETIMEDOUT':
      return { error: 'connection_timeout', why: 'no connection came about in time' };
    case 'ECONNREFUSED':
      return { error: 'connection_refused', why: 'the connection was refused (ECONNREFUSED)' };
    case 'ECONNRESET':
      return { error: 'connection_terminated', why: 'the connection was ended (ECONNRESET)' };
    default:
      return { error: 'destination_unavailable', why: `no connection came about (${code})` };
  }
}

/** One line of printable ASCII. */
function asciiLine(text: string): string {
  return text.replace(/[^\x20-\x7e]+/g, '?');
}
