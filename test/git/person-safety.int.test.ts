import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { containerPaths, makeFixture, refsOf, run, type Fixture } from './fixture.ts';

/** An old second stash, a commit that only a reflog names, a detached second worktree, and a staged blob. */
function layOutTreasures(f: Fixture): { check(): void } {
  f.file('src/a.txt', 'stash one\n');
  f.person('stash', '-q');
  f.file('src/a.txt', 'stash two\n');
  f.person('stash', '-q');
  f.person('commit', '-q', '--allow-empty', '-m', 'only in the reflog');
  const lost = f.person('rev-parse', 'HEAD');
  f.person('reset', '-q', '--hard', 'HEAD~1');
  const second = join(f.base, 'second');
  f.person('worktree', 'add', '-q', '--detach', second);
  run('git', ['commit', '-q', '--allow-empty', '-m', 'detached'], second, f.env);
  const detached = run('git', ['rev-parse', 'HEAD'], second, f.env);
  f.file('staged', 'staged by the person\n');
  f.person('add', 'staged');
  return {
    check() {
      expect(f.person('stash', 'list').split('\n')).toHaveLength(2);
      expect(f.person('show', 'stash@{1}:src/a.txt')).toBe('stash one');
      expect(f.person('log', '-1', '--format=%s', lost)).toBe('only in the reflog');
      expect(run('git', ['rev-parse', 'HEAD'], second, f.env)).toBe(detached);
      expect(run('git', ['log', '-1', '--format=%s'], second, f.env)).toBe('detached');
      expect(f.person('show', ':staged')).toBe('staged by the person');
      expect(f.person('fsck')).not.toMatch(/missing|broken|invalid/u);
    },
  };
}

describe('what the person has', () => {
  it('survives a worker that commits, merges, collects garbage and deletes objects, and its publishing', async () => {
    const f = makeFixture();
    const treasures = layOutTreasures(f);
    const item = await f.item();
    const { store } = await item.open('s1');
    item.commit(store, 'b.txt', 'two\n');
    item.worker(store, 'checkout', '-q', '-b', 'side', 'HEAD~1');
    item.commit(store, 'c.txt', 'three\n');
    item.worker(store, 'checkout', '-q', item.worktree.branch);
    item.worker(store, 'merge', '-q', '--no-edit', 'side');
    item.worker(store, 'reflog', 'expire', '--expire=now', '--all');
    item.worker(store, 'gc', '-q', '--prune=now');
    const merged = item.worker(store, 'rev-parse', 'HEAD');
    expect(await item.publish()).toMatchObject({ kind: 'published', to: merged });
    treasures.check();
    rmSync(join(store.dir, 'objects'), { recursive: true });
    expect(await item.publish()).toEqual({ kind: 'unchanged' });
    treasures.check();
    expect(f.person('log', '-1', '--format=%P', item.worktree.branch).split(' ')).toHaveLength(2);
  });

  it('keeps an open item working through the person’s own gc, and their gc working through the item', async () => {
    const f = makeFixture();
    f.person('checkout', '-q', '-b', 'topic');
    f.file('topic.txt', 'topic\n');
    f.person('add', '.');
    f.person('commit', '-q', '-m', 'topic');
    const item = await f.item();
    const { store } = await item.open('s1');
    item.commit(store, 'b.txt', 'two\n');
    writeFileSync(join(item.worktree.path, 'staged.txt'), 'x\n');
    item.worker(store, 'add', 'staged.txt');
    item.worker(store, 'checkout', '-q', '--detach');
    // The base leaves every branch: only Kraft's own ref keeps it.
    f.person('checkout', '-q', 'main');
    f.person('branch', '-q', '-D', 'topic');
    f.person('update-ref', '-d', `refs/heads/${item.worktree.branch}`);
    f.person('reflog', 'expire', '--expire=now', '--all');
    f.person('gc', '-q', '--prune=now');
    expect(f.person('fsck')).not.toMatch(/missing|broken|invalid/u);
    item.worker(store, 'checkout', '-q', item.worktree.branch);
    item.worker(store, 'commit', '-q', '-m', 'after the gc');
    expect(item.worker(store, 'show', 'HEAD~2:topic.txt')).toBe('topic');
  });

  it('is not shown to a worker where it is private: stashes, other items, and secrets of the configuration', async () => {
    const f = makeFixture();
    layOutTreasures(f);
    f.person('config', 'remote.origin.url', 'https://ann:s3cret@example.org/r.git');
    f.person('config', 'http.https://example.org/.extraHeader', 'Authorization: Basic c2VjcmV0');
    f.person('config', 'url.https://tok3n@example.org/.insteadOf', 'https://example.org/');
    f.person('config', 'credential.helper', 'store');
    f.person('config', 'core.sshCommand', 'ssh -i /secret');
    f.person('update-ref', 'refs/kraft/base/other234', 'main');
    f.person('update-ref', 'refs/remotes/origin/main', 'main');
    f.person('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/main');
    f.person('config', '--unset', 'remote.origin.url');
    const item = await f.item();
    f.person('config', 'remote.origin.url', 'https://ann:s3cret@example.org/r.git');
    const { store } = await item.open('s1');
    const config = readFileSync(store.mounts.find(({ target }) => target.endsWith('.git/config'))!.source, 'utf8');
    expect(config).not.toMatch(/s3cret|c2VjcmV0|tok3n|credential|ssh -i/u);
    expect(item.worker(store, 'config', 'remote.origin.url')).toBe('https://example.org/r.git');
    const refs = item.worker(store, 'for-each-ref', '--format=%(refname)').split('\n');
    expect(refs).not.toContain('refs/stash');
    expect(refs).not.toContain('refs/kraft/base/other234');
    expect(refs).toContain('refs/kraft/base/abc23456');
    expect(item.worker(store, 'symbolic-ref', 'refs/remotes/origin/HEAD')).toBe('refs/remotes/origin/main');
  });

  it('shows the person a clean worktree after publishing, and keeps what they staged there', async () => {
    const f = makeFixture();
    const item = await f.item();
    const { store } = await item.open('s1');
    writeFileSync(join(item.worktree.path, 'theirs'), 'x\n');
    run('git', ['add', 'theirs'], item.worktree.path, f.env);
    item.commit(store, 'b.txt', 'two\n');
    expect(await item.publish()).toMatchObject({ kind: 'published' });
    expect(run('git', ['status', '--porcelain'], item.worktree.path, f.env)).toBe('A  theirs');
  });

  it('gets files under the person’s umask and core.sharedRepository, while Kraft’s own are private', async () => {
    const f = makeFixture({ umask: 0o002 });
    const old = process.umask(0o077);
    try {
      const item = await f.item();
      const { store } = await item.open('s1');
      item.commit(store, 'b.txt', 'two\n');
      await item.publish();
      const mode = (path: string): number => statSync(path).mode & 0o777;
      expect(mode(join(item.worktree.path, 'src/a.txt'))).toBe(0o664);
      expect(mode(join(item.worktree.path, 'src'))).toBe(0o775);
      expect(mode(join(f.root, '.git/refs/heads', item.worktree.branch))).toBe(0o664);
      expect(mode(store.dir)).toBe(0o700);
      expect(mode(store.sidecar)).toBe(0o600);
      f.person('config', 'core.sharedRepository', '0660');
      item.commit(store, 'c.txt', 'three\n');
      await item.publish();
      expect(mode(join(f.root, '.git/refs/heads', item.worktree.branch))).toBe(0o660);
    } finally {
      process.umask(old);
    }
  });
});

