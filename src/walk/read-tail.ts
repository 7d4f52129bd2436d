import { open } from 'node:fs/promises';
import { asKraftError, safeText } from '../base/index.ts';

const outputTailBytes = 4096;

/** The end of what a session printed, safe to show; why it cannot be read, when that is so. */
export async function readTail(path: string): Promise<string> {
  try {
    await using file = await open(path, 'r');
    const { size } = await file.stat();
    const length = Math.min(size, outputTailBytes);
    const { buffer } = await file.read({ buffer: Buffer.alloc(length), position: size - length, length });
    return safeText(buffer.toString('utf8'));
  } catch (error) {
    return `(${asKraftError(error).message})`;
  }
}
