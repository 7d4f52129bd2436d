import { describe, expect, it } from 'vitest';
import { BodyFramer } from '../../src/egress/frame-body.ts';
import type { Framing } from '../../src/egress/parse-head.ts';

interface Framed {
  readonly passed: string;
  /** Offset behind the body in what was given; null when it goes on. */
  readonly endedAt: number | null;
  readonly malformed: string | null;
}

/** A body given in pieces of `size` bytes. */
function frame(framing: Framing, text: string, size = text.length): Framed {
  const framer = new BodyFramer(framing);
  const bytes = Buffer.from(text, 'latin1');
  let passed = '';
  for (let at = 0; at < bytes.length; at += size) {
    const part = framer.push(bytes.subarray(at, at + size));
    passed += Buffer.concat(part.pass).toString('latin1');
    if (part.malformed !== null) return { passed, endedAt: null, malformed: part.malformed };
    if (part.endedAt !== null) return { passed, endedAt: at + part.endedAt, malformed: null };
  }
  return { passed, endedAt: null, malformed: null };
}

const chunked: Framing = { kind: 'chunked' };

describe('the body of a request, framed anew (PF-H01, H02, SI-9.6 F10)', () => {
  it('has as many bytes as were told, however they are cut', () => {
    for (const size of [1, 2, 5, 100]) {
      expect(frame({ kind: 'length', bytes: 5 }, 'helloGET http://evil/', size)).toEqual({
        passed: 'hello',
        endedAt: 5,
        malformed: null,
      });
    }
    expect(frame({ kind: 'length', bytes: 5 }, 'hel')).toEqual({ passed: 'hel', endedAt: null, malformed: null });
  });

  it('is over before it begins when there is none', () => {
    expect(new BodyFramer({ kind: 'none' }).done).toBe(true);
    expect(new BodyFramer({ kind: 'length', bytes: 0 }).done).toBe(true);
    expect(frame({ kind: 'none' }, 'GET http://evil/').passed).toBe('');
  });

  it('keeps chunks and leaves out extensions and trailers, however it is cut', () => {
    const text = '5;ext="a"\r\nhello\r\n00A\r\n0123456789\r\n0\r\nX-Trailer: y\r\n\r\n';
    for (let size = 1; size <= text.length; size++) {
      expect(frame(chunked, `${text}GET http://evil/`, size)).toEqual({
        passed: '5\r\nhello\r\na\r\n0123456789\r\n0\r\n\r\n',
        endedAt: text.length,
        malformed: null,
      });
    }
  });

  it.each([
    ['x\r\n', 'the size of a chunk is not a number'],
    ['\r\n', 'the size of a chunk is not a number'],
    ['-1\r\n', 'the size of a chunk is not a number'],
    ['0x5\r\nhello\r\n', 'the size of a chunk is not a number'],
    ['5 hello\r\n', 'the size of a chunk is not a number'],
    ['1000000000000000\r\n', 'the size of a chunk is not a number'],
    ['5;\x00\r\nhello\r\n', 'the size of a chunk is not a number'],
    ['5\nhello\n0\n\n', 'a line of a chunked body ends without a carriage return'],
    ['5\r\nhello\n', 'a line of a chunked body ends without a carriage return'],
    ['5\r\nhelloworld\r\n', 'a chunk is longer than it says'],
    ['0\r\nno colon\r\n', 'a trailer is not `name: value`'],
    ['0\r\n: x\r\n', 'a trailer is not `name: value`'],
    [`5;${'x'.repeat(5000)}`, 'a line of a chunked body is too long'],
    [`0\r\n${`X: ${'x'.repeat(3000)}\r\n`.repeat(6)}`, 'the trailers are too large'],
  ])('refuses %j and ends nothing with it', (text, malformed) => {
    for (const size of [1, 7, text.length]) {
      const framed = frame(chunked, text, size);
      expect(framed.malformed).toBe(malformed);
      expect(framed.passed).not.toMatch(/0\r\n\r\n$/);
    }
  });
});