describe('other kinds of repositories', () => {
  it('publishes in a SHA-256 repository', async () => {
    const f = makeFixture({ init: ['--object-format=sha256'] });
    const item = await f.item();
    const { store } = await item.open('s1');
    const commit = item.commit(store, 'b.txt', 'two\n');
    expect(commit).toHaveLength(64);
    expect(await item.publish()).toMatchObject({ kind: 'published', to: commit });
  });

  it('SI-9.1 A4: mounts every alternate of a shared clone read-only, flat, and publishes there', async () => {
    const f = makeFixture();
    const far = join(f.base, 'far');
    run('git', ['clone', '-q', '--bare', f.root, far], f.base, f.env);
    writeFileSync(
      join(f.root, '.git/objects/info/alternates'),
      '# a comment\n\n../../../far/objects\n/nowhere/objects\n',
    );
    f.person('repack', '-q', '-a', '-d', '-l');
    const item = await f.item();
    const { store } = await item.open('s1');
    const mount = (target: string): unknown => store.mounts.find((m) => m.target === target);
    expect(mount('/kraft/alternate/1/objects')).toEqual({
      source: join(far, 'objects'),
      target: '/kraft/alternate/1/objects',
      readOnly: true,
    });
    const shadow = store.mounts.find(({ target }) => target === join(f.root, '.git/objects/info'))!;
    expect(shadow.readOnly).toBe(true);
    expect(readFileSync(join(shadow.source, 'alternates'), 'utf8')).toBe(
      '/kraft/alternate/objects\n/kraft/alternate/1/objects\n',
    );
    const commit = item.commit(store, 'b.txt', 'two\n');
    expect(await item.publish()).toMatchObject({ kind: 'published', to: commit });
  });

  it('publishes in a shallow clone', async () => {
    const f = makeFixture();
    f.person('commit', '-q', '--allow-empty', '-m', 'second');
    const before = join(f.base, 'full');
    run('git', ['clone', '-q', '--bare', f.root, before], f.base, f.env);
    rmSync(f.root, { recursive: true });
    run('git', ['clone', '-q', '--depth=1', `file://${before}`, f.root], f.base, f.env);
    const item = await f.item();
    const { store } = await item.open('s1');
    expect(store.mounts).toContainEqual({
      source: join(f.root, '.git/shallow'),
      target: join(f.root, '.git/shallow'),
      readOnly: true,
    });
    const commit = item.commit(store, 'b.txt', 'two\n');
    expect(await item.publish()).toMatchObject({ kind: 'published', to: commit });
  });

  it('SI-9.11 I7: refuses a repository whose refs are no files, also when that came later', async () => {
    const f = makeFixture();
    const item = await f.item();
    const other = { ...item.repository, refStorage: 'reftable' };
    await expect(
      f.git.openRefStore({
        repository: other,
        worktree: item.worktree,
        itemId: item.itemId,
        sessionId: 's1',
        liveSessionIds: [],
      }),
    ).rejects.toMatchObject({ code: 'KRAFT_REF_STORAGE_UNSUPPORTED' });
  });

  it('says that repository and worktree lost each other when the repository was moved', async () => {
    const f = makeFixture();
    const item = await f.item();
    writeFileSync(join(item.worktree.path, '.git'), 'gitdir: /elsewhere/.git/worktrees/x\n');
    await expect(item.open('s1')).rejects.toMatchObject({ code: 'KRAFT_WORKTREE_LOST' });
  });
});

