import { describe, expect, it } from 'vitest';
import { HeadReader, headMaxBytes, type ReadHead } from '../../src/egress/read-head.ts';

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');
const plain = (read: ReadHead): unknown =>
  read.kind === 'complete' ? { head: read.head.toString('latin1'), rest: read.rest.toString('latin1') } : read;

describe('reading a head (SI 4.5)', () => {
  it('finds its end wherever the bytes are cut', () => {
    const message = 'GET http://a.com/ HTTP/1.1\r\nHost: a.com\r\n\r\nbody\r\n\r\n';
    const whole = { head: 'GET http://a.com/ HTTP/1.1\r\nHost: a.com', rest: 'body\r\n\r\n' };
    expect(plain(new HeadReader().push(bytes(message)))).toEqual(whole);
    for (let cut = 1; cut < message.length - whole.rest.length; cut++) {
      const reader = new HeadReader();
      expect(reader.push(bytes(message.slice(0, cut)))).toEqual({ kind: 'incomplete' });
      expect(plain(reader.push(bytes(message.slice(cut))))).toEqual(whole);
    }
  });

  it('takes a byte at a time, as slow as it comes', () => {
    const reader = new HeadReader();
    const head = `GET http://a.com/ HTTP/1.1\r\nX: ${'x'.repeat(60_000)}`;
    const message = bytes(`${head}\r\n\r\n`);
    let last: ReadHead = { kind: 'incomplete' };
    for (let at = 0; at < message.length; at++) {
      expect(last.kind).toBe('incomplete');
      last = reader.push(message.subarray(at, at + 1));
    }
    expect(plain(last)).toEqual({ head, rest: '' });
  });

  it('leaves the bytes of who sent them alone', () => {
    const first = bytes('GET ');
    const reader = new HeadReader();
    reader.push(first);
    reader.push(bytes('http://a.com/ HTTP/1.1\r\n'));
    expect(first.toString()).toBe('GET ');
  });

  it.each([
    ['a line without a carriage return', 'GET http://a.com/ HTTP/1.1\nHost', 'a line ends without a carriage return'],
    ['one behind a good one', 'GET / HTTP/1.1\r\nX: y\n\n', 'a line ends without a carriage return'],
    ['two line feeds at its end', 'GET / HTTP/1.1\r\nX: y\r\n\n', 'a line ends without a carriage return'],
    ['an empty line in front', '\r\nGET / HTTP/1.1\r\n\r\n', 'it does not begin with a method'],
    ['TLS', '\x16\x03\x01\x02\x00', 'this is TLS, and the proxy itself speaks plain HTTP'],
    ['SOCKS', '\x05\x01\x00', 'it does not begin with a method'],
    ['a small letter', 'get /', 'it does not begin with a method'],
  ])('refuses %s at once', (_what, text, why) => {
    expect(new HeadReader().push(bytes(text))).toEqual({ kind: 'malformed', why });
  });

  it('takes a head of 64 KiB and refuses a larger one before its end', () => {
    const start = 'GET http://a.com/ HTTP/1.1\r\nX: ';
    const largest = `${start}${'x'.repeat(headMaxBytes - start.length - 4)}\r\n\r\n`;
    expect(largest.length).toBe(headMaxBytes);
    expect(new HeadReader().push(bytes(largest)).kind).toBe('complete');

    const why = 'the request line and headers are larger than 64 KiB';
    expect(new HeadReader().push(bytes(`${start}${'x'.repeat(headMaxBytes)}\r\n\r\n`))).toEqual({
      kind: 'malformed',
      why,
    });
    const reader = new HeadReader();
    expect(reader.push(bytes(start)).kind).toBe('incomplete');
    expect(reader.push(bytes('x'.repeat(headMaxBytes)))).toEqual({ kind: 'malformed', why });
  });
});
