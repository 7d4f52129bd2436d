import { type FileHandle, open } from 'node:fs/promises';
import { readDroppedRange } from './log-cap.ts';

const chunkBytes = 256 * 1024;
const lineBreak = Buffer.from('\n');

/**
 * Reads a session's log as it grows, from its beginning, a bounded piece at a time. What the log cap has dropped is passed
 * over, with a line break in its place, so that no line is made of both sides of the hole. Never throws: a log that cannot
 * be read now may be readable at the next look.
 */
export class LogTail {
  readonly #path: string;
  readonly #push: (chunk: Uint8Array) => void;
  #offset = 0;

  constructor(path: string, push: (chunk: Uint8Array) => void) {
    this.#path = path;
    this.#push = push;
  }

  /** Reads on to where the log ends now; answers whether there was anything. */
  async readOn(): Promise<boolean> {
    const before = this.#offset;
    try {
      await using file = await open(this.#path, 'r');
      const { size } = await file.stat();
      if (size > this.#offset) await this.#readTo(file, size);
    } catch {
      // Not there yet, or not any more.
    }
    return this.#offset > before;
  }

  async #readTo(file: FileHandle, end: number): Promise<void> {
    const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, end - this.#offset));
    while (this.#offset < end) {
      // Asked before each piece: a hole is recorded before it is made.
      const dropped = await readDroppedRange(this.#path);
      const isInside = dropped !== null && this.#offset >= dropped.from && this.#offset < dropped.to;
      if (isInside) {
        this.#push(lineBreak);
        this.#offset = dropped.to;
        continue;
      }
      const until = dropped !== null && this.#offset < dropped.from ? Math.min(end, dropped.from) : end;
      const length = Math.min(buffer.length, until - this.#offset);
      const { bytesRead } = await file.read(buffer, 0, length, this.#offset);
      if (bytesRead === 0) return;
      this.#push(buffer.subarray(0, bytesRead));
      this.#offset += bytesRead;
    }
  }
}
