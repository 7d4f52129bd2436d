import type { OnReadOpts, Socket } from 'node:net';

const bufferBytes = 256 * 1024;
const ownMax = 16;

/** Buffers of streams that are under way: one that is full at a read gets its own, as long as there are some. */
class BufferPool {
  /** What every other stream reads into; whoever reads copies out of it before anything else can happen. */
  readonly shared = Buffer.allocUnsafeSlow(bufferBytes);
  readonly #free: Buffer[] = [];
  #made = 0;

  take(): Buffer | null {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    if (this.#made >= ownMax) return null;
    this.#made += 1;
    return Buffer.allocUnsafeSlow(bufferBytes);
  }

  give(buffer: Buffer): void {
    this.#free.push(buffer);
  }

  /** One that somebody may still be reading is left to be collected. */
  giveUp(): void {
    this.#made -= 1;
  }
}

const pool = new BufferPool();

/**
 * Carries what a dialled socket receives to the client. Reads go into buffers that are used again: an idle stream holds
 * none, one that is busy holds one of at most 16, and a large transfer leaves nothing to collect. The next read waits
 * until the client has taken what was read.
 */
export class Intake {
  /** For the socket that is dialled. */
  readonly onread: OnReadOpts = {
    buffer: () => this.#own ?? pool.shared,
    callback: (bytes, buffer) => this.#take(bytes, buffer as Buffer),
  };
  #own: Buffer | null = null;
  #flow: { readonly from: Socket; readonly to: Socket; readonly count: (bytes: number) => void } | null = null;
  #waits = false;

  /** From now on, in the same turn in which `from` is connected: everything it receives goes to `to`. */
  carry(from: Socket, to: Socket, count: (bytes: number) => void): void {
    this.#flow = { from, to, count };
    to.on('drain', this.#go);
    from.on('close', () => this.#giveBack());
  }

  /** False stops reading until `resume`. */
  #take(bytes: number, buffer: Buffer): boolean {
    const flow = this.#flow;
    if (flow === null || !flow.to.writable) {
      flow?.from.destroy();
      return false;
    }
    flow.count(bytes);
    const part = bytes === buffer.length ? buffer : buffer.subarray(0, bytes);
    if (buffer === this.#own) {
      flow.to.write(part, this.#go);
      // What the kernel took at once is gone from the buffer; the rest still lies there.
      this.#waits = flow.to.writableLength > 0;
      if (!this.#waits && bytes < bufferBytes / 4) this.#giveBack();
    } else {
      this.#waits = !flow.to.write(Buffer.from(part)) && flow.to.writableLength > 0;
      if (bytes === bufferBytes) this.#own = pool.take();
    }
    return !this.#waits;
  }

  readonly #go = (): void => {
    if (!this.#waits || this.#flow === null || this.#flow.to.writableLength > 0) return;
    this.#waits = false;
    this.#flow.from.resume();
  };

  #giveBack(): void {
    if (this.#own !== null && this.#waits) pool.giveUp();
    else if (this.#own !== null) pool.give(this.#own);
    this.#own = null;
  }
}
