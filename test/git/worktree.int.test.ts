import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeFixture, makeTrap, refsOf, run, type Fixture } from './fixture.ts';

function addOrigin(f: Fixture): string {
  const origin = join(f.base, 'origin.git');
  run('git', ['clone', '-q', '--bare', f.root, origin], f.base, f.env);
  f.person('remote', 'add', 'origin', origin);
  f.person('fetch', '-q', 'origin');
  f.person('remote', 'set-head', 'origin', 'main');
  return origin;
}

/** Adds an empty commit to a branch of a bare repository; gives it. */
function advance(f: Fixture, bare: string, branch: string): string {
  const git = (...args: string[]): string =>
    run('git', ['-c', 'user.name=B', '-c', 'user.email=b@c', ...args], bare, f.env);
  const commit = git('commit-tree', '-p', branch, '-m', 'newer', `${branch}^{tree}`);
  git('update-ref', `refs/heads/${branch}`, commit);
  return commit;
}

describe('resolving the base', () => {
  it('fetches origin now, into the ref of the item alone', async () => {
    const f = makeFixture();
    const origin = addOrigin(f);
    const newer = advance(f, origin, 'main');
    run('git', ['tag', 'v9', newer], origin, f.env);
    f.person('config', 'fetch.prune', 'true');
    f.person('config', 'fetch.pruneTags', 'true');
    f.person('config', 'remote.origin.tagOpt', '--tags');
    f.person('tag', 'mine');
    rmSync(join(f.root, '.git/FETCH_HEAD'));
    const before = refsOf(f);
    const base = await f.git.resolveBase(f.repository(), { itemId: 'abc23456', baseBranch: null });
    expect(base).toEqual({ commit: newer, base: 'origin/main' });
    expect(f.person('rev-parse', 'refs/kraft/base/abc23456')).toBe(newer);
    expect(refsOf(f)).toBe(before);
    expect(existsSync(join(f.root, '.git/FETCH_HEAD'))).toBe(false);
  });

  it('falls back to what was fetched last, says so, and keeps that', async () => {
    const f = makeFixture();
    const origin = addOrigin(f);
    const last = f.person('rev-parse', 'origin/main');
    renameSync(origin, `${origin}.away`);
    const base = await f.git.resolveBase(f.repository(), { itemId: 'abc23456', baseBranch: 'main' });
    expect(base.commit).toBe(last);
    expect(base.base).toContain('origin/main as last fetched');
    expect(f.person('rev-parse', 'refs/kraft/base/abc23456')).toBe(last);
    expect(f.warnings.join()).toContain('fetching origin/main failed');
  });

  it('stops when origin cannot be reached and was never fetched, without the secrets of its address', async () => {
    const f = makeFixture();
    f.person('remote', 'add', 'origin', 'http://user:s3cret@127.0.0.1:1/r.git');
    const failed = f.git.resolveBase(f.repository(), { itemId: 'abc23456', baseBranch: 'main' });
    await expect(failed).rejects.toMatchObject({ code: 'KRAFT_BASE_UNAVAILABLE' });
    await expect(failed).rejects.not.toThrow(/s3cret/u);
  });

  it('names the candidates for a branch that origin does not have', async () => {
    const f = makeFixture();
    addOrigin(f);
    await expect(f.git.resolveBase(f.repository(), { itemId: 'abc23456', baseBranch: 'mian' })).rejects.toMatchObject({
      code: 'KRAFT_BASE_BRANCH_UNKNOWN',
      report: { details: { candidates: ['main'] } },
    });
    for (const baseBranch of ['--upload-pack=touch x', 'a:refs/heads/main', '+main', 'a b', '../x']) {
      await expect(f.git.resolveBase(f.repository(), { itemId: 'abc23456', baseBranch })).rejects.toMatchObject({
        code: 'KRAFT_BASE_BRANCH_UNKNOWN',
      });
    }
    expect(f.person('for-each-ref', 'refs/kraft')).toBe('');
  });

  it('takes a local branch where there is no origin, by default what is checked out', async () => {
    const f = makeFixture();
    f.person('checkout', '-q', '-b', 'topic');
    f.person('commit', '-q', '--allow-empty', '-m', 'topic');
    const repository = f.repository();
    const topic = f.person('rev-parse', 'topic');
    const main = f.person('rev-parse', 'main');
    expect(await f.git.resolveBase(repository, { itemId: 'a2', baseBranch: null })).toEqual({
      commit: topic,
      base: 'local topic',
    });
    expect(await f.git.resolveBase(repository, { itemId: 'a3', baseBranch: 'main' })).toEqual({
      commit: main,
      base: 'local main',
    });
    await expect(f.git.resolveBase(repository, { itemId: 'a4', baseBranch: 'nope' })).rejects.toMatchObject({
      report: { details: { candidates: expect.arrayContaining(['main', 'topic']) as string[] } },
    });
  });
});

