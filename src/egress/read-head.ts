import type { Malformed } from './parse-head.ts';

/** Most bytes of a request line with its headers and the empty line behind them (SI 0.5). */
export const headMaxBytes = 64 * 1024;

export type ReadHead =
  | { readonly kind: 'incomplete' }
  /** `head` without the empty line that ended it; `rest` are the bytes behind that. */
  | { readonly kind: 'complete'; readonly head: Buffer; readonly rest: Buffer }
  | Malformed;

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const firstSizeBytes = 4096;

/**
 * Gathers the bytes of one head until the empty line that ends it; no byte is looked at twice. What cannot become a head
 * any more is said at once: TLS spoken to this port, or lines without carriage returns, would else wait for an end that
 * never comes. Serves requests and the answers of an upstream proxy alike.
 */
export class HeadReader {
  #bytes: Buffer = Buffer.alloc(0);
  #used = 0;
  /** Where the line that is being read begins. */
  #line = 0;

  push(chunk: Buffer): ReadHead {
    const bytes = this.#append(chunk);
    const begins = judgeStart(bytes[0]);
    if (begins.kind === 'malformed') return begins;
    let from = this.#used - chunk.length;
    for (;;) {
      const feed = bytes.indexOf(lineFeed, from);
      if (feed === -1 || feed >= headMaxBytes) break;
      if (bytes[feed - 1] !== carriageReturn) return refuse('a line ends without a carriage return');
      if (feed === this.#line + 1) {
        return { kind: 'complete', head: bytes.subarray(0, this.#line - 2), rest: bytes.subarray(feed + 1) };
      }
      this.#line = feed + 1;
      from = feed + 1;
    }
    if (this.#used >= headMaxBytes) return refuse('the request line and headers are larger than 64 KiB');
    return begins;
  }

  /** All bytes so far. A head mostly comes in one piece, which is then not copied. */
  #append(chunk: Buffer): Buffer {
    if (this.#used === 0) this.#bytes = chunk;
    else {
      const needed = this.#used + chunk.length;
      if (needed > this.#bytes.length || this.#used === this.#bytes.length) {
        const larger = Buffer.allocUnsafe(Math.max(firstSizeBytes, needed * 2));
        this.#bytes.copy(larger, 0, 0, this.#used);
        this.#bytes = larger;
      }
      chunk.copy(this.#bytes, this.#used);
    }
    this.#used += chunk.length;
    return this.#bytes.subarray(0, this.#used);
  }
}

function judgeStart(first: number | undefined): Malformed | { readonly kind: 'incomplete' } {
  if (first === undefined || (first >= 0x41 && first <= 0x5a)) return { kind: 'incomplete' };
  return refuse(
    first === 0x16 ? 'this is TLS, and the proxy itself speaks plain HTTP' : 'it does not begin with a method',
  );
}

function refuse(why: string): Malformed {
  return { kind: 'malformed', why };
}
