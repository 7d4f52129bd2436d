import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { z } from 'zod';
import { KraftError, type DocumentEdit, type SourceDocument } from '../base/index.ts';
import { configErrors } from './errors.ts';
import { checkRepos, configFile } from './load.ts';
import { holdLock } from './lock.ts';
import { readBytes, type ConfigFile } from './read-document.ts';
import type { RepoEntry } from './repos-schema.ts';
import { normalizeRepoPath } from './resolve.ts';
import type { HomePaths, LoadedRepos, ResolvedRepo } from './resolved.ts';

/** An entry as it is to be written: only keys that are to stand in the file. */
export type NewRepo = z.input<typeof RepoEntry>;

/** What `fillRepo` may decide for an entry that left it open. */
export interface RepoFill {
  readonly name: string | null;
  readonly forge: 'github' | 'gitlab' | null;
  readonly project: string | null;
  readonly setupCommand: string | null;
  /** Either decides where tests come from; both are left out when the entry has either. */
  readonly testCommand: string | null;
  readonly testScopes: readonly { readonly paths: readonly string[]; readonly command: string }[] | null;
  readonly sandbox: { readonly image: string; readonly network: Network | null } | null;
}

type Sandbox = NonNullable<Exclude<NewRepo['sandbox'], false>>;
/** As it is to be written; null: open egress. */
type Network = NonNullable<Extract<Sandbox, { kind: 'docker' }>['network']>;

const lockWaitMs = 10_000;
const rewriteMax = 5;

/** Adds an entry at the end. `REPO_ALREADY_CONNECTED` when its path has one. Answers the entry as a load gives it. */
export async function addRepo(paths: HomePaths, entry: NewRepo): Promise<ResolvedRepo> {
  const path = normalizeRepoPath(entry.path);
  const saved = await changeRepos(paths, ({ loaded, edit }) => {
    const existing = loaded.repos.find((repo) => repo.path === path);
    if (existing !== undefined) {
      throw configErrors.create('REPO_ALREADY_CONNECTED', { path, line: existing.line });
    }
    edit.append(['repos'], { ...entry, path });
    return true;
  });
  return repoAt(saved, path);
}

/** Removes the entry of `path`; answers what it was. Refused while a workspace names it, since nothing would load. */
export async function removeRepo(paths: HomePaths, path: string): Promise<ResolvedRepo> {
  const removed: ResolvedRepo[] = [];
  await changeRepos(paths, ({ loaded, edit }) => {
    removed.unshift(repoAt(loaded, path));
    edit.remove(['repos', loaded.repos.findIndex((repo) => repo === removed[0])]);
    return true;
  });
  return removed[0] ?? notConnected(path);
}

/** Writes what the entry of `path` left undecided (absent or null), nothing else; answers the keys that it wrote. */
export async function fillRepo(
  paths: HomePaths,
  path: string,
  fill: RepoFill,
): Promise<{ readonly repo: ResolvedRepo; readonly filled: readonly string[] }> {
  let filled: readonly string[] = [];
  const saved = await changeRepos(paths, ({ loaded, edit, document }) => {
    const index = loaded.repos.indexOf(repoAt(loaded, path));
    const entry = (document.data as { repos: Record<string, unknown>[] }).repos[index] ?? {};
    const decided = Object.entries(fillOf(entry, fill)).filter(([, value]) => value !== null);
    for (const [key, value] of decided) edit.set(['repos', index, key], value);
    filled = decided.map(([key]) => key);
    return decided.length > 0;
  });
  return { repo: repoAt(saved, path), filled };
}

function fillOf(entry: Readonly<Record<string, unknown>>, fill: RepoFill): Readonly<Record<string, unknown>> {
  const open = (key: string): boolean => (entry[key] ?? null) === null;
  const policy = (entry['policy'] ?? {}) as Readonly<Record<string, unknown>>;
  const testsOpen = open('test_command') && open('test_scopes');
  const sandboxOpen = open('sandbox') && (policy['sandbox'] ?? null) === null;
  const wanted: Readonly<Record<string, unknown>> = {
    name: fill.name,
    forge: fill.forge,
    project: fill.project,
    setup_command: fill.setupCommand,
    test_command: testsOpen ? fill.testCommand : null,
    test_scopes: testsOpen ? fill.testScopes : null,
    sandbox: sandboxOpen && fill.sandbox !== null ? renderSandbox(fill.sandbox) : null,
  };
  return Object.fromEntries(Object.entries(wanted).filter(([key]) => open(key)));
}