describe('making a worktree', () => {
  it('records no upstream and leaves the main working tree alone', async () => {
    const f = makeFixture();
    addOrigin(f);
    const item = await f.item();
    expect(f.person('status', '--porcelain')).toBe('');
    expect(f.person('branch', '--show-current')).toBe('main');
    expect(run('git', ['rev-parse', '--abbrev-ref', 'HEAD'], item.worktree.path, f.env)).toBe(item.worktree.branch);
    expect(f.person('config', '--list')).not.toContain('branch.kraft/');
    expect(readFileSync(join(item.worktree.path, 'src/a.txt'), 'utf8')).toBe('one\n');
    expect(item.worktree.adminDir).toBe(join(f.root, '.git/worktrees/abc23456'));
  });

  it('PF-G07 PF-G08: runs no hook and signs nothing', async () => {
    const f = makeFixture();
    const trap = makeTrap(f);
    f.person('config', 'commit.gpgSign', 'true');
    f.person('config', 'gpg.program', trap.command);
    const hooks = join(f.root, '.git/hooks');
    mkdirSync(hooks, { recursive: true });
    for (const name of ['post-checkout', 'reference-transaction', 'post-index-change', 'pre-commit']) {
      writeFileSync(join(hooks, name), `#!/bin/sh\nexec ${trap.command}\n`, { mode: 0o755 });
    }
    f.person('branch', 'control');
    expect(trap.ran()).toBe(true);
    trap.reset();
    const item = await f.item();
    const { store } = await item.open('s1');
    item.commit(store, 'b.txt', 'two\n');
    expect(await item.publish()).toMatchObject({ kind: 'published' });
    expect(trap.ran()).toBe(false);
  });

  it('PF-G10: checks LFS files out as pointers, with a filter that would fail neither run nor missed', async () => {
    const f = makeFixture();
    const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 3\n';
    f.file('.gitattributes', '*.bin filter=lfs diff=lfs merge=lfs -text\n*.odd filter=odd\n');
    f.file('large.bin', pointer);
    f.file('x.odd', 'odd\n');
    f.person('add', '.');
    f.person('commit', '-q', '-m', 'lfs');
    const trap = makeTrap(f);
    for (const driver of ['lfs', 'odd']) {
      for (const key of ['smudge', 'clean', 'process']) f.person('config', `filter.${driver}.${key}`, trap.command);
      f.person('config', `filter.${driver}.required`, 'true');
    }
    const item = await f.item();
    expect(readFileSync(join(item.worktree.path, 'large.bin'), 'utf8')).toBe(pointer);
    expect(readFileSync(join(item.worktree.path, 'x.odd'), 'utf8')).toBe('odd\n');
    writeFileSync(join(item.worktree.path, 'x.odd'), 'changed\n');
    expect(await f.git.changedPaths(item)).toEqual(['x.odd']);
    expect(trap.ran()).toBe(false);
    const probe = await f.git.probeRepository(f.root);
    expect(probe.notes.join('\n')).toContain('Git LFS is in use');
  });

  it('leaves nothing behind when it fails', async () => {
    const f = makeFixture();
    const repository = f.repository();
    const commit = f.person('rev-parse', 'main');
    const before = refsOf(f);
    const options = { itemId: 'abc23456', branch: 'kraft/abc23456-x', commit, base: 'local main' };
    const taken = join(f.runDir, 'worktrees/taken');
    mkdirSync(taken, { recursive: true });
    await expect(f.git.createWorktree(repository, { ...options, path: taken })).rejects.toMatchObject({
      code: 'KRAFT_WORKTREE_EXISTS',
    });
    const path = join(f.runDir, 'worktrees/abc23456');
    const missing = '1'.repeat(40);
    await expect(f.git.createWorktree(repository, { ...options, path, commit: missing })).rejects.toMatchObject({
      code: 'KRAFT_GIT_FAILED',
    });
    // Fails in the middle of the checkout: the blob of a file is gone.
    const blob = f.person('rev-parse', 'main:README');
    rmSync(join(f.root, '.git/objects', blob.slice(0, 2), blob.slice(2)));
    await expect(f.git.createWorktree(repository, { ...options, path })).rejects.toMatchObject({
      code: 'KRAFT_GIT_FAILED',
    });
    expect(existsSync(path)).toBe(false);
    expect(existsSync(join(f.root, '.git/worktrees'))).toBe(false);
    expect(refsOf(f)).toBe(before);
    f.person('branch', 'kraft/abc23456-x');
    await expect(f.git.createWorktree(repository, { ...options, path })).rejects.toMatchObject({
      code: 'KRAFT_BRANCH_EXISTS',
    });
    expect(f.person('branch', '--list', 'kraft/abc23456-x')).not.toBe('');
  });
});

