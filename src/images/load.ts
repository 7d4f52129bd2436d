import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { imagesErrors } from './errors.ts';
import { planContentTag, type ImageSource, type SourceFile } from './plan.ts';
import { ImageFile } from './schema.ts';

/** The `images/` folder of the installed package; the same from `src/` and from `dist/`. */
export const packagedImagesDir = fileURLToPath(new URL('../../images', import.meta.url));

/** Every image that the package can build, by name. Errors: IMAGE_SOURCE_BROKEN. */
export function loadImageSources(imagesDir: string): readonly ImageSource[] {
  return readdirSync(imagesDir)
    .filter((name) => existsSync(join(imagesDir, name, 'image.json')))
    .toSorted()
    .map((name) => loadImageSource(imagesDir, name));
}

function loadImageSource(imagesDir: string, name: string): ImageSource {
  const directory = join(imagesDir, name);
  const files = readFiles(directory, directory);
  return { name, directory, files, file: parseImageFile(name, directory), contentTag: planContentTag(files) };
}

function parseImageFile(name: string, directory: string): ImageFile {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(join(directory, 'image.json'), 'utf8'));
  } catch (error) {
    throw imagesErrors.create('IMAGE_SOURCE_BROKEN', { name, why: String(error) }, error);
  }
  const parsed = ImageFile.safeParse(value);
  if (parsed.success) return parsed.data;
  const why = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ');
  throw imagesErrors.create('IMAGE_SOURCE_BROKEN', { name, why }, parsed.error);
}

function readFiles(root: string, directory: string): SourceFile[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return readFiles(root, path);
    const executable = (statSync(path).mode & 0o100) !== 0;
    return [{ path: relative(root, path).split(sep).join('/'), executable, content: readFileSync(path) }];
  });
}
