import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { findProgram, run, runRequest } from '../process/index.ts';
import { imagesErrors } from './errors.ts';
import type { FetchedPackage } from './schema.ts';

const FETCH_TIMEOUT_MS = 300_000;
const UNPACK_TIMEOUT_MS = 120_000;

export interface FetchRequest {
  readonly part: FetchedPackage;
  /** Where its files go; created. */
  readonly into: string;
  /** Paths inside the package to keep; null keeps all. */
  readonly keep: readonly string[] | null;
  /** The person's environment: npm takes registry, proxies and certificates from it. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Fetches one pinned package with npm and unpacks it; nothing of it is run.
 * Errors: IMAGE_PART_NOT_FETCHED, IMAGE_PART_CHANGED.
 */
export async function fetchPackage(request: FetchRequest): Promise<void> {
  await mkdir(dirname(request.into), { recursive: true });
  const work = await mkdtemp(`${request.into}.fetch-`);
  try {
    const archive = await packPackage(request, work);
    const { spec, integrity } = request.part;
    const found = `sha512-${createHash('sha512')
      .update(await readFile(archive))
      .digest('base64')}`;
    if (found !== integrity) throw imagesErrors.create('IMAGE_PART_CHANGED', { spec, expected: integrity, found });
    await unpack(request, { archive, work });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function packPackage({ part, env }: FetchRequest, work: string): Promise<string> {
  const { spec } = part;
  const npm = findProgram('npm', env['PATH'] ?? '');
  if (npm === null) throw imagesErrors.create('IMAGE_PART_NOT_FETCHED', { spec, why: 'npm is not on PATH' });
  const args = ['pack', spec, '--pack-destination', work, '--ignore-scripts', '--silent'];
  const result = await run(runRequest(npm, args, env, { cwd: work, timeoutMs: FETCH_TIMEOUT_MS }));
  const archive = (await readdir(work)).find((name) => name.endsWith('.tgz'));
  if (result.exitCode === 0 && archive !== undefined) return join(work, archive);
  const said = result.stderr.trim().split('\n').slice(0, 3).join(' ');
  const why = result.timedOut ? 'npm did not end within five minutes' : `npm pack failed (${said || 'no message'})`;
  throw imagesErrors.create('IMAGE_PART_NOT_FETCHED', { spec, why });
}

async function unpack(
  request: FetchRequest,
  place: { readonly archive: string; readonly work: string },
): Promise<void> {
  const { spec } = request.part;
  const unpacked = join(place.work, 'package');
  await mkdir(unpacked);
  const args = ['-xzf', place.archive, '-C', unpacked, '--strip-components=1', '--no-same-owner'];
  const result = await run(runRequest('tar', args, request.env, { timeoutMs: UNPACK_TIMEOUT_MS }));
  if (result.exitCode !== 0) {
    throw imagesErrors.create('IMAGE_PART_NOT_FETCHED', { spec, why: `tar failed (${result.stderr.trim()})` });
  }
  for (const path of request.keep ?? ['.']) {
    await cp(join(unpacked, path), join(request.into, path), { recursive: true, verbatimSymlinks: true });
  }
}
