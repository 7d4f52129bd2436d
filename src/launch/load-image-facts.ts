import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { randomHex16 } from '../base/index.ts';
import {
  type ContainerLimits,
  type ContainerSpec,
  type Engine,
  type ImageFacts,
  type ImageInfo,
  imageFactsTimeoutMs,
  parseImageReader,
  planImageReader,
} from '../runtime/index.ts';
import { launchErrors } from './errors.ts';
import { refuseLimitKill } from './limit-kill.ts';
import { saveFile } from './save-file.ts';

const Kept = z.strictObject({
  path: z.string(),
  passwd: z.string(),
  group: z.string(),
  roots: z.string(),
  namedFiles: z.record(z.string(), z.string()),
  /** Files that were asked for, found or not. */
  asked: z.array(z.string()),
});

/**
 * What an image says of itself: read once per image id in a container without network and kept under
 * `run/sandbox-image/`. An answer that is not whole is kept nowhere. Errors: IMAGE_UNREADABLE,
 * MEMORY_LIMIT_REACHED.
 */
export async function loadImageFacts(request: {
  readonly engine: Engine;
  readonly reference: string;
  readonly image: ImageInfo;
  readonly home: string;
  readonly run: string;
  readonly limits: ContainerLimits;
  readonly selinux: ContainerSpec['selinux'];
  readonly namedFiles: readonly string[];
}): Promise<ImageFacts> {
  const path = join(request.run, 'sandbox-image', `${request.image.id}.json`);
  const kept = loadKept(path);
  if (kept !== null && request.namedFiles.every((file) => kept.asked.includes(file))) return kept;
  const asked = [...new Set([...(kept?.asked ?? []), ...request.namedFiles])].sort();
  const marker = randomHex16();
  const spec = planImageReader({
    image: request.reference,
    home: request.home,
    marker,
    limits: request.limits,
    selinux: request.selinux,
    namedFiles: asked,
  });
  const result = await request.engine.runThrowaway(spec, { env: {}, timeoutMs: imageFactsTimeoutMs, input: null });
  const facts = parseImageReader(result, marker);
  if (facts === null) {
    refuseLimitKill(result, request.limits);
    const said = result.stderr.trim().split('\n').at(-1) ?? '';
    const why = result.timedOut ? 'it gave no answer in time' : said === '' ? 'its answer is not whole' : said;
    throw launchErrors.create('IMAGE_UNREADABLE', { image: request.reference, why });
  }
  saveFile(path, JSON.stringify({ ...facts, asked }), 0o600);
  return facts;
}

function loadKept(path: string): z.infer<typeof Kept> | null {
  try {
    return Kept.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return null;
  }
}
