/** Numbers from a seed, the same on every machine (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const lines = (...parts: string[]): string => `${parts.join('\r\n')}\r\n\r\n`;

/** Requests that are all in order, with a body where they tell of one; latin-1. */
export const goodRequests: readonly string[] = [
  lines('CONNECT api.example.com:443 HTTP/1.1', 'Host: api.example.com:443'),
  lines('CONNECT [2001:db8::7]:8443 HTTP/1.1', 'Host: [2001:db8::7]:8443', 'Proxy-Connection: keep-alive'),
  lines('CONNECT 93.184.215.14:22 HTTP/1.0'),
  lines('CONNECT kraft:80 HTTP/1.1', 'Host: kraft:80') + lines('GET /api/x HTTP/1.1', 'Host: kraft'),
  lines('GET http://a.example/ HTTP/1.1', 'Host: a.example', 'Accept: */*', 'User-Agent: x/1.0 (y; z)'),
  lines(
    'GET http://user:pw@a.example:8080/p/q?r=s#t HTTP/1.1',
    'Host: b.example',
    'Connection: keep-alive, X-Hop',
    'X-Hop: 1',
  ),
  lines('HEAD http://a.example/\xe4 HTTP/1.0', 'X-Odd: \xff\xfe\t.'),
  lines('POST http://a.example/up HTTP/1.1', 'Host: a.example', 'Content-Length: 11') + 'hello world',
  `${lines('PUT http://a.example/up HTTP/1.1', 'Host: a.example', 'Transfer-Encoding: chunked')}5;x=y\r\nhello\r\n0a\r\n0123456789\r\n0\r\nT: v\r\n\r\n`,
  lines('DELETE http://a.example/x HTTP/1.1', 'Host: a.example', 'Content-Length: 0', 'Expect: 100-continue'),
  lines('OPTIONS http://[2001:db8::1]:81/ HTTP/1.1', 'Host: x'),
  lines('POST http://kraft/api/threads HTTP/1.1', 'Host: kraft', 'Content-Length: 2') + '{}',
  lines('PATCH /api/threads HTTP/1.1', 'Host: kraft', 'Content-Length: 2') + '{}',
];

const tokens = [
  '\r\n', '\n', '\r', '\r\n\r\n', '\n\n', ' ', '\t', '\x00', '\x0b', '\x7f', '\x80', '\xad', ':', '::', '/', '//', '\\', '@', '#', '?', '%00', '%0d%0a',
  '[', ']', '.', '..', '-', '0x7f', '127.1', '2130706433', '169.254.169.254', 'localhost', 'kraft', 'http://', 'https://', 'HTTP/1.1', 'HTTP/0.9',
  'CONNECT ', 'GET ', 'Host: evil', 'Content-Length: 5\r\n', 'Content-Length: 6\r\n', 'Transfer-Encoding: chunked\r\n', 'Transfer-Encoding : chunked\r\n',
  ' folded', ': nameless\r\n', 'GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n', '0\r\n\r\n', 'ffffffffffffffff\r\n', '99999', ';',
]; // prettier-ignore

/** A good request with one to four things wrong with it, most of the time. */
export function mutate(random: () => number): string {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  let text = pick(goodRequests);
  for (let times = 1 + Math.floor(random() * 4); times > 0; times--) {
    const at = Math.floor(random() * (text.length + 1));
    const to = Math.min(text.length, at + 1 + Math.floor(random() ** 3 * 40));
    const [before, part, after] = [text.slice(0, at), text.slice(at, to), text.slice(to)];
    switch (Math.floor(random() * 7)) {
      case 0:
        text = before + String.fromCharCode(Math.floor(random() * 256)) + text.slice(at + 1);
        break;
      case 1:
        text = before + pick(tokens) + text.slice(at);
        break;
      case 2:
        text = before + after;
        break;
      case 3:
        text = before + part + part + after;
        break;
      case 4:
        text = before + pick(goodRequests).slice(Math.floor(random() * 60));
        break;
      case 5:
        text = before + pick(tokens) + after;
        break;
      default:
        // ASCII alone: everything stays latin-1.
        text =
          before +
          part.replace(/[a-z]/gi, (letter) => (random() < 0.5 ? letter.toUpperCase() : letter.toLowerCase())) +
          after;
    }
  }
  return text;
}

const methods = 'GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS';
const wellFormed = new RegExp(
  `^(?:CONNECT [^ ]+|(?:${methods}) (?:/|[Hh][Tt][Tt][Pp]://)[^ ]*) HTTP/1\\.[01](?:\\r\\n[!#$%&'*+.^_\`|~0-9A-Za-z-]+:[\\t -~\\x80-\\xff]*)*\\r\\n\\r\\n`,
);

/**
 * A second opinion on what a head may look like at most, by one expression and some counting: what this denies must not
 * be understood by anybody.
 */
export function mayBeUnderstood(text: string): boolean {
  const [head] = wellFormed.exec(text) ?? [];
  if (head === undefined || head.length > 65_536) return false;
  const [requestLine = ''] = head.split('\r\n');
  if (/[^ -~\x80-\xff]|\\/.test(requestLine)) return false;
  const count = (header: RegExp): number => head.match(header)?.length ?? 0;
  const codings = count(/\ntransfer-encoding:/gi);
  if (count(/\ncontent-length:/gi) + codings > 1 || count(/\nhost:/gi) > 1) return false;
  return codings === 0 || (/\ntransfer-encoding:[\t ]*chunked[\t ]*\r/i.test(head) && requestLine.endsWith('1.1'));
}
