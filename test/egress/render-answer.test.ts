import { describe, expect, it } from 'vitest';
import type { Decision } from '../../src/egress/index.ts';
import {
  describeOutage,
  malformedAnswer,
  outageAnswer,
  refusedAnswer,
  refusedRouteAnswer,
  renderAnswer,
  renderKraftAnswer,
  type ProxyAnswer,
} from '../../src/egress/render-answer.ts';

const decision = (over: Partial<Decision>): Decision => ({
  allow: false,
  reason: 'not on the allow list',
  rule: null,
  host: 'a.com',
  port: 443,
  phase: 'runtime',
  ...over,
});
const text = (answer: ProxyAnswer, method = 'GET'): string => renderAnswer(answer, method).toString('latin1');

describe('an answer of the proxy itself (SI 4.7)', () => {
  it('is one line of plain text, whose length is told, and the end of the connection', () => {
    expect(text(malformedAnswer('it is odd'))).toBe(
      [
        'HTTP/1.1 400 Bad Request (kraft: it is odd)',
        'Content-Type: text/plain',
        'Content-Length: 50',
        'Proxy-Status: kraft; error=http_request_error; details="it is odd"',
        'Connection: close',
        '',
        'kraft: the request was not understood: it is odd.\n',
      ].join('\r\n'),
    );
  });

  it('to HEAD has no body, whose length it tells all the same', () => {
    expect(text(malformedAnswer('it is odd'), 'HEAD')).toMatch(/Content-Length: 50\r\n[^]*Connection: close\r\n\r\n$/);
  });

  it('cannot be broken up by what it repeats', () => {
    const answer = text(refusedRouteAnswer('GET /x\r\nSet-Cookie: y', 'so "it" \\ is\r\n\r\nnot\x00 é'));
    expect(answer.split('\r\n')).toHaveLength(7);
    expect(answer).toContain('details="so \\"it\\" \\\\ is?not? ?"');
    expect(answer).toContain('kraft: GET /x?Set-Cookie: y is refused');
  });

  it.each<[Partial<Decision>, string, RegExp]>([
    [{}, 'http_request_denied', /a person has to allow it on the host: `kraft repo allow a\.com:443` allows it\.$/],
    [{ phase: 'install' }, 'http_request_denied', /`kraft repo allow a\.com:443 --phase install` allows it\.$/],
    [
      { reason: 'on the deny list', rule: '*.com' },
      'http_request_denied',
      /\(on the deny list of the runtime phase as \*\.com\).* This is final: the deny list/,
    ],
    [
      { reason: 'a cloud metadata service', host: 'metadata' },
      'http_request_denied',
      /This is final: no list can open it\.$/,
    ],
    [
      { reason: 'an address that is never reached', rule: '127.0.0.1' },
      'destination_ip_prohibited',
      /\(an address that is never reached: 127\.0\.0\.1\).* This is final/,
    ],
    [
      { reason: 'a non-public address without an exact allow entry', rule: '10.0.0.1' },
      'destination_ip_prohibited',
      /10\.0\.0\.1\).* `kraft repo allow a\.com:443`/,
    ],
    [
      { host: 'kraft', port: 443 },
      'http_request_denied',
      /This is final: Kraft itself is reached as http:\/\/kraft alone\.$/,
    ],
    [{ host: '2001:db8::1' }, 'http_request_denied', /^\[2001:db8::1\]:443 is refused/],
  ])('tells the refusal %j as policy, not as an outage', (over, error, line) => {
    const answer = refusedAnswer(decision(over));
    expect(answer).toMatchObject({ status: 403, error });
    expect(answer.line).toMatch(line);
    expect(answer.line).toContain('is no outage, and asking again changes nothing.');
  });

  it.each([
    ['lookup', 'ENOTFOUND', 502, 'dns_error'],
    ['lookup', 'EAI_AGAIN', 502, 'dns_error'],
    ['lookup', 'ETIMEOUT', 504, 'dns_timeout'],
    ['dial', 'ECONNREFUSED', 502, 'connection_refused'],
    ['dial', 'ECONNRESET', 502, 'connection_terminated'],
    ['dial', 'ETIMEDOUT', 504, 'connection_timeout'],
    ['dial', 'ENETUNREACH', 502, 'destination_unavailable'],
  ] as const)('tells the outage %s %s', (kind, code, status, error) => {
    const answer = outageAnswer({ host: 'a.com', port: 443 }, describeOutage(kind, code));
    expect(answer).toMatchObject({ status, error });
    expect(answer.line).toMatch(/^a\.com:443 is allowed, but was not reached: .*This is an outage and no policy\.$/);
  });
});

describe("an answer of Kraft's own", () => {
  const answer = { kind: 'answer', status: 200, contentType: 'application/json\r\nX: y', body: '{"é":1}' } as const;

  it('tells the length of its body in bytes, and whether the connection goes on', () => {
    const rendered = renderKraftAnswer(answer, { method: 'GET', keepAlive: true }).toString();
    expect(rendered).toBe(
      'HTTP/1.1 200 OK\r\nContent-Type: application/json?X: y\r\nContent-Length: 8\r\nConnection: keep-alive\r\n\r\n{"é":1}',
    );
    expect(renderKraftAnswer(answer, { method: 'HEAD', keepAlive: false }).toString()).toMatch(
      /: 8\r\nConnection: close\r\n\r\n$/,
    );
  });
});
