import type { FileHandle } from 'node:fs/promises';
import type { DroppedRange } from '../launch/index.ts';

export interface TailQuery {
  readonly lines: number;
  readonly sizeBytes: number;
  readonly dropped: DroppedRange | null;
}

export interface Tail {
  readonly offset: number;
  /** It begins later than the lines that were asked for. */
  readonly shortened: boolean;
}

/** How far a tail goes back for each line, and at least: a log may be one line of a gigabyte. */
const bytesPerLine = 4096;
const leastBytes = 1024 * 1024;
const blockBytes = 64 * 1024;
const newline = 0x0a;

/** Where the last lines of a log begin, read backwards block by block. A last line without its newline counts. */
export async function findTail(file: FileHandle, { lines, sizeBytes, dropped }: TailQuery): Promise<Tail> {
  if (lines === 0) return { offset: sizeBytes, shortened: false };
  // What lies before a hole belongs to no tail.
  const first = dropped === null ? 0 : Math.min(dropped.to, sizeBytes);
  const lowest = Math.max(first, sizeBytes - Math.max(leastBytes, lines * bytesPerLine));
  const block = Buffer.alloc(Math.min(blockBytes, Math.max(0, sizeBytes - lowest)));
  let wanted = lines;
  let lineStart = sizeBytes;
  for (let end = sizeBytes; end > lowest;) {
    const start = Math.max(lowest, end - block.length);
    const { bytesRead } = await file.read(block, 0, end - start, start);
    for (let at = bytesRead - 1; at >= 0; at--) {
      // The newline at the very end closes the last line.
      if (block[at] !== newline || start + at === sizeBytes - 1) continue;
      lineStart = start + at + 1;
      wanted -= 1;
      if (wanted === 0) return { offset: lineStart, shortened: false };
    }
    end = start;
  }
  if (lowest === 0) return { offset: 0, shortened: false };
  return { offset: lineStart < sizeBytes ? lineStart : lowest, shortened: lowest > first };
}