describe('removing a worktree', () => {
  it('PF-G15: removes exactly its own registration, again and again, also after rm -rf', async () => {
    const f = makeFixture();
    const away = join(f.base, 'away');
    f.person('worktree', 'add', '-q', '--detach', away);
    rmSync(away, { recursive: true });
    const item = await f.item();
    await item.open('s1');
    const { repository, worktree, itemId } = item;
    mkdirSync(join(worktree.path, 'locked'));
    writeFileSync(join(worktree.path, 'locked/file'), '');
    chmodSync(join(worktree.path, 'locked'), 0o000);
    const removal = { path: worktree.path, branch: worktree.branch, removeBranch: true, itemId, removeBase: true };
    rmSync(join(worktree.path, '.git'));
    expect(await f.git.removeWorktree(repository, removal)).toEqual({ branchRemoved: true });
    expect(await f.git.removeWorktree(repository, removal)).toEqual({ branchRemoved: false });
    expect(readdirSync(join(f.root, '.git/worktrees'))).toEqual(['away']);
    expect(existsSync(worktree.path)).toBe(false);
    expect(f.person('for-each-ref', 'refs/kraft', 'refs/heads/kraft')).toBe('');
  });

  it('keeps a branch whose commits are nowhere else, and removes it once they are', async () => {
    const f = makeFixture();
    const item = await f.item();
    const { store } = await item.open('s1');
    const commit = item.commit(store, 'b.txt', 'two\n');
    await item.publish();
    const { repository, worktree, itemId } = item;
    const removal = { path: worktree.path, branch: worktree.branch, removeBranch: true, itemId, removeBase: true };
    expect(await f.git.removeWorktree(repository, removal)).toEqual({ branchRemoved: false });
    expect(f.person('rev-parse', worktree.branch)).toBe(commit);
    f.person('merge', '-q', worktree.branch);
    expect(await f.git.removeWorktree(repository, removal)).toEqual({ branchRemoved: true });
  });

  it('PF-G16: deletes nothing when the registrations cannot be read', async () => {
    const f = makeFixture();
    const item = await f.item();
    const { repository, worktree, itemId } = item;
    const gitdir = join(worktree.adminDir, 'gitdir');
    rmSync(gitdir);
    mkdirSync(gitdir);
    const removal = { path: worktree.path, branch: worktree.branch, removeBranch: true, itemId, removeBase: true };
    await expect(f.git.removeWorktree(repository, removal)).rejects.toThrow(/EISDIR/u);
    expect(existsSync(join(worktree.path, 'README'))).toBe(true);
    expect(await f.git.branchCommit(repository, worktree.branch)).toBe(worktree.baseCommit);
  });

  it('removes nothing that is neither registered nor in Kraft’s own directory', async () => {
    const f = makeFixture();
    const precious = join(f.base, 'precious');
    mkdirSync(precious);
    await f.git.removeWorktree(f.repository(), {
      path: precious,
      branch: 'kraft/none',
      removeBranch: true,
      itemId: 'x',
      removeBase: true,
    });
    expect(existsSync(precious)).toBe(true);
  });
});

describe('copying local files', () => {
  it('copies what the worktree ignores and refuses the rest', async () => {
    const f = makeFixture();
    f.file('.gitignore', '.env\nsecrets/\nlinkdir/\ndirectory\n');
    f.person('add', '.');
    f.person('commit', '-q', '-m', 'ignore');
    f.file('.env', 'KEY=1\n');
    chmodSync(join(f.root, '.env'), 0o600);
    f.file('secrets/deep/key', 'k\n');
    f.file('linkdir/x', 'x\n');
    f.file('plain', 'p\n');
    mkdirSync(join(f.root, 'directory'));
    const item = await f.item();
    symlinkSync(f.base, join(item.worktree.path, 'linkdir'));
    const paths = [
      '.env',
      'secrets/deep/key',
      'plain',
      'directory',
      'linkdir/x',
      'absent',
      '../x',
      '/etc/passwd',
      '.git/config',
    ];
    const outcomes = await f.git.copyLocalFiles(item.repository, item.worktree.path, paths);
    expect(Object.fromEntries(outcomes.map(({ path, outcome }) => [path, outcome]))).toEqual({
      '.env': 'copied',
      'secrets/deep/key': 'copied',
      plain: 'refused',
      directory: 'refused',
      'linkdir/x': 'refused',
      absent: 'missing',
      '../x': 'refused',
      '/etc/passwd': 'refused',
      '.git/config': 'refused',
    });
    expect(readFileSync(join(item.worktree.path, 'secrets/deep/key'), 'utf8')).toBe('k\n');
    expect(existsSync(join(f.base, 'x'))).toBe(false);
    const again = await f.git.copyLocalFiles(item.repository, item.worktree.path, ['.env']);
    expect(again[0]).toMatchObject({ outcome: 'refused', why: expect.stringContaining('exists') as string });
  });
});

describe('the author of an item’s commits', () => {
  it('comes from the daemon’s variables, else from the repository', async () => {
    const f = makeFixture();
    const authorOf = async (of: Fixture): Promise<unknown> => (await of.git.probeRepository(of.root)).identity;
    expect(await authorOf(f)).toEqual({ name: 'Ann', email: 'ann@example.org' });
    const other = makeFixture({ env: { GIT_COMMITTER_NAME: 'Bot', GIT_AUTHOR_EMAIL: 'bot@example.org' } });
    expect(await authorOf(other)).toEqual({ name: 'Bot', email: 'bot@example.org' });
    f.person('config', '--unset', 'user.email');
    expect(await authorOf(f)).toBeNull();
    expect(dirname(f.root)).toBe(f.base);
  });
});
