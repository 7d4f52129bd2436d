import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';
import type { Log } from '../../src/base/index.ts';
import {
  openGit,
  type Git,
  type PublishOutcome,
  type RefStore,
  type Repository,
  type Worktree,
} from '../../src/git/index.ts';
import { renderPins, workerPins } from '../../src/refs/index.ts';

export const containerPaths = {
  alternateObjects: '/kraft/alternate/objects',
  alternateLfs: '/kraft/alternate/lfs',
} as const;

/** A person with a repository and a Kraft beside it, in a directory that goes when the test ends. */
export interface Fixture {
  readonly base: string;
  readonly root: string;
  readonly runDir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly git: Git;
  readonly warnings: readonly string[];
  /** git as the person runs it, in their repository. */
  person(...args: string[]): string;
  repository(): Repository;
  /** A worktree for an item, cut from the resolved base. */
  item(itemId?: string): Promise<Opened>;
  file(path: string, text: string): void;
}

export interface Opened {
  readonly itemId: string;
  readonly repository: Repository;
  readonly worktree: Worktree;
  open(sessionId: string | null, live?: readonly string[]): Promise<{ store: RefStore; carried: PublishOutcome }>;
  publish(sessionId?: string): Promise<PublishOutcome>;
  /** git as the worker runs it inside a session's container; gives its output. */
  worker(store: RefStore, ...args: string[]): string;
  /** Writes a file in the worktree and commits it as the worker; gives the commit. */
  commit(store: RefStore, path: string, text: string): string;
}

export interface FixtureOptions {
  readonly init?: readonly string[];
  readonly umask?: number;
  readonly env?: Readonly<Record<string, string>>;
}

export function makeFixture(options: FixtureOptions = {}): Fixture {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'kraft-git-')));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const root = join(base, 'repo');
  const runDir = join(base, 'home', 'run');
  mkdirSync(runDir, { recursive: true, mode: 0o700 });
  mkdirSync(join(base, 'user'));
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: join(base, 'user'),
    GIT_CONFIG_NOSYSTEM: '1',
    ...options.env,
  };
  const warnings: string[] = [];
  const log: Log = { info: () => undefined, warn: (line) => warnings.push(line), error: (line) => warnings.push(line) };
  const git = openGit({ runDir, env, umask: options.umask ?? 0o022, containerPaths, log });
  const person = (...args: string[]): string => run('git', args, root, env);
  cpSync(templateOf(options.init ?? []), root, { recursive: true });
  const fixture: Fixture = {
    base,
    root,
    runDir,
    env,
    git,
    warnings,
    person,
    file(path, text) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    },
    repository: () => ({
      root,
      commonDir: join(root, '.git'),
      refStorage: 'files',
      objectFormat: options.init?.includes('--object-format=sha256') === true ? 'sha256' : 'sha1',
    }),
    item: (itemId = 'abc23456') => openItem(fixture, itemId),
  };
  return fixture;
}

// One repository with one commit for each way of making it; tests copy it, since git processes are what takes time.
const templates = new Map<string, string>();

afterAll(() => {
  for (const repo of templates.values()) rmSync(dirname(repo), { recursive: true, force: true });
});

function templateOf(init: readonly string[]): string {
  const key = init.join(' ');
  const known = templates.get(key);
  if (known !== undefined) return known;
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'kraft-git-template-')));
  const env = { PATH: process.env['PATH'] ?? '', HOME: dir, GIT_CONFIG_NOSYSTEM: '1' };
  const git = (...args: string[]): string => run('git', args, join(dir, 'repo'), env);
  run('git', ['init', '-q', '-b', 'main', ...init, join(dir, 'repo')], dir, env);
  git('config', 'user.name', 'Ann');
  git('config', 'user.email', 'ann@example.org');
  mkdirSync(join(dir, 'repo/src'));
  writeFileSync(join(dir, 'repo/src/a.txt'), 'one\n');
  writeFileSync(join(dir, 'repo/README'), 'hello\n');
  git('add', '.');
  git('commit', '-q', '-m', 'first');
  templates.set(key, join(dir, 'repo'));
  return join(dir, 'repo');
}

async function openItem(fixture: Fixture, itemId: string): Promise<Opened> {
  const { git, runDir } = fixture;
  const repository = fixture.repository();
  const resolved = await git.resolveBase(repository, { itemId, baseBranch: null });
  const worktree = await git.createWorktree(repository, {
    itemId,
    path: join(runDir, 'worktrees', itemId),
    branch: `kraft/${itemId}-work`,
    ...resolved,
  });
  const opened: Opened = {
    itemId,
    repository,
    worktree,
    open: (sessionId, live = []) => git.openRefStore({ repository, worktree, itemId, sessionId, liveSessionIds: live }),
    publish: (sessionId = 's1') => git.publish({ repository, worktree, itemId, sessionId }),
    worker: (store, ...args) => run('git', args, worktree.path, workerEnv(fixture, store, worktree)),
    commit(store, path, text) {
      mkdirSync(dirname(join(worktree.path, path)), { recursive: true });
      writeFileSync(join(worktree.path, path), text);
      opened.worker(store, 'add', '-f', path);
      opened.worker(store, 'commit', '-q', '-m', `change ${path}`);
      return opened.worker(store, 'rev-parse', 'HEAD');
    },
  };
  return opened;
}

/**
 * What git finds inside the container, without one: the worker's admin directory leads to S, S reads the person's
 * objects as an alternate. The files written here lie under read-only mounts in a container and are read by nobody else.
 */
function workerEnv(fixture: Fixture, store: RefStore, worktree: Worktree): Record<string, string> {
  const adminDir = `${store.dir}.worktree`;
  writeFileSync(join(adminDir, 'commondir'), `${store.dir}\n`);
  const objects = store.mounts.filter(({ target }) => /^\/kraft\/alternate\/(?:\d+\/)?objects$/u.test(target));
  return {
    PATH: fixture.env['PATH'] ?? '',
    HOME: join(fixture.base, 'worker-home'),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_DIR: adminDir,
    GIT_WORK_TREE: worktree.path,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: objects.map(({ source }) => source).join(':'),
    GIT_AUTHOR_NAME: 'Worker',
    GIT_AUTHOR_EMAIL: 'w@example.org',
    GIT_COMMITTER_NAME: 'Worker',
    GIT_COMMITTER_EMAIL: 'w@example.org',
    ...renderPins(workerPins),
  };
}

export function run(file: string, args: readonly string[], cwd: string, env: Readonly<Record<string, string>>): string {
  return execFileSync(file, [...args], {
    cwd,
    env: { ...env },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim();
}

/** All refs of the person's repository outside `refs/kraft/`, as one text to compare. */
export function refsOf(fixture: Fixture): string {
  return fixture
    .person('for-each-ref', '--format=%(refname) %(objectname)')
    .split('\n')
    .filter((line) => !line.startsWith('refs/kraft/'))
    .join('\n');
}

/** A program that leaves a mark when it runs; gives its path and whether it ran. */
export function makeTrap(fixture: Fixture, name = 'trap'): { readonly command: string; ran(): boolean; reset(): void } {
  const mark = join(fixture.base, `${name}.ran`);
  const command = join(fixture.base, `${name}.sh`);
  writeFileSync(command, `#!/bin/sh\ntouch '${mark}'\ncat 2>/dev/null\nexit 0\n`, { mode: 0o755 });
  return { command, ran: () => existsSync(mark), reset: () => rmSync(mark, { force: true }) };
}
