import { createHash } from 'node:crypto';
import type { KraftError } from '../base/index.ts';
import {
  type NamedCaFile,
  buildCaBundle,
  credentialErrors,
  parsePemCertificates,
  renderCaBundleName,
} from '../credentials/index.ts';
import type { ImageFacts } from '../runtime/index.ts';

export interface CaPlan {
  /** Stem of the bundle's file. */
  readonly name: string;
  readonly content: string;
  readonly refusal: KraftError | null;
}

/**
 * The CA bundle of one image and repository: the image's roots, then certificates that its or the repository's variables
 * name already, then this machine's extra ones (SI 5.8). A file that the repository names and the image lacks refuses.
 */
export function planCaBundle(request: {
  readonly reference: string;
  readonly imageId: string;
  readonly facts: ImageFacts;
  readonly named: readonly NamedCaFile[];
  readonly extra: readonly string[];
}): CaPlan {
  const { facts, named, reference } = request;
  const contents = named.map((file) => ({ file, content: facts.namedFiles[file.path] ?? null }));
  const missing = contents.find(({ file, content }) => file.from === 'repository' && content === null)?.file;
  const found = contents.flatMap(({ content }) => (content === null ? [] : [content]));
  const stem = renderCaBundleName(request.imageId, reference);
  return {
    // Another set of joined files is another bundle: two repositories with one image do not take turns in one file.
    name: found.length === 0 ? stem : `${stem}-${hashOf(found)}`,
    content: buildCaBundle(parsePemCertificates(facts.roots), ...found.map(parsePemCertificates), request.extra),
    refusal:
      missing === undefined
        ? null
        : credentialErrors.create('CA_FILE_MISSING', { name: missing.name, path: missing.path, image: reference }),
  };
}

function hashOf(contents: readonly string[]): string {
  return createHash('sha256').update(contents.join('\0')).digest('hex').slice(0, 16);
}
