import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../src/base/index.ts';
import { openGit } from '../../src/git/index.ts';
import { containerPaths, makeFixture, refsOf, run } from './fixture.ts';

describe('publishing the branch of an item', () => {
  it('SI-9.11 I1: moves the item branch alone, whatever else the worker moved', async () => {
    const f = makeFixture();
    f.person('tag', 'v1');
    const item = await f.item();
    const before = refsOf(f);
    const { store } = await item.open('s1');
    expect(item.worker(store, 'for-each-ref', '--format=%(refname)').split('\n')).toEqual(
      expect.arrayContaining(['refs/heads/main', 'refs/tags/v1', `refs/heads/${item.worktree.branch}`]),
    );
    const commit = item.commit(store, 'b.txt', 'two\n');
    item.worker(store, 'update-ref', 'refs/heads/main', commit);
    item.worker(store, 'branch', 'other', commit);
    item.worker(store, 'tag', '-d', 'v1');

    const outcome = await item.publish();

    const base = item.worktree.baseCommit;
    expect(outcome).toEqual({ kind: 'published', from: base, to: commit });
    const branch = `refs/heads/${item.worktree.branch}`;
    expect(refsOf(f)).toBe(before.replace(`${branch} ${base}`, `${branch} ${commit}`));
    expect(f.person('show', `${commit}:b.txt`)).toBe('two');
    expect(f.person('for-each-ref', 'refs/kraft', '--format=%(refname)')).toBe('refs/kraft/base/abc23456');
    expect(f.person('reflog', '-1', '--format=%gs', branch)).toBe('kraft: session s1');
    expect(await item.publish()).toEqual({ kind: 'unchanged' });
    expect(f.person('fsck', '--strict')).toBe('');
  });

  it('SI-9.11 I1: a branch moved by the person is not overwritten, the commit is kept and the reason said', async () => {
    const f = makeFixture();
    const item = await f.item();
    const { store } = await item.open('s1');
    const commit = item.commit(store, 'b.txt', 'two\n');
    const theirs = f.person('commit-tree', '-p', 'main', '-m', 'theirs', 'main^{tree}');
    f.person('update-ref', `refs/heads/${item.worktree.branch}`, theirs);

    const outcome = await item.publish();

    expect(outcome).toEqual({
      kind: 'refused',
      reason: `the branch ${item.worktree.branch} was moved in the repository`,
      keptAs: `refs/kraft/unsynced/${item.worktree.branch}`,
    });
    expect(f.person('rev-parse', item.worktree.branch)).toBe(theirs);
    expect(f.person('rev-parse', `refs/kraft/unsynced/${item.worktree.branch}`)).toBe(commit);
    // A second refusal never replaces what was kept by the first.
    const next = item.commit(store, 'b.txt', 'three\n');
    item.worker(store, 'reset', '-q', '--hard', 'HEAD~2');
    const third = item.commit(store, 'c.txt', 'other\n');
    expect(await item.publish()).toMatchObject({
      keptAs: `refs/kraft/unsynced/${item.worktree.branch}-${third.slice(0, 12)}`,
    });
    expect(f.person('rev-parse', `refs/kraft/unsynced/${item.worktree.branch}`)).toBe(commit);
    expect(next).not.toBe(third);
  });

  it('a branch that the person deleted stays deleted, one checked out elsewhere stays where it is', async () => {
    const f = makeFixture();
    const gone = await f.item('gone2345');
    const { store } = await gone.open('s1');
    gone.commit(store, 'b.txt', 'two\n');
    f.person('update-ref', '-d', `refs/heads/${gone.worktree.branch}`);
    expect(await gone.publish()).toMatchObject({
      kind: 'refused',
      reason: expect.stringContaining('was deleted') as string,
    });
    expect(f.person('branch', '--list', gone.worktree.branch)).toBe('');

    const held = await f.item('held2345');
    const second = await held.open('s1');
    held.commit(second.store, 'b.txt', 'two\n');
    f.person('checkout', '-q', '--ignore-other-worktrees', held.worktree.branch);
    expect(await held.publish()).toMatchObject({
      kind: 'refused',
      reason: `the branch ${held.worktree.branch} is checked out at ${f.root}`,
    });
    expect(f.person('rev-parse', 'HEAD')).toBe(held.worktree.baseCommit);
  });

  it('publishes an amended and a rewound branch, since only the compare-and-swap decides', async () => {
    const f = makeFixture();
    const item = await f.item();
    const { store } = await item.open('s1');
    item.commit(store, 'b.txt', 'two\n');
    await item.publish();
    item.worker(store, 'commit', '-q', '--amend', '-m', 'better');
    const amended = item.worker(store, 'rev-parse', 'HEAD');
    expect(await item.publish()).toMatchObject({ kind: 'published', to: amended });
  });

  const bad: readonly (readonly [string, (ref: string, dir: string, commit: string) => void])[] = [
    ['I2 a symbolic ref', (ref) => writeFileSync(ref, 'ref: refs/heads/main\n')],
    ['I2 garbage', (ref) => writeFileSync(ref, 'not a commit\n')],
    ['I2 a second line', (ref, _dir, commit) => writeFileSync(ref, `${commit}\nmore\n`)],
    ['I2 a missing object', (ref) => writeFileSync(ref, `${'1'.repeat(40)}\n`)],
    [
      'I3 a symlinked ref',
      (ref, dir, commit) => {
        writeFileSync(join(dir, 'elsewhere'), `${commit}\n`);
        symlinkSync(join(dir, 'elsewhere'), ref);
      },
    ],
    [
      'I3 a symlinked directory',
      (ref, dir, commit) => {
        const kraft = join(ref, '..');
        mkdirSync(join(dir, 'other'));
        writeFileSync(join(dir, 'other', 'abc23456-work'), `${commit}\n`);
        rmSync(kraft, { recursive: true });
        symlinkSync(join(dir, 'other'), kraft);
      },
    ],
    ['I4 a FIFO', (ref) => execFileSync('mkfifo', [ref])],
    ['a directory', (ref) => mkdirSync(ref)],
    [
      'packed-refs as a FIFO',
      (ref, dir) => {
        rmSync(join(dir, 'packed-refs'));
        execFileSync('mkfifo', [join(dir, 'packed-refs')]);
        expect(existsSync(ref)).toBe(false);
      },
    ],
  ];
  it.each(bad)('SI-9.11 %s is not published and blocks nothing', async (_name, plant) => {
    const f = makeFixture();
    const item = await f.item();
    const { store } = await item.open('s1');
    const ref = join(store.dir, 'refs/heads', item.worktree.branch);
    const commit = item.commit(store, 'b.txt', 'two\n');
    rmSync(ref);
    const before = refsOf(f);
    plant(ref, store.dir, commit);
    expect(await item.publish()).toMatchObject({ kind: 'refused', keptAs: null });
    expect(refsOf(f)).toBe(before);
    expect(f.person('for-each-ref', 'refs/kraft/incoming', 'refs/kraft/unsynced')).toBe('');
  });

  it('refuses a commit whose objects are missing, forged or broken', async () => {
    const f = makeFixture();
    const item = await f.item();
    const { store } = await item.open('s1');
    const commit = item.commit(store, 'b.txt', 'two\n');
    const blob = item.worker(store, 'rev-parse', 'HEAD:b.txt');
    const loose = join(store.dir, 'objects', blob.slice(0, 2), blob.slice(2));
    renameSync(loose, `${loose}.kept`);
    expect(await item.publish()).toMatchObject({ kind: 'refused', keptAs: null });
    // The name of one object, the content of another.
    writeFileSync(loose, readFileSync(join(f.root, '.git/objects', ...splitId(f.person('rev-parse', 'main:README')))));
    expect(await item.publish()).toMatchObject({
      kind: 'refused',
      reason: expect.stringContaining('does not stand the check') as string,
    });
    rmSync(loose);
    symlinkSync(`${loose}.kept`, loose);
    expect(await item.publish()).toMatchObject({ kind: 'refused' });
    rmSync(loose);
    renameSync(`${loose}.kept`, loose);
    expect(await item.publish()).toMatchObject({ kind: 'published', to: commit });
  });

  it('takes packs in without their indexes, and only what the branch needs', async () => {
    const f = makeFixture();
    const item = await f.item();
    const { store } = await item.open('s1');
    const commit = item.commit(store, 'b.txt', 'two\n');
    writeFileSync(join(item.worktree.path, 'stray'), 'stray\n');
    const stray = item.worker(store, 'hash-object', '-w', 'stray');
    item.worker(store, 'repack', '-q', '-a', '-d', '-l');
    const packs = join(store.dir, 'objects/pack');
    const idx = readdirSync(packs).filter((name) => name.endsWith('.idx'));
    expect(idx).toHaveLength(1);
    rmSync(join(packs, idx[0]!));
    writeFileSync(join(packs, idx[0]!), 'forged');
    expect(await item.publish()).toMatchObject({ kind: 'published', to: commit });
    expect(() => f.person('cat-file', '-e', stray)).toThrow();
    expect(f.person('fsck', '--strict')).toBe('');
  });

  it('refuses a damaged pack', async () => {
    const f = makeFixture();
    const item = await f.item();
    const { store } = await item.open('s1');
    item.commit(store, 'b.txt', 'two\n');
    mkdirSync(join(store.dir, 'objects/pack'), { recursive: true });
    writeFileSync(
      join(store.dir, 'objects/pack', `pack-${'a'.repeat(40)}.pack`),
      'PACK\0\0\0\x02\0\0\0\x01 nonsense nonsense nonsense',
    );
    expect(await item.publish()).toMatchObject({
      kind: 'refused',
      reason: expect.stringContaining('damaged') as string,
    });
  });

  it('refuses an object that git calls malformed', async () => {
    const f = makeFixture();
    const item = await f.item();
    const { store } = await item.open('s1');
    const tree = item.worker(store, 'rev-parse', 'HEAD^{tree}');
    writeFileSync(join(item.worktree.path, 'raw'), `tree ${tree}\nauthor broken\ncommitter broken\n\nx\n`);
    const commit = item.worker(store, 'hash-object', '-w', '-t', 'commit', '--literally', 'raw');
    item.worker(store, 'update-ref', 'HEAD', commit);
    expect(await item.publish()).toMatchObject({ kind: 'refused' });
    expect(() => f.person('cat-file', '-e', commit)).toThrow();
  });
});

