import { chmod, cp, lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Engine } from '../runtime/index.ts';
import { imagesErrors } from './errors.ts';
import { fetchPackage } from './fetch.ts';
import { loadImageSources } from './load.ts';
import { contentLabel, planFetches, planTags, type ImageSource } from './plan.ts';

const BUILD_TIMEOUT_MS = 20 * 60_000;

export interface BuildRequest {
  readonly engine: Engine;
  readonly imagesDir: string;
  /** Image names; null builds every one. */
  readonly names: readonly string[] | null;
  /** Builds also what is there already. */
  readonly force: boolean;
  /** `process.arch` of the machine that the engine runs on. */
  readonly architecture: string;
  /** Folder for the build context; one is made inside and removed. */
  readonly temporaryDir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly onProgress: ((line: string) => void) | null;
}

export interface BuiltImage {
  readonly name: string;
  /** Content tag first, then `latest`. */
  readonly tags: readonly string[];
  readonly id: string;
  readonly sizeBytes: number;
  /** False when the engine had this very content already. */
  readonly built: boolean;
}

/**
 * Builds Kraft's images from the sources in the package. What has been built from the same content is left.
 * Errors: IMAGE_UNKNOWN, IMAGE_SOURCE_BROKEN, IMAGE_PART_NOT_FETCHED, IMAGE_PART_CHANGED,
 * IMAGE_ARCHITECTURE_UNSUPPORTED, and what `Engine.buildImage` throws.
 */
export async function buildImages(request: BuildRequest): Promise<readonly BuiltImage[]> {
  const sources = loadImageSources(request.imagesDir);
  const known = sources.map((source) => source.name).join(', ');
  const chosen = request.names?.map((name) => {
    const source = sources.find((each) => each.name === name);
    if (source === undefined) throw imagesErrors.create('IMAGE_UNKNOWN', { name, known });
    return source;
  });
  const built: BuiltImage[] = [];
  for (const source of chosen ?? sources) built.push(await buildImage(request, source));
  return built;
}

async function buildImage(request: BuildRequest, source: ImageSource): Promise<BuiltImage> {
  const { engine } = request;
  const tags = planTags(source);
  const [present, latest] = await Promise.all(tags.map((tag) => engine.inspectImage(tag)));
  if (!request.force && present && latest && present.id === latest.id) {
    return { name: source.name, tags, id: present.id, sizeBytes: present.sizeBytes, built: false };
  }
  const contextDir = await mkdtemp(join(request.temporaryDir, 'kraft-image-'));
  try {
    await assembleContext(request, source, contextDir);
    request.onProgress?.(`building ${tags[0]} on ${engine.kind}`);
    const labels = { [contentLabel]: source.contentTag };
    await engine.buildImage({ contextDir, tags, labels, timeoutMs: BUILD_TIMEOUT_MS, onProgress: request.onProgress });
  } finally {
    await rm(contextDir, { recursive: true, force: true });
  }
  const made = await engine.inspectImage(tags[0]);
  if (made === null) {
    throw imagesErrors.create('IMAGE_SOURCE_BROKEN', {
      name: source.name,
      why: 'the engine built it and does not have it',
    });
  }
  return { name: source.name, tags, id: made.id, sizeBytes: made.sizeBytes, built: true };
}

/** The build context: the image's own files, and what `image.json` says is fetched. */
async function assembleContext(request: BuildRequest, source: ImageSource, contextDir: string): Promise<void> {
  const fetches = planFetches(source.file, request.architecture);
  if (fetches === null) {
    const params = { name: source.name, architecture: request.architecture };
    throw imagesErrors.create('IMAGE_ARCHITECTURE_UNSUPPORTED', params);
  }
  await cp(source.directory, contextDir, { recursive: true });
  for (const { part, into, keep } of fetches) {
    request.onProgress?.(`fetching ${part.spec}`);
    await fetchPackage({ part, keep, into: join(contextDir, into), env: request.env });
  }
  await openModes(contextDir);
}

/** Readable for every uid, whatever the umask was: the image is run under any. A chmod inside the build would copy the layer. */
async function openModes(path: string): Promise<void> {
  const found = await lstat(path);
  if (found.isSymbolicLink()) return;
  if (!found.isDirectory()) return chmod(path, (found.mode & 0o100) === 0 ? 0o644 : 0o755);
  await chmod(path, 0o755);
  for (const name of await readdir(path)) await openModes(join(path, name));
}
