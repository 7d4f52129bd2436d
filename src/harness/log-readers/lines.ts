/** Longer lines are skipped: no product writes them, and a worker must not make Kraft hold them. */
export const lineSizeMaxBytes = 1024 * 1024;

const newline = 0x0a;

/** Cuts a stream of bytes into lines; holds no more than one line of `lineSizeMaxBytes`. */
export class LineSplitter {
  #held = Buffer.alloc(4096);
  #heldBytes = 0;
  #skipping = false;

  /** Calls `onLine` with each line that ends in the chunk, without its line break; it is good until the call returns. */
  push(chunk: Uint8Array, onLine: (line: Buffer) => void): void {
    let from = 0;
    for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, from)) {
      this.#hold(chunk.subarray(from, at));
      if (!this.#skipping) onLine(this.#held.subarray(0, this.#heldBytes));
      this.#heldBytes = 0;
      this.#skipping = false;
      from = at + 1;
    }
    this.#hold(chunk.subarray(from));
  }

  #hold(part: Uint8Array): void {
    const size = this.#heldBytes + part.length;
    this.#skipping ||= size > lineSizeMaxBytes;
    if (this.#skipping) return;
    if (size > this.#held.length) {
      const larger = Buffer.alloc(Math.min(lineSizeMaxBytes, Math.max(size, 2 * this.#held.length)));
      this.#held.copy(larger, 0, 0, this.#heldBytes);
      this.#held = larger;
    }
    this.#held.set(part, this.#heldBytes);
    this.#heldBytes = size;
  }
}

export type JsonObject = Readonly<Record<string, unknown>>;

const openBrace = 0x7b;

/** The object that a line is; null for every other line. */
export function parseObject(line: Buffer): JsonObject | null {
  if (line[0] !== openBrace) return null;
  try {
    return JSON.parse(line.toString('utf8')) as JsonObject;
  } catch {
    return null;
  }
}

/** A key's object; an empty one where there is none, so that a path of keys can be followed. */
export function objectAt(object: JsonObject, key: string): JsonObject {
  const value = valueAt(object, key);
  return typeof value === 'object' && value !== null ? (value as JsonObject) : {};
}

/** A key's text; null where there is none. */
export function textAt(object: JsonObject, key: string): string | null {
  const value = valueAt(object, key);
  return typeof value === 'string' ? value : null;
}

/** A key's number; null where there is none. */
export function numberAt(object: JsonObject, key: string): number | null {
  const value = valueAt(object, key);
  return typeof value === 'number' ? value : null;
}

export function valueAt(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