/** The sandbox block of a new entry. */
export function renderSandbox({ image, network }: NonNullable<RepoFill['sandbox']>): NonNullable<NewRepo['sandbox']> {
  return { kind: 'docker', image, ...(network === null ? {} : { network }) };
}

function repoAt(loaded: LoadedRepos, path: string): ResolvedRepo {
  return loaded.repos.find((repo) => repo.path === normalizeRepoPath(path)) ?? notConnected(path);
}

function notConnected(path: string): never {
  throw configErrors.create('REPO_ENTRY_UNKNOWN', { path });
}

/** One change of the file; the function that makes it answers whether there is anything to write. */
export interface Change {
  readonly loaded: LoadedRepos;
  readonly document: SourceDocument;
  readonly edit: DocumentEdit;
}

/**
 * Reads, changes, checks with the real loader, and replaces `repos.yaml`, one writer at a time. A writer that does not
 * know the lock (an editor) is noticed by comparing once more before the file is replaced; then the change is redone.
 */
export async function changeRepos(paths: HomePaths, change: (current: Change) => boolean): Promise<LoadedRepos> {
  await mkdir(paths.config, { recursive: true, mode: 0o700 });
  const named = configFile(paths, 'repos.yaml');
  // A link that a person made stays one: what it points at is replaced.
  const file = { ...named, path: await realpath(named.path).catch(() => named.path) };
  const lock = { path: join(dirname(file.path), '.repos.yaml.lock'), label: file.label, waitMs: lockWaitMs };
  try {
    return await holdLock(lock, async () => {
      await removeLeftovers(file);
      for (let attempt = 1; ; attempt++) {
        const saved = await changeOnce(file, change);
        if (saved !== null) return saved;
        if (attempt === rewriteMax) {
          throw configErrors.create('CONFIG_WRITE_FAILED', {
            file: file.label,
            why: 'another program keeps changing it',
          });
        }
      }
    });
  } catch (error) {
    if (error instanceof KraftError || !(error instanceof Error) || !('syscall' in error)) throw error;
    throw configErrors.create('CONFIG_WRITE_FAILED', { file: file.label, why: error.message }, error);
  }
}

async function changeOnce(file: ConfigFile, change: (current: Change) => boolean): Promise<LoadedRepos | null> {
  const before = (await readBytes(file)) ?? new Uint8Array();
  const current = await checkRepos(before);
  const edit = current.document.edit();
  if (!change({ ...current, edit })) return current.loaded;
  const after = Buffer.from(edit.render());
  const checked = await checkRepos(after).catch((error: unknown) => {
    if (!(error instanceof KraftError)) throw error;
    const { message, remedy } = error;
    throw configErrors.create('CONFIG_SAVE_REFUSED', { file: file.label, problem: message, remedy }, error);
  });
  return (await replaceFile(file, before, after)) ? checked.loaded : null;
}

/** Writes beside the file, makes it durable, and renames it over; false when the file is no longer `before`. */
async function replaceFile(file: ConfigFile, before: Uint8Array, after: Uint8Array): Promise<boolean> {
  const directory = dirname(file.path);
  const temporary = join(directory, `${leftoverPrefix(file)}${randomBytes(6).toString('hex')}.tmp`);
  try {
    const mode = await stat(file.path).then((info) => info.mode & 0o777, newFileMode);
    await using handle = await open(temporary, 'wx', 0o600);
    await handle.writeFile(after);
    await handle.chmod(mode);
    await handle.sync();
    if (Buffer.compare((await readBytes(file)) ?? new Uint8Array(), before) !== 0) return false;
    await rename(temporary, file.path);
  } finally {
    await rm(temporary, { force: true });
  }
  await using entry = await open(directory, 'r');
  await entry.sync();
  return true;
}

const newFileMode = (error: unknown): number => {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0o600;
  throw error;
};

function leftoverPrefix(file: ConfigFile): string {
  return `.${basename(file.path)}.`;
}

/** What a writer that was killed left behind; safe to remove, because its lock is now held here. */
async function removeLeftovers(file: ConfigFile): Promise<void> {
  const prefix = leftoverPrefix(file);
  for (const name of await readdir(dirname(file.path))) {
    if (name.startsWith(prefix) && name.endsWith('.tmp')) await rm(join(dirname(file.path), name), { force: true });
  }
}