describe('reusing and rebuilding a store', () => {
  it('SI-9.11 I5: a live co-task keeps its store, one that nobody mounts is rebuilt with the branch of today', async () => {
    const f = makeFixture();
    const item = await f.item();
    const { store } = await item.open('s1');
    item.worker(store, 'branch', 'scratch');
    await item.open('s2', ['s1', 's2']);
    expect(item.worker(store, 'branch', '--list', 'scratch')).toContain('scratch');
    // s1 is over; s2 and s3 see each other alive, but s3 never mounted this store.
    f.person('branch', 'newer');
    await item.open('s4', ['s3', 's4']);
    expect(item.worker(store, 'branch', '--list', 'scratch')).toBe('');
    expect(item.worker(store, 'branch', '--list', 'newer')).toContain('newer');
  });

  it('SI-9.11 I5: publishes first what a crashed session committed', async () => {
    const f = makeFixture();
    const item = await f.item();
    const { store } = await item.open('s1');
    const commit = item.commit(store, 'b.txt', 'two\n');
    const { carried } = await item.open('s2');
    expect(carried).toMatchObject({ kind: 'published', to: commit });
    expect(f.person('rev-parse', item.worktree.branch)).toBe(commit);
    expect(item.worker(store, 'rev-parse', 'HEAD')).toBe(commit);
    expect(item.worker(store, 'status', '--porcelain')).toBe('');
  });

  it('SI-9.11 I5: keeps what a crashed session committed and cannot be published, and starts from the person’s branch', async () => {
    const f = makeFixture();
    const item = await f.item();
    const { store } = await item.open('s1');
    const commit = item.commit(store, 'b.txt', 'two\n');
    const theirs = f.person('commit-tree', '-p', 'main', '-m', 'theirs', 'main^{tree}');
    f.person('update-ref', `refs/heads/${item.worktree.branch}`, theirs);
    const { carried } = await item.open('s2');
    expect(carried).toMatchObject({ kind: 'refused', keptAs: `refs/kraft/unsynced/${item.worktree.branch}` });
    expect(f.person('rev-parse', `refs/kraft/unsynced/${item.worktree.branch}`)).toBe(commit);
    expect(item.worker(store, 'rev-parse', 'HEAD')).toBe(theirs);
    expect(await item.publish('s2')).toEqual({ kind: 'unchanged' });
  });

  it('keeps what a session staged without committing, and frees its stale locks', async () => {
    const f = makeFixture();
    const item = await f.item();
    const { store } = await item.open('s1');
    writeFileSync(join(item.worktree.path, 'staged.txt'), 'staged\n');
    item.worker(store, 'add', 'staged.txt');
    writeFileSync(`${store.dir}.worktree/index.lock`, '');
    await item.open('s2');
    item.worker(store, 'commit', '-q', '-m', 'from the stage');
    expect(await item.publish('s2')).toMatchObject({ kind: 'published' });
    expect(f.person('show', `${item.worktree.branch}:staged.txt`)).toBe('staged');
  });

  it('SI-9.11 I6: a setup command publishes nothing and its store is rebuilt for the first session', async () => {
    const f = makeFixture();
    const item = await f.item();
    const { store } = await item.open(null);
    item.commit(store, 'b.txt', 'by setup\n');
    item.worker(store, 'branch', 'seeded');
    expect(await item.publish('setup')).toEqual({ kind: 'unchanged' });
    const { carried } = await item.open('s1');
    expect(carried).toEqual({ kind: 'unchanged' });
    expect(item.worker(store, 'rev-parse', 'HEAD')).toBe(item.worktree.baseCommit);
    expect(item.worker(store, 'branch', '--list', 'seeded')).toBe('');
    expect(f.person('rev-parse', item.worktree.branch)).toBe(item.worktree.baseCommit);
    // A setup command that runs again uses the store as it is.
    item.commit(store, 'c.txt', 'session\n');
    expect((await item.open(null)).carried).toEqual({ kind: 'unchanged' });
    expect(await item.publish('s1')).toMatchObject({ kind: 'published' });
  });

  it('SI-9.11 I8: publishes for its own item only, keeps its record outside, and discards everything', async () => {
    const f = makeFixture();
    const item = await f.item();
    const { store } = await item.open('s1');
    item.commit(store, 'b.txt', 'two\n');
    const { repository, worktree } = item;
    expect(await f.git.publish({ repository, worktree, itemId: 'other234', sessionId: 's1' })).toEqual({
      kind: 'unchanged',
    });
    expect(store.sidecar.startsWith(`${store.dir}/`)).toBe(false);
    expect(store.mounts.some(({ source }) => store.sidecar === source || store.sidecar.startsWith(`${source}/`))).toBe(
      false,
    );
    await f.git.discardRefStore({ worktreeAdminDir: worktree.adminDir });
    await f.git.discardRefStore({ worktreeAdminDir: worktree.adminDir });
    expect(readdirSync(join(f.runDir, 'sandbox-git'))).toEqual([]);
    expect(await item.publish()).toEqual({ kind: 'unchanged' });
  });

  it('SI-9.1 A11: lets a worker keep submodules in its own admin directory, and carries nothing of them anywhere', async () => {
    const f = makeFixture();
    const item = await f.item();
    const { store } = await item.open('s1');
    const modules = `${store.dir}.worktree/modules/lib`;
    expect(store.mounts.find(({ source }) => source === `${store.dir}.worktree`)).toMatchObject({ readOnly: false });
    run('git', ['init', '-q', '--bare', modules], f.base, f.env);
    const before = readdirSync(modules);
    item.commit(store, 'b.txt', 'two\n');
    expect(await item.publish()).toMatchObject({ kind: 'published' });
    await item.open('s2');
    expect(readdirSync(modules)).toEqual(before);
    expect(existsSync(join(item.worktree.adminDir, 'modules'))).toBe(false);
    expect(existsSync(join(f.root, '.git/modules'))).toBe(false);
  });

  it('touches nothing of a store whose record cannot be read', async () => {
    const f = makeFixture();
    const item = await f.item();
    const { store } = await item.open('s1');
    item.commit(store, 'b.txt', 'two\n');
    const record = readFileSync(store.sidecar, 'utf8');
    writeFileSync(store.sidecar, '{"work_item_id":');
    await expect(item.open('s2')).rejects.toMatchObject({ code: 'KRAFT_REF_STORE_UNREADABLE' });
    await expect(item.publish()).rejects.toMatchObject({ code: 'KRAFT_REF_STORE_UNREADABLE' });
    writeFileSync(store.sidecar, record);
    expect(await item.publish()).toMatchObject({ kind: 'published' });
  });

  it('refuses to mount a store whose mount points a live session replaced', async () => {
    const f = makeFixture();
    const item = await f.item();
    const { store } = await item.open('s1');
    rmSync(join(store.dir, 'worktrees'), { recursive: true });
    symlinkSync('/etc', join(store.dir, 'worktrees'));
    await expect(item.open('s2', ['s1'])).rejects.toMatchObject({ code: 'KRAFT_REF_STORE_DAMAGED' });
    await item.open('s3');
    expect(existsSync(join(store.dir, 'worktrees', 'abc23456'))).toBe(true);
  });

  it('takes two git processes to open a store, so that a launch does not wait for it', async () => {
    const f = makeFixture();
    const item = await f.item();
    const bin = join(f.base, 'bin');
    const calls = join(f.base, 'calls');
    mkdirSync(bin);
    const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
    writeFileSync(join(bin, 'git'), `#!/bin/sh\necho "$1" >>'${calls}'\nexec ${real} "$@"\n`, { mode: 0o755 });
    const env = { ...f.env, PATH: `${bin}:${f.env['PATH'] ?? ''}` };
    const git = openGit({ runDir: f.runDir, env, umask: 0o022, containerPaths, log: silentLog });
    const { repository, worktree, itemId } = item;
    await git.openRefStore({ repository, worktree, itemId, sessionId: 's1', liveSessionIds: [] });
    expect(readFileSync(calls, 'utf8').trim().split('\n')).toEqual(['version', 'config', 'for-each-ref']);
  });

  it('holds concurrent sessions of one worktree to one store', async () => {
    const f = makeFixture();
    const item = await f.item();
    await item.open('s1');
    await Promise.all(['s2', 's3', 's4', 's5'].map((id) => item.open(id, ['s1', 's2', 's3', 's4', 's5'])));
    const { store } = await item.open('s1', ['s2']);
    const record = JSON.parse(readFileSync(store.sidecar, 'utf8')) as { sessions: string[] };
    expect(record.sessions.toSorted()).toEqual(['s1', 's2', 's3', 's4', 's5']);
  });
});

