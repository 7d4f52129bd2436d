import { createHash } from 'node:crypto';
import { chmod, mkdir, open, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { listAbandoned, temporaryName } from '../process/index.ts';
import { configValue } from '../refs/index.ts';
import { lfsDirOf, readRepositoryConfig } from './read-config.ts';
import type { Repository } from './git.ts';
import type { GitRunner } from './run-git.ts';
import { kindOf } from './trusted-files.ts';
import { UntrustedDir } from './untrusted-dir.ts';

const maxObjects = 100_000;
const maxBytes = 64 * 1024 ** 3;
const chunkBytes = 1024 * 1024;

/** Modes of new files and directories in the person's repository. */
interface Modes {
  readonly file: number;
  readonly dir: number;
}

/**
 * Copies the LFS objects that a store holds into the person's LFS directory, each only when the SHA-256 of its content is
 * its name. What is not so is left out and logged; what is there already is not touched.
 */
export async function publishLfs(git: GitRunner, repository: Repository, storeDir: string): Promise<void> {
  await using store = await UntrustedDir.open(join(storeDir, 'lfs'));
  await using objects = (await store?.dir('objects')) ?? null;
  if (objects === null) return;
  const ids = await listObjects(objects);
  if (ids.length === 0) return;
  const config = await readRepositoryConfig(git, repository.commonDir);
  const target = join(lfsDirOf(config, repository.commonDir), 'objects');
  // Where git-lfs has its own drafts, too.
  const drafts = join(dirname(target), 'tmp');
  await sweepDrafts(drafts);
  const modes = newModes(git.umask, configValue(config, 'core.sharedrepository'));
  let budget = maxBytes;
  for (const id of ids) {
    const place = join(target, id.slice(0, 2), id.slice(2, 4), id);
    if ((await kindOf(place)) !== null) continue;
    await using dir = await objects.walk([id.slice(0, 2), id.slice(2, 4)]);
    await using file = (await dir?.file(id)) ?? null;
    if (file === null) continue;
    budget -= (await file.stat()).size;
    const copied = budget >= 0 && (await copyChecked(file, { id, place, drafts }, modes));
    if (!copied) git.log.warn(`the LFS object ${id} of a session was left out: its content is not what its name says`);
  }
}

/** What a daemon that was killed in the middle of a copy left in the person's repository. */
async function sweepDrafts(drafts: string): Promise<void> {
  for (const left of listAbandoned(drafts, { starting: false })) await rm(left, { force: true });
}

async function listObjects(objects: UntrustedDir): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const first of await fanNames(objects)) {
    await using outer = await objects.dir(first);
    for (const second of await fanNames(outer)) {
      await using inner = (await outer?.dir(second)) ?? null;
      const names = (await inner?.list(maxObjects)) ?? [];
      ids.push(...names.filter((name) => /^[0-9a-f]{64}$/u.test(name) && name.startsWith(first + second)));
      if (ids.length > maxObjects) return ids.slice(0, maxObjects);
    }
  }
  return ids;
}

async function fanNames(dir: UntrustedDir | null): Promise<readonly string[]> {
  const names = (await dir?.list(maxObjects)) ?? [];
  return names.filter((name) => /^[0-9a-f]{2}$/u.test(name));
}

async function copyChecked(
  source: FileHandle,
  { id, place, drafts }: { readonly id: string; readonly place: string; readonly drafts: string },
  modes: Modes,
): Promise<boolean> {
  for (const dir of [dirname(place), drafts]) await makeDirs(dir, modes.dir);
  const temporary = join(drafts, `${id}.${temporaryName()}.kraft`);
  const hash = createHash('sha256');
  const target = await open(temporary, 'wx', 0o600);
  try {
    const chunk = Buffer.allocUnsafe(chunkBytes);
    for (;;) {
      const { bytesRead } = await source.read(chunk, 0, chunk.length, null);
      if (bytesRead === 0) break;
      hash.update(chunk.subarray(0, bytesRead));
      await target.writeFile(chunk.subarray(0, bytesRead));
    }
    await target.sync();
  } finally {
    await target.close();
  }
  if (hash.digest('hex') !== id) {
    await rm(temporary, { force: true });
    return false;
  }
  await chmod(temporary, modes.file);
  await rename(temporary, place);
  return true;
}

// The process's own umask is Kraft's, so modes are set outright.
async function makeDirs(path: string, mode: number): Promise<void> {
  if (
    await stat(path).then(
      () => true,
      () => false,
    )
  )
    return;
  await makeDirs(dirname(path), mode);
  await mkdir(path, { recursive: true });
  await chmod(path, mode);
}

/** Modes by the person's umask and `core.sharedRepository` as git reads it. */
export function newModes(umask: number, shared: string | null): Modes {
  const value = shared?.toLowerCase() ?? 'umask';
  const dir = 0o777 & ~umask;
  if (/^0[0-7]{3}$/u.test(value)) {
    const file = Number.parseInt(value, 8);
    return { file, dir: file | ((file & 0o444) >> 2) };
  }
  const group = ['group', 'true', '1'].includes(value) ? 0o070 : 0;
  const all = ['all', 'world', 'everybody', '2'].includes(value) ? 0o075 : 0;
  const open = dir | group | all;
  return { file: open & 0o666, dir: group !== 0 || all !== 0 ? open | 0o2000 : open };
}