describe('LFS objects', () => {
  it('publishes those whose SHA-256 is their name, and mounts the person’s read-only', async () => {
    const f = makeFixture();
    const kept = addObject(join(f.root, '.git/lfs'), 'theirs');
    const item = await f.item();
    const { store } = await item.open('s1');
    expect(store.mounts).toContainEqual({
      source: join(f.root, '.git/lfs'),
      target: containerPaths.alternateLfs,
      readOnly: true,
    });
    const good = addObject(join(store.dir, 'lfs'), 'a large file');
    // A daemon that was killed in the middle left this one.
    const drafts = join(f.root, '.git/lfs/tmp');
    mkdirSync(drafts);
    for (const name of [`${good}.4194304-0123456789abcdef.kraft`, 'of-git-lfs']) writeFileSync(join(drafts, name), '');
    const forged = addObject(join(store.dir, 'lfs'), 'changed', sha256('as named'));
    const replaced = addObject(join(store.dir, 'lfs'), 'attack', kept);
    const link = sha256('linked');
    mkdirSync(join(objectPath(join(store.dir, 'lfs'), link), '..'), { recursive: true });
    symlinkSync('/etc/passwd', objectPath(join(store.dir, 'lfs'), link));
    item.commit(store, 'b.txt', 'pointer\n');
    expect(await item.publish()).toMatchObject({ kind: 'published' });
    const lfs = join(f.root, '.git/lfs');
    expect(readFileSync(objectPath(lfs, good), 'utf8')).toBe('a large file');
    expect(statSync(objectPath(lfs, good)).mode & 0o777).toBe(0o644);
    expect(existsSync(objectPath(lfs, forged))).toBe(false);
    expect(existsSync(objectPath(lfs, link))).toBe(false);
    expect(readFileSync(objectPath(lfs, replaced), 'utf8')).toBe('theirs');
    expect(readdirSync(join(objectPath(lfs, good), '..'))).toEqual([good]);
    expect(readdirSync(drafts)).toEqual(['of-git-lfs']);
    expect(f.warnings.join()).toContain(forged);
  });
});

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function objectPath(lfs: string, id: string): string {
  return join(lfs, 'objects', id.slice(0, 2), id.slice(2, 4), id);
}

function addObject(lfs: string, text: string, id = sha256(text)): string {
  mkdirSync(join(objectPath(lfs, id), '..'), { recursive: true });
  writeFileSync(objectPath(lfs, id), text);
  return id;
}

describe('the refs of the person', () => {
  it('are all where they were after an item came and went', async () => {
    const f = makeFixture();
    const before = refsOf(f);
    const item = await f.item();
    await item.open('s1');
    const { repository, worktree, itemId } = item;
    const removal = { path: worktree.path, branch: worktree.branch, removeBranch: true, itemId, removeBase: true };
    expect(await f.git.removeWorktree(repository, removal)).toEqual({ branchRemoved: true });
    expect(f.person('for-each-ref', '--format=%(refname) %(objectname)')).toBe(before);
    expect(readdirSync(join(f.runDir, 'sandbox-git'))).toEqual([]);
  });
});
