import { describe, expect, it } from 'vitest';
import { parseHostPort } from '../../src/egress/index.ts';
import { BodyFramer } from '../../src/egress/frame-body.ts';
import { parseHead, type RequestHead } from '../../src/egress/parse-head.ts';
import { HeadReader } from '../../src/egress/read-head.ts';
import { renderForward } from '../../src/egress/render-forward.ts';
import { goodRequests, mayBeUnderstood, mutate, seededRandom } from './support/mutate.ts';

interface Understood {
  readonly head: RequestHead | null;
  readonly rest: Buffer;
}

/** What the proxy makes of bytes that come in up to three pieces; null for a head that has no end yet. */
function understand(text: string, random: () => number): Understood {
  const bytes = Buffer.from(text, 'latin1');
  const cuts = [random(), random()].map((part) => Math.floor(part * bytes.length)).sort((a, b) => a - b);
  const reader = new HeadReader();
  const [first = 0, second = 0] = cuts;
  for (const [from, to] of [
    [0, first],
    [first, second],
    [second, bytes.length],
  ] as const) {
    if (from === to) continue;
    const read = reader.push(bytes.subarray(from, to));
    if (read.kind === 'malformed') return { head: read, rest: Buffer.alloc(0) };
    if (read.kind === 'complete')
      return { head: parseHead(read.head), rest: Buffer.concat([read.rest, bytes.subarray(to)]) };
  }
  return { head: null, rest: Buffer.alloc(0) };
}

type Plain = RequestHead & { kind: 'absolute' | 'kraft' };

/** What is wrong with what was understood; null when nothing is. */
function objectTo(text: string, { head, rest }: Understood): string | null {
  if (head === null || head.kind === 'malformed') return null;
  if (!mayBeUnderstood(text)) return 'it should not have been understood';
  const again = parseHostPort(head.target.host, head.target.port);
  if (again.kind !== 'host' || again.target.host !== head.target.host) return 'its host is not canonical';
  return head.kind === 'connect' ? null : (objectToHead(head) ?? objectToBody(head, rest));
}

function objectToHead(head: Plain): string | null {
  if (!/^\/[!-~\x80-\xff]*$/.test(head.path)) return 'its path is none';
  const rendered = renderForward(head, { authorization: null });
  const read = new HeadReader().push(rendered);
  if (read.kind !== 'complete' || read.rest.length > 0) return 'what leaves is no single head';
  const left = parseHead(read.head);
  if (left.kind !== head.kind) return `what leaves is ${left.kind === 'malformed' ? left.why : left.kind}`;
  const asked = ({ target, method, path, framing }: Plain): string => JSON.stringify([target, method, path, framing]);
  if (asked(left) !== asked(head)) return 'what leaves is another request';
  return mayBeUnderstood(rendered.toString('latin1')) ? null : 'what leaves should not be understood';
}

function objectToBody(head: Plain, rest: Buffer): string | null {
  const body = reframe(head, rest);
  if (!body.done) return null;
  const twice = reframe(head, body.passed);
  return twice.done && twice.passed.equals(body.passed) ? null : 'the body that leaves reads differently';
}

/** What is passed on of a body, and whether it was whole. */
function reframe({ framing }: Plain, rest: Buffer): { passed: Buffer; done: boolean } {
  const framer = new BodyFramer(framing);
  const part = framer.push(rest);
  return { passed: Buffer.concat(part.pass), done: framer.done };
}

describe('mutated requests (issue 4, 100,000 of them)', () => {
  it('come from ones that are all understood', () => {
    const random = seededRandom(1);
    for (const text of goodRequests) {
      expect(mayBeUnderstood(text)).toBe(true);
      expect(['connect', 'absolute', 'kraft']).toContain(understand(text, random).head?.kind);
    }
  });

  it(
    'never make the parser throw, and what is understood leaves as the same request and nothing else',
    { timeout: 60_000 },
    () => {
      const random = seededRandom(20_260_401);
      const counts = { incomplete: 0, malformed: 0, connect: 0, absolute: 0, kraft: 0 };
      for (let at = 0; at < 100_000; at++) {
        const text = mutate(random);
        const understood = understand(text, random);
        counts[understood.head?.kind ?? 'incomplete'] += 1;
        const objection = objectTo(text, understood);
        if (objection !== null) expect.fail(`${objection}: ${JSON.stringify(text)}`);
      }
      // Mutations that leave nothing standing, or harm nothing, would show nothing.
      expect(Math.min(...Object.values(counts))).toBeGreaterThan(2_000);
    },
  );
});