function splitId(id: string): [string, string] {
  return [id.slice(0, 2), id.slice(2)];
}

// SI 1.16
describe('what earlier daemons left', () => {
  it('goes: drafts, scratch directories and stores whose item there is no more; stores of items stay', async () => {
    const f = makeFixture();
    const [item, other] = [await f.item(), await f.item('xyz23456')];
    const [{ store }, { store: orphan }] = [await item.open('s1'), await other.open('s2')];
    const gone = '4194304-0123456789abcdef';
    const left = [`sandbox-git/a.json.${gone}.tmp`, `git-view/${gone}`, `git-quarantine/${gone}`];
    for (const path of left) mkdirSync(join(f.runDir, path, 'x'), { recursive: true });

    expect(await f.git.sweep([item.itemId])).toEqual([]);

    expect(left.filter((path) => existsSync(join(f.runDir, path)))).toEqual([]);
    expect([store, orphan].map(({ dir, sidecar }) => [existsSync(dir), existsSync(sidecar)])).toEqual([
      [true, true],
      [false, false],
    ]);
  });

  it('stays where commits would be lost with it, and is told', async () => {
    const f = makeFixture();
    const item = await f.item();
    const { store } = await item.open('s1');
    item.commit(store, 'b.txt', 'two\n');

    const [problem, ...others] = await f.git.sweep([]);

    expect(others).toEqual([]);
    expect(problem).toContain(`${store.dir} was kept`);
    expect(problem).toContain(item.worktree.branch);
    expect(existsSync(store.sidecar)).toBe(true);
  });
});
