import { opendir, lstat } from 'node:fs/promises';
import type { Stats } from 'node:fs';
import { join } from 'node:path';

/** What a measure may cost. */
export interface MeasureBounds {
  readonly entriesMax: number;
  readonly timeoutMs: number;
}

/** Enough for the worktrees of a busy home; a measure that ends here says so. */
export const defaultMeasureBounds: MeasureBounds = { entriesMax: 5_000_000, timeoutMs: 120_000 };

export interface Measured {
  /** As the file system holds them, so that a sparse file counts for what it takes. */
  readonly bytes: number;
  /** Something could not be looked at, or the bounds were reached: there may be more. */
  readonly isPartial: boolean;
}

const blockBytes = 512;

/**
 * Adds up what trees take on the disk: no link is followed, a file of several names counts once, and nothing of another
 * file system is entered. Trees that a worker writes may change meanwhile; what is gone counts for nothing.
 */
export class TreeMeasure {
  readonly #bounds: MeasureBounds;
  readonly #startedMs = performance.now();
  readonly #seen = new Set<string>();
  #entries = 0;

  constructor(bounds: MeasureBounds = defaultMeasureBounds) {
    this.#bounds = bounds;
  }

  async measure(paths: readonly string[]): Promise<Measured> {
    let bytes = 0;
    let isPartial = false;
    for (const path of paths) {
      const found = await this.#measureOne(path);
      bytes += found.bytes;
      isPartial ||= found.isPartial;
    }
    return { bytes, isPartial };
  }

  async #measureOne(root: string): Promise<Measured> {
    const first = await look(root);
    if (typeof first === 'string') return { bytes: 0, isPartial: first === 'unknown' };
    let bytes = this.#count(first);
    let isPartial = false;
    const dirs = first.isDirectory() ? [root] : [];
    for (let dir = dirs.pop(); dir !== undefined; dir = dirs.pop()) {
      const listed = await this.#readDir(dir, first.dev, dirs);
      bytes += listed.bytes;
      isPartial ||= listed.isPartial;
      if (this.#isOver()) return { bytes, isPartial: true };
    }
    return { bytes, isPartial };
  }

  /** One directory's entries; those that are to be entered are added to `dirs`. */
  async #readDir(dir: string, device: number, dirs: string[]): Promise<Measured> {
    let bytes = 0;
    let isPartial = false;
    try {
      for await (const entry of await opendir(dir)) {
        if (this.#isOver()) return { bytes, isPartial: true };
        this.#entries += 1;
        const path = join(dir, entry.name);
        const stat = await look(path);
        if (typeof stat === 'string') {
          isPartial ||= stat === 'unknown';
          continue;
        }
        if (stat.dev !== device) continue;
        bytes += this.#count(stat);
        if (stat.isDirectory()) dirs.push(path);
      }
    } catch (error) {
      return { bytes, isPartial: isPartial || !isAbsent(error) };
    }
    return { bytes, isPartial };
  }

  #count(stat: Stats): number {
    if (stat.nlink > 1 && !stat.isDirectory()) {
      const key = `${stat.dev}:${stat.ino}`;
      if (this.#seen.has(key)) return 0;
      this.#seen.add(key);
    }
    return stat.blocks * blockBytes;
  }

  #isOver(): boolean {
    return this.#entries >= this.#bounds.entriesMax || performance.now() - this.#startedMs >= this.#bounds.timeoutMs;
  }
}

async function look(path: string): Promise<Stats | 'absent' | 'unknown'> {
  try {
    return await lstat(path);
  } catch (error) {
    return isAbsent(error) ? 'absent' : 'unknown';
  }
}

function isAbsent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}
