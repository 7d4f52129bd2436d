import type { Engine } from '../runtime/index.ts';
import { loadImageSources } from './load.ts';
import { contentLabel, type ImageSource, type ListedImage } from './plan.ts';

/** Kraft's images on one engine, each current, outdated or missing. Errors: IMAGE_SOURCE_BROKEN, engine errors. */
export async function probeImages(engine: Engine, imagesDir: string): Promise<readonly ListedImage[]> {
  const listed: ListedImage[] = [];
  for (const source of loadImageSources(imagesDir)) listed.push(...(await probeImage(engine, source)));
  return listed;
}

async function probeImage(engine: Engine, source: ImageSource): Promise<readonly ListedImage[]> {
  const { name, contentTag } = source;
  const reference = `${source.file.repository}:${contentTag}`;
  const images = await engine.listImages(source.file.repository);
  const rows = images.map((image): ListedImage => {
    const content = image.labels[contentLabel];
    return {
      name,
      reference: content === undefined ? (image.tags[0] ?? image.id) : `${source.file.repository}:${content}`,
      tags: image.tags,
      id: image.id,
      sizeBytes: image.sizeBytes,
      createdAt: image.createdAt,
      engine: engine.kind,
      state: content === contentTag ? 'current' : 'outdated',
    };
  });
  if (rows.some((row) => row.state === 'current')) return rows;
  const missing = { name, reference, tags: [], id: '', sizeBytes: 0, createdAt: '', engine: engine.kind };
  return [{ ...missing, state: 'missing' }, ...rows];
}
