import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { WorkerResult } from './launch.ts';
import { ResultFile, toWorkerResult } from './result-schema.ts';

export const resultSizeMaxBytes = 1024 * 1024;

/** What the worker left where its result belongs. An empty or missing file is `none`. */
export type ResultReading =
  | { readonly kind: 'none' }
  | { readonly kind: 'result'; readonly result: WorkerResult }
  /** There is something that is no result: counts as failed. */
  | { readonly kind: 'invalid'; readonly why: string };

/** Reads the result file as something that an enemy wrote: no link followed, regular files alone, bounded. Never throws. */
export async function readResult(path: string): Promise<ResultReading> {
  let file: FileHandle;
  try {
    // Non-blocking, so that a FIFO without a writer is an answer and not a wait.
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT') return { kind: 'none' };
    return {
      kind: 'invalid',
      why: code === 'ELOOP' ? 'the result is a symbolic link' : `the result cannot be read (${code ?? 'unknown'})`,
    };
  }
  try {
    if (!(await file.stat()).isFile()) return { kind: 'invalid', why: 'the result is not a regular file' };
    const buffer = Buffer.alloc(resultSizeMaxBytes + 1);
    const length = await fill(file, buffer);
    if (length > resultSizeMaxBytes)
      return { kind: 'invalid', why: `the result is larger than ${resultSizeMaxBytes} bytes` };
    return parseResult(buffer.subarray(0, length));
  } catch {
    return { kind: 'invalid', why: 'the result cannot be read' };
  } finally {
    await file.close().catch(() => undefined);
  }
}

async function fill(file: FileHandle, buffer: Buffer): Promise<number> {
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return length;
}

/** The bytes of a result file as a result. Pure. */
export function parseResult(bytes: Uint8Array): ResultReading {
  let data: unknown;
  try {
    const content = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (content.trim() === '') return { kind: 'none' };
    data = JSON.parse(content);
  } catch {
    return { kind: 'invalid', why: 'the result is not JSON' };
  }
  const parsed = ResultFile.safeParse(data);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const where =
      issue === undefined || issue.path.length === 0 ? 'the result' : `${String(issue.path[0])} in the result`;
    return { kind: 'invalid', why: `${where} is not what the protocol asks for` };
  }
  return { kind: 'result', result: toWorkerResult(parsed.data) };
}
