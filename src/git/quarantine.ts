import { constants } from 'node:fs';
import { copyFile, mkdir, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { incomingRef, type Pin } from '../refs/index.ts';
import type { Repository } from './git.ts';
import { readObjectDirs } from './object-dirs.ts';
import { atGitDir, explainEnd, largeOutputBytes, longTimeoutMs, type GitRunner } from './run-git.ts';
import { withScratchDir } from './scratch.ts';
import { kindOf, makePrivateDir } from './trusted-files.ts';
import { UntrustedDir } from './untrusted-dir.ts';

const maxObjects = 500_000;
const maxPacks = 1_000;
const maxBytes = 16 * 1024 ** 3;

const strictPins: readonly Pin[] = [
  ['fetch.fsckObjects', 'true'],
  ['transfer.fsckObjects', 'true'],
  ['protocol.file.allow', 'always'],
];

/**
 * Brings a commit of a store, with what it needs, into the person's repository under `refs/kraft/incoming/<item>`.
 *
 * The worker's files never come near the repository as they are. Loose objects and packs are copied into a repository of
 * Kraft's own, pack indexes are made anew, and git's own fetch takes from there what the commit needs: it hashes and
 * checks every object that it stores, and that nothing is missing. Gives null, or the reason why not.
 */
export async function bringOver(
  git: GitRunner,
  runDir: string,
  what: {
    readonly repository: Repository;
    readonly storeDir: string;
    readonly itemId: string;
    readonly commit: string;
  },
): Promise<string | null> {
  return withScratchDir(runDir, 'git-quarantine', async (dir) => {
    await makeQuarantine(dir, what.repository, what.commit);
    const refusal = await fillQuarantine(git, dir, what);
    return refusal ?? (await fetchFrom(git, dir, what.repository, what.itemId));
  });
}

async function makeQuarantine(dir: string, repository: Repository, commit: string): Promise<void> {
  for (const name of ['objects/info', 'objects/pack', 'refs/heads']) await makePrivateDir(join(dir, name));
  const { commonDir, objectFormat } = repository;
  const sources = await readObjectDirs(commonDir, join(commonDir, 'lfs'));
  const version = objectFormat === 'sha1' ? '0' : '1';
  const extension = objectFormat === 'sha1' ? '' : `[extensions]\n\tobjectFormat = ${objectFormat}\n`;
  const texts: Readonly<Record<string, string>> = {
    HEAD: 'ref: refs/heads/publish\n',
    config: `[core]\n\trepositoryFormatVersion = ${version}\n\tbare = true\n${extension}`,
    'refs/heads/publish': `${commit}\n`,
    'objects/info/alternates': sources.map(({ objects }) => `${objects}\n`).join(''),
  };
  for (const [name, text] of Object.entries(texts)) await writeFile(join(dir, name), text, { mode: 0o600 });
  const shallow = join(commonDir, 'shallow');
  if ((await kindOf(shallow)) === 'file') await copyFile(shallow, join(dir, 'shallow'));
}

async function fillQuarantine(
  git: GitRunner,
  dir: string,
  what: { readonly repository: Repository; readonly storeDir: string },
): Promise<string | null> {
  await using store = await UntrustedDir.open(join(what.storeDir, 'objects'));
  if (store === null) return 'the objects of the session cannot be read';
  const budget = { bytes: maxBytes };
  const loose = await listLoose(store, what.repository.objectFormat);
  if (loose === null) return `the session left more than ${maxObjects} objects`;
  const wanted = await missingFrom(git, what.repository.commonDir, loose);
  for (const id of wanted) {
    const target = join(dir, 'objects', id.slice(0, 2));
    await mkdir(target, { recursive: true, mode: 0o700 });
    await using parent = await store.dir(id.slice(0, 2));
    if (parent !== null) await copyRegular(parent, id.slice(2), join(target, id.slice(2)), budget);
    if (budget.bytes < 0) return 'the objects of the session are too large';
  }
  const packs = await copyPacks(store, join(dir, 'objects', 'pack'), budget);
  if (packs === null || budget.bytes < 0) return 'the packs of the session are too many or too large';
  return await indexPacks(git, dir, packs);
}

async function listLoose(store: UntrustedDir, format: Repository['objectFormat']): Promise<readonly string[] | null> {
  const rest = format === 'sha1' ? /^[0-9a-f]{38}$/u : /^[0-9a-f]{62}$/u;
  const ids: string[] = [];
  for (const fan of (await store.list(maxObjects)) ?? []) {
    if (!/^[0-9a-f]{2}$/u.test(fan)) continue;
    await using dir = await store.dir(fan);
    const names = dir === null ? [] : await dir.list(maxObjects);
    if (names === null) return null;
    for (const name of names) if (rest.test(name)) ids.push(fan + name);
    if (ids.length > maxObjects) return null;
  }
  return ids;
}

/** Those of the ids that the person's repository does not have yet. */
async function missingFrom(git: GitRunner, commonDir: string, ids: readonly string[]): Promise<readonly string[]> {
  if (ids.length === 0) return [];
  const output = await git.text({
    args: ['cat-file', '--batch-check=%(objectname)'],
    action: 'look which objects are new',
    place: atGitDir(commonDir),
    env: { GIT_NO_LAZY_FETCH: '1' },
    input: ids.map((id) => `${id}\n`).join(''),
    timeoutMs: longTimeoutMs,
    outputMaxBytes: largeOutputBytes,
  });
  return output.split('\n').flatMap((line) => (line.endsWith(' missing') ? [line.slice(0, line.indexOf(' '))] : []));
}

/** Names of the copied packs; null when there are too many. The worker's own indexes are left behind. */
async function copyPacks(
  store: UntrustedDir,
  target: string,
  budget: { bytes: number },
): Promise<readonly string[] | null> {
  await using dir = await store.dir('pack');
  if (dir === null) return [];
  const names = await dir.list(maxPacks * 8);
  const packs = names?.filter((name) => /^pack-[0-9a-f]{40,64}\.pack$/u.test(name)) ?? null;
  if (packs === null || packs.length > maxPacks) return null;
  for (const name of packs) {
    await copyRegular(dir, name, join(target, name), budget);
    if (budget.bytes < 0) return null;
  }
  return packs;
}

async function copyRegular(dir: UntrustedDir, name: string, target: string, budget: { bytes: number }): Promise<void> {
  await using file = await dir.file(name);
  if (file === null) return;
  budget.bytes -= (await file.stat()).size;
  if (budget.bytes < 0) return;
  // The open file is named again through its descriptor, so that it is the checked one that is copied.
  await copyFile(`/proc/self/fd/${file.fd}`, target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
}

async function indexPacks(git: GitRunner, dir: string, packs: readonly string[]): Promise<string | null> {
  for (const name of packs) {
    const pack = await realpath(join(dir, 'objects', 'pack', name)).catch(() => null);
    if (pack === null) continue;
    const done = await git.result({
      args: ['index-pack', '--threads=1', pack],
      action: 'check a pack of the session',
      place: atGitDir(dir),
      timeoutMs: longTimeoutMs,
    });
    if (done.exitCode !== 0) return `a pack of the session is damaged: ${explainEnd(done)}`;
  }
  return null;
}

async function fetchFrom(git: GitRunner, dir: string, repository: Repository, itemId: string): Promise<string | null> {
  const flags = '--quiet --no-tags --no-write-fetch-head --no-auto-maintenance --no-recurse-submodules --no-prune';
  const done = await git.result({
    args: ['fetch', ...flags.split(' '), dir, `+refs/heads/publish:${incomingRef(itemId)}`],
    action: 'bring the commits over',
    place: atGitDir(repository.commonDir),
    pins: strictPins,
    env: { GIT_NO_LAZY_FETCH: '1' },
    writes: true,
    timeoutMs: longTimeoutMs,
  });
  return done.exitCode === 0 ? null : `the commit does not stand the check of its objects: ${explainEnd(done)}`;
}
