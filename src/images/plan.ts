import { createHash } from 'node:crypto';
import type { FetchedPackage, ImageFile } from './schema.ts';

/** The default image of a repository's sandbox; the same reference on Docker and on Podman. */
export const workerImage = 'localhost/kraft-worker:latest';

/** Label that holds the content tag of the sources an image was built from. */
export const contentLabel = 'kraft.image.content';

/** One file of an image's source. */
export interface SourceFile {
  /** Relative to the image's folder, with `/`. */
  readonly path: string;
  readonly executable: boolean;
  readonly content: Uint8Array;
}

/** An image as the package holds it. */
export interface ImageSource {
  /** Folder under `images/`. */
  readonly name: string;
  readonly directory: string;
  readonly file: ImageFile;
  readonly files: readonly SourceFile[];
  /** 12 hex digits over every file's path, mode and bytes: the tag. */
  readonly contentTag: string;
}

/** What `kraft admin images list` says of one image of an engine. */
export interface ListedImage {
  readonly name: string;
  /** Repository and content tag. */
  readonly reference: string;
  readonly tags: readonly string[];
  readonly id: string;
  readonly sizeBytes: number;
  readonly createdAt: string;
  readonly engine: 'docker' | 'podman';
  /** `current` was built from the sources of this Kraft; `outdated` from others; `missing` is not built. */
  readonly state: 'current' | 'outdated' | 'missing';
}

/** The content tag of source files, in whatever order they come. */
export function planContentTag(files: readonly SourceFile[]): string {
  const hash = createHash('sha256');
  for (const file of files.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    hash.update(`${file.path}\0${file.executable ? 'x' : '-'}\0${file.content.byteLength}\0`);
    hash.update(file.content);
  }
  return hash.digest('hex').slice(0, 12);
}

/** The tags of an image: by content, and the one that configurations name. */
export function planTags(source: ImageSource): readonly [string, string] {
  return [`${source.file.repository}:${source.contentTag}`, `${source.file.repository}:latest`];
}

/** What has to be fetched for one CPU architecture; null when a part does not exist for it. */
export function planFetches(
  file: ImageFile,
  architecture: string,
): readonly { readonly into: string; readonly keep: readonly string[] | null; readonly part: FetchedPackage }[] | null {
  const fetches = [];
  for (const { into, keep, packages } of file.fetch) {
    const own = architecture === 'x64' || architecture === 'arm64' ? packages[architecture] : undefined;
    const part = own ?? packages.any;
    if (part === undefined) return null;
    fetches.push({ into, keep, part });
  }
  return fetches;
}
