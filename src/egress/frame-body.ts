import type { Framing } from './parse-head.ts';

/** What a piece of a body amounts to. */
export interface FramedPart {
  /** Bytes to pass on, in order; empty while more are needed. */
  readonly pass: readonly Buffer[];
  /** Where the body ended in what was given; null while it goes on. What lies behind is no part of it. */
  readonly endedAt: number | null;
  /** A clause; null while all is well. */
  readonly malformed: string | null;
}

const lineMaxBytes = 4096;
const trailersMaxBytes = 16 * 1024;
const lineFeed = 0x0a;
const crlf = Buffer.from('\r\n');
const lastChunk = Buffer.from('0\r\n\r\n');

/**
 * Reads the body of one request and frames it anew (PF-H01): what is passed on has exactly the length that was read,
 * whatever somebody else would have made of it. Extensions of chunks and trailers end here.
 */
export class BodyFramer {
  readonly #framing: Framing;
  #left: number;
  #state: 'size' | 'data' | 'after-data' | 'trailers' = 'size';
  #line = '';
  #trailersBytes = 0;
  #done: boolean;

  constructor(framing: Framing) {
    this.#framing = framing;
    this.#left = framing.kind === 'length' ? framing.bytes : 0;
    this.#done = framing.kind === 'none' || (framing.kind === 'length' && framing.bytes === 0);
  }

  get done(): boolean {
    return this.#done;
  }

  push(chunk: Buffer): FramedPart {
    if (this.#done) return { pass: [], endedAt: 0, malformed: null };
    return this.#framing.kind === 'length' ? this.#pushCounted(chunk) : this.#pushChunked(chunk);
  }

  #pushCounted(chunk: Buffer): FramedPart {
    const part = chunk.length <= this.#left ? chunk : chunk.subarray(0, this.#left);
    this.#left -= part.length;
    this.#done = this.#left === 0;
    return { pass: [part], endedAt: this.#done ? part.length : null, malformed: null };
  }

  #pushChunked(chunk: Buffer): FramedPart {
    const pass: Buffer[] = [];
    let at = 0;
    while (at < chunk.length) {
      if (this.#state === 'data') {
        const part = chunk.subarray(at, at + this.#left);
        pass.push(part);
        at += part.length;
        this.#left -= part.length;
        if (this.#left === 0) this.#state = 'after-data';
        continue;
      }
      const feed = chunk.indexOf(lineFeed, at);
      this.#line += chunk.toString('latin1', at, feed === -1 ? chunk.length : feed + 1);
      at = feed === -1 ? chunk.length : feed + 1;
      if (this.#line.length > lineMaxBytes) return malformed(pass, 'a line of a chunked body is too long');
      if (feed === -1) break;
      const line = this.#line;
      this.#line = '';
      if (!line.endsWith('\r\n')) return malformed(pass, 'a line of a chunked body ends without a carriage return');
      const problem = this.#readLine(line.slice(0, -2), pass);
      if (problem !== null) return malformed(pass, problem);
      if (this.#done) return { pass, endedAt: at, malformed: null };
    }
    return { pass, endedAt: null, malformed: null };
  }

  #readLine(line: string, pass: Buffer[]): string | null {
    if (this.#state === 'size') return this.#readSize(line, pass);
    if (this.#state === 'after-data') {
      if (line !== '') return 'a chunk is longer than it says';
      pass.push(crlf);
      this.#state = 'size';
      return null;
    }
    this.#trailersBytes += line.length;
    if (this.#trailersBytes > trailersMaxBytes) return 'the trailers are too large';
    if (line !== '') return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+:/.test(line) ? null : 'a trailer is not `name: value`';
    pass.push(lastChunk);
    this.#done = true;
    return null;
  }

  #readSize(line: string, pass: Buffer[]): string | null {
    const [, size] = /^([0-9A-Fa-f]{1,12})(?:[\t ]*;[\t\x20-\x7e\x80-\xff]*)?$/.exec(line) ?? [];
    if (size === undefined) return 'the size of a chunk is not a number';
    this.#left = Number.parseInt(size, 16);
    if (this.#left === 0) this.#state = 'trailers';
    else {
      this.#state = 'data';
      pass.push(Buffer.from(`${this.#left.toString(16)}\r\n`, 'latin1'));
    }
    return null;
  }
}

function malformed(pass: readonly Buffer[], why: string): FramedPart {
  return { pass, endedAt: null, malformed: why };
}
