import { createHash } from 'node:crypto';

/** Variables that make a tool read a CA bundle; all of them, because each tool has its own (PF-T07). */
export const caVariableNames = [
  'SSL_CERT_FILE',
  'REQUESTS_CA_BUNDLE',
  'CURL_CA_BUNDLE',
  'GIT_SSL_CAINFO',
  'NODE_EXTRA_CA_CERTS',
  'CODEX_CA_CERTIFICATE',
  'PIP_CERT',
  'npm_config_cafile',
  'CARGO_HTTP_CAINFO',
  'AWS_CA_BUNDLE',
  'DENO_CERT',
  'YARN_HTTPS_CA_FILE_PATH',
] as const;

const block = /-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----/gu;

/** The certificates of a text, each as one PEM block in one form; comments, keys and other blocks are left out. */
export function parsePemCertificates(text: string): readonly string[] {
  return [...text.matchAll(block)].map(([, body = '']) => {
    const lines = body.replace(/\s+/gu, '').match(/.{1,64}/gu) ?? [];
    return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
  });
}

/** Joins lists of certificates in their order (image roots, extra CA, Kraft's own), each certificate once (SI 5.8). */
export function buildCaBundle(...lists: readonly (readonly string[])[]): string {
  return [...new Set(lists.flat())].join('');
}

/** CA file that a variable of the image or of the repository names: its certificates join the bundle (PF-T15). */
export interface NamedCaFile {
  readonly name: string;
  readonly path: string;
  readonly from: 'repository' | 'image';
}

/**
 * Files that CA variables name already. The repository's `env` wins over the image's for the same variable. Relative
 * paths cannot be read ahead of the launch and are named too, so that the launch can say so.
 */
export function findNamedCaFiles(
  repoEnv: Readonly<Record<string, string>>,
  imageEnv: readonly string[],
): readonly NamedCaFile[] {
  const ofImage = new Map(
    imageEnv.map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]),
  );
  return caVariableNames.flatMap((name): NamedCaFile[] => {
    const ofRepo = Object.hasOwn(repoEnv, name) ? repoEnv[name] : undefined;
    const path = ofRepo ?? ofImage.get(name) ?? '';
    return path === '' ? [] : [{ name, path, from: ofRepo === undefined ? 'image' : 'repository' }];
  });
}

/** Literals of a container whose bundle lies at `bundlePath`: every CA variable, the repository's own included. */
export function renderCaVariables(bundlePath: string): Readonly<Record<string, string>> {
  return Object.fromEntries(caVariableNames.map((name) => [name, bundlePath]));
}

/** Stem of an image's bundle file: its id, or a hash of its reference where the id is not known (SI 5.8). */
export function renderCaBundleName(imageId: string | null, reference: string): string {
  if (imageId !== null && /^[0-9a-f]+$/u.test(imageId)) return imageId;
  return `image-${createHash('sha256').update(reference).digest('hex').slice(0, 32)}`;
}
