import { cp, copyFile, readFile, readdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import {
  baseRef,
  configValue,
  parseRefList,
  refListFormat,
  renderAlternates,
  renderConfig,
  renderPackedRefs,
  shownConfig,
  visibleRefs,
  type AlternatePaths,
  type ConfigEntry,
  type ListedRef,
  type MountFacts,
  type StoreLayout,
} from '../refs/index.ts';
import { gitErrors } from './errors.ts';
import type { Repository, Worktree } from './git.ts';
import { readObjectDirs } from './object-dirs.ts';
import { lfsDirOf, readRepositoryConfig } from './read-config.ts';
import { atGitDir, largeOutputBytes, longTimeoutMs, type GitRunner } from './run-git.ts';
import { kindOf, makePrivateDir, readIfPresent, removeTree } from './trusted-files.ts';

/** What a store is made of, read from the person's repository. */
export interface StoreFacts extends MountFacts {
  readonly config: readonly ConfigEntry[];
}

/** Reads what the mounts of a store depend on; one git process. Errors: REF_STORAGE_UNSUPPORTED, WORKTREE_LOST. */
export async function readStoreFacts(git: GitRunner, repository: Repository, worktree: Worktree): Promise<StoreFacts> {
  const { commonDir } = repository;
  await checkBacklinks(worktree);
  const config = await readRepositoryConfig(git, commonDir);
  const storage = configValue(config, 'extensions.refstorage') ?? repository.refStorage;
  if (storage !== 'files') throw gitErrors.create('REF_STORAGE_UNSUPPORTED', { path: repository.root, storage });
  return {
    commonDir,
    adminDir: worktree.adminDir,
    worktree: worktree.path,
    objects: await readObjectDirs(commonDir, lfsDirOf(config, commonDir)),
    hasShallow: (await kindOf(join(commonDir, 'shallow'))) === 'file',
    hasInfo: (await kindOf(join(commonDir, 'info'))) === 'dir',
    config,
  };
}

async function checkBacklinks(worktree: Worktree): Promise<void> {
  const lost = (why: string): Error => gitErrors.create('WORKTREE_LOST', { path: worktree.path, why });
  if ((await kindOf(worktree.path)) !== 'dir') throw lost('the working tree is gone');
  const backlink = await readIfPresent(join(worktree.adminDir, 'gitdir'));
  if (backlink?.trim() !== join(worktree.path, '.git')) throw lost('the repository does not list it');
  const gitFile = join(worktree.path, '.git');
  const pointer = (await kindOf(gitFile)) === 'file' ? await readIfPresent(gitFile) : null;
  if (pointer?.trim() !== `gitdir: ${worktree.adminDir}`) throw lost('its .git file names another place');
}

/** All refs of the person's repository; one git process. */
export async function readRefs(git: GitRunner, commonDir: string): Promise<readonly ListedRef[]> {
  return parseRefList(
    await git.text({
      args: ['for-each-ref', `--format=${refListFormat}`],
      action: 'list the refs',
      place: atGitDir(commonDir),
      timeoutMs: longTimeoutMs,
      outputMaxBytes: largeOutputBytes,
    }),
  );
}

export interface BuildOptions {
  readonly facts: StoreFacts;
  readonly layout: StoreLayout;
  readonly paths: AlternatePaths;
  readonly refs: readonly ListedRef[];
  readonly itemId: string;
  /** Keeps the worker's index, HEAD and reflogs; false starts from the real admin directory. */
  readonly keepAdminDir: boolean;
}

/**
 * Builds a store, or builds it anew in place: refs, placeholders and shadows are made again, while the objects and LFS
 * objects that a worker wrote stay, because its index may need them. Precondition: no container mounts it.
 */
export async function buildStore(options: BuildOptions): Promise<void> {
  const { layout, facts } = options;
  await emptyStore(layout);
  const refs = visibleRefs(options.refs, baseRef(options.itemId));
  await writeFile(join(layout.dir, 'packed-refs'), renderPackedRefs(refs), { mode: 0o600 });
  for (const name of ['refs/heads', 'refs/tags', 'logs', 'objects', 'lfs'])
    await makePrivateDir(join(layout.dir, name));
  for (const ref of refs) await writeSymref(layout.dir, ref);
  if (!options.keepAdminDir || (await kindOf(layout.adminDir)) !== 'dir') {
    await removeTree(layout.adminDir);
    await copyAdminDir(facts.adminDir, layout.adminDir);
  } else {
    await removeStaleLocks(layout.adminDir);
  }
  await writeShadows(options);
  await ensurePlaceholders(facts, layout);
}

async function emptyStore(layout: StoreLayout): Promise<void> {
  await makePrivateDir(layout.dir);
  for (const name of await readdir(layout.dir)) {
    const kept = (name === 'objects' || name === 'lfs') && (await kindOf(join(layout.dir, name))) === 'dir';
    if (!kept) await removeTree(join(layout.dir, name));
  }
  await removeTree(join(layout.dir, 'objects', 'info'));
}

// Symbolic refs (origin/HEAD) cannot be packed. A name that leads anywhere but below refs/ is not one that git made.
async function writeSymref(dir: string, { name, symref }: ListedRef): Promise<void> {
  if (symref === null || !symref.startsWith('refs/') || name.split('/').includes('..')) return;
  await makePrivateDir(dirname(join(dir, name)));
  await writeFile(join(dir, name), `ref: ${symref}\n`, { mode: 0o600 });
}

const kraftsOwn = new Set(['commondir', 'gitdir', 'config.worktree', 'locked']);

async function copyAdminDir(from: string, to: string): Promise<void> {
  // Times are kept: git tells a racily clean entry by the time of the index.
  await cp(from, to, {
    recursive: true,
    preserveTimestamps: true,
    filter: (source) => dirname(source) !== from || !kraftsOwn.has(basename(source)),
  });
}

// A session that was killed in the middle of a git command leaves locks that nothing holds any more.
async function removeStaleLocks(adminDir: string): Promise<void> {
  for (const name of await readdir(adminDir)) {
    if (name.endsWith('.lock')) await removeTree(join(adminDir, name));
  }
}

/** Writes the sources of the read-only mounts. */
async function writeShadows(options: BuildOptions): Promise<void> {
  const { facts, layout, paths } = options;
  await removeTree(layout.shadowDir);
  for (const name of ['empty', 'objects-info']) await makePrivateDir(join(layout.shadowDir, name));
  const worktreeConfig = join(facts.adminDir, 'config.worktree');
  const texts: Readonly<Record<string, string>> = {
    config: renderConfig(shownConfig(facts.config)),
    'objects-info/alternates': renderAlternates(paths, facts.objects.length),
    'git-file': `gitdir: ${facts.adminDir}\n`,
    commondir: '../..\n',
    gitdir: `${join(facts.worktree, '.git')}\n`,
    // Sparse checkouts keep their settings here; hardly ever is there more in it than those.
    'config.worktree': (await kindOf(worktreeConfig)) === 'file' ? await sparseSettings(worktreeConfig) : '',
  };
  for (const [name, text] of Object.entries(texts)) {
    await writeFile(join(layout.shadowDir, name), text, { mode: 0o600 });
  }
}

async function sparseSettings(path: string): Promise<string> {
  const kept = (await readFile(path, 'utf8'))
    .split('\n')
    .filter((line) => /^\s*sparsecheckout(?:cone)?\s*=/iu.test(line));
  return kept.length === 0 ? '' : `[core]\n${kept.join('\n')}\n`;
}

/**
 * Makes the mount points inside what a worker can write, so that no engine makes them as root. A component that is
 * neither absent nor what it should be is refused. Errors: REF_STORE_DAMAGED.
 */
export async function ensurePlaceholders(facts: StoreFacts, layout: StoreLayout): Promise<void> {
  const name = basename(facts.adminDir);
  const dirs = ['objects', 'objects/info', 'lfs', 'worktrees', `worktrees/${name}`, ...(facts.hasInfo ? ['info'] : [])];
  for (const dir of dirs) await ensure(join(layout.dir, dir), 'dir', null);
  // The two that make S a git directory also when nothing is mounted over them.
  await ensure(join(layout.dir, 'HEAD'), 'file', join(facts.commonDir, 'HEAD'));
  await ensure(join(layout.dir, 'config'), 'file', join(layout.shadowDir, 'config'));
  if (facts.hasShallow) await ensure(join(layout.dir, 'shallow'), 'file', join(facts.commonDir, 'shallow'));
  for (const file of ['commondir', 'gitdir', 'config.worktree']) {
    await ensure(join(layout.adminDir, file), 'file', join(layout.shadowDir, file));
  }
}

async function ensure(path: string, kind: 'file' | 'dir', source: string | null): Promise<void> {
  const found = await kindOf(path);
  if (found === kind) return;
  if (found !== null) throw gitErrors.create('REF_STORE_DAMAGED', { path });
  if (source === null) await makePrivateDir(path);
  else await copyFile(source, path);
}
