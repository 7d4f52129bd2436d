import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openRunner } from '../../src/git/run-git.ts';
import { hostPins } from '../../src/refs/index.ts';
import { makeFixture, makeTrap, run, type Fixture, type Opened } from './fixture.ts';

/** A repository that a worker made inside the worktree, with a commit and whatever configuration is given. */
function plantRepository(
  f: Fixture,
  item: Opened,
  path: string,
  config: Readonly<Record<string, string>> = {},
): string {
  const dir = join(item.worktree.path, path);
  mkdirSync(dir, { recursive: true });
  run('git', ['init', '-q', dir], f.base, f.env);
  const git = (...args: string[]): string =>
    run('git', ['-c', 'user.name=W', '-c', 'user.email=w@x', '-C', dir, ...args], f.base, f.env);
  writeFileSync(join(dir, 'file'), 'planted\n');
  git('add', '.');
  git('commit', '-q', '-m', 'planted');
  for (const [key, value] of Object.entries(config)) git('config', key, value);
  return git('rev-parse', 'HEAD');
}

describe('planted repositories', () => {
  it('SI-9.11 I13: tells nested repositories, gitlinks and plain directories apart', async () => {
    const f = makeFixture();
    f.file('.gitignore', 'ignored/\n');
    f.person('add', '.');
    f.person('commit', '-q', '-m', 'ignore');
    const item = await f.item();
    const { store } = await item.open('s1');
    mkdirSync(join(item.worktree.path, 'plain/dir'), { recursive: true });
    writeFileSync(join(item.worktree.path, 'plain/dir/file'), 'x\n');
    expect(await f.git.findPlanted(item)).toEqual([]);
    plantRepository(f, item, 'nested');
    plantRepository(f, item, 'deep/er/nested');
    plantRepository(f, item, 'ignored/tool');
    // A half-made repository, which git itself would not take for one, inside a tracked directory.
    mkdirSync(join(item.worktree.path, 'src/.git'));
    const commit = plantRepository(f, item, 'linked');
    item.worker(store, 'update-index', '--add', '--cacheinfo', `160000,${commit},linked`);
    item.worker(store, 'update-index', '--add', '--cacheinfo', `160000,${commit},unpopulated`);
    expect(await f.git.findPlanted(item)).toEqual(['deep/er/nested', 'linked', 'nested', 'src', 'unpopulated']);
  });

  it('finds a gitlink that was committed and then taken out of the index', async () => {
    const f = makeFixture();
    const item = await f.item();
    const { store } = await item.open('s1');
    item.worker(store, 'update-index', '--add', '--cacheinfo', `160000,${item.worktree.baseCommit},sub`);
    item.worker(store, 'commit', '-q', '-m', 'gitlink');
    await item.publish();
    item.worker(store, 'rm', '-q', '--cached', 'sub');
    expect(await f.git.findPlanted(item)).toEqual(['sub']);
  });

  it('leaves a gitlink of the base alone while it is unpopulated and unmoved', async () => {
    const f = makeFixture();
    f.person('update-index', '--add', '--cacheinfo', `160000,${f.person('rev-parse', 'HEAD')},vendor`);
    f.person('commit', '-q', '-m', 'submodule');
    const item = await f.item();
    await item.open('s1');
    expect(await f.git.findPlanted(item)).toEqual([]);
    plantRepository(f, item, 'vendor');
    expect(await f.git.findPlanted(item)).toEqual(['vendor']);
  });

  it('looks through no symbolic link', async () => {
    const f = makeFixture();
    const item = await f.item();
    await item.open('s1');
    rmSync(join(item.worktree.path, 'src'), { recursive: true });
    symlinkSync(f.root, join(item.worktree.path, 'src'));
    expect(await f.git.findPlanted(item)).toEqual([]);
  });

  const unreadable: readonly (readonly [string, (index: string) => void])[] = [
    ['corrupt', (index) => writeFileSync(index, 'DIRC nonsense')],
    ['missing', (index) => rmSync(index)],
    [
      'a FIFO',
      (index) => {
        rmSync(index);
        execFileSync('mkfifo', [index]);
      },
    ],
    [
      'a link',
      (index) => {
        rmSync(index);
        symlinkSync('/etc/passwd', index);
      },
    ],
  ];
  it.each(unreadable)('SI-9.11 I13: an index that is %s stops, it never reads as clean', async (_name, spoil) => {
    const f = makeFixture();
    const item = await f.item();
    const { store } = await item.open('s1');
    spoil(`${store.dir}.worktree/index`);
    await expect(f.git.findPlanted(item)).rejects.toMatchObject({ code: 'KRAFT_WORKTREE_UNREADABLE' });
    await expect(f.git.changedPaths(item)).rejects.toMatchObject({ code: 'KRAFT_WORKTREE_UNREADABLE' });
  });
});

describe('what a worker plants never runs on the host', () => {
  it('SI-9.11 I11, PF-G18, PF-G19: nothing of a nested repository, of S or of the worker’s own admin directory', async () => {
    const f = makeFixture();
    const trap = makeTrap(f);
    const included = join(f.base, 'included');
    writeFileSync(included, `[core]\n\tfsmonitor = ${trap.command}\n`);
    const evil = {
      'include.path': included,
      // A missing object would be fetched from here, through a program.
      'remote.origin.url': `ext::${trap.command}`,
      'remote.origin.promisor': 'true',
      'remote.origin.partialCloneFilter': 'blob:none',
      'remote.origin.uploadpack': trap.command,
      'protocol.ext.allow': 'always',
      'diff.evil.command': trap.command,
      'core.fsmonitor': trap.command,
      'core.hooksPath': join(f.base),
      'core.sshCommand': trap.command,
      'filter.evil.clean': trap.command,
      'filter.evil.process': trap.command,
      'filter.evil.smudge': trap.command,
      'diff.external': trap.command,
      'diff.evil.textconv': trap.command,
      'core.alternateRefsCommand': trap.command,
    };
    // The person's own settings would have git go into submodules.
    f.person('config', 'submodule.recurse', 'true');
    f.person('config', 'status.submoduleSummary', 'true');
    f.person('config', 'diff.submodule', 'log');
    const item = await f.item();
    const { store } = await item.open('s1');
    const commit = plantRepository(f, item, 'linked', evil);
    plantRepository(f, item, 'nested', evil);
    appendFileSync(join(item.worktree.path, 'linked/.gitattributes'), '* filter=evil diff=evil\n');
    writeFileSync(
      join(item.worktree.path, '.gitmodules'),
      '[submodule "linked"]\n\tpath = linked\n\turl = x\n\tignore = none\n',
    );
    writeFileSync(join(item.worktree.path, '.gitattributes'), '* filter=evil diff=evil\n');
    item.worker(store, 'update-index', '--add', '--cacheinfo', `160000,${commit},linked`);
    item.worker(store, 'commit', '-q', '-m', 'plant');
    for (const [key, value] of Object.entries(evil)) {
      run('git', ['config', '--file', join(store.dir, 'config'), key, value], f.base, f.env);
      run('git', ['config', '--file', `${store.dir}.worktree/config.worktree`, key, value], f.base, f.env);
      run('git', ['config', '--file', `${store.dir}.worktree/config`, key, value], f.base, f.env);
    }
    for (const dir of [store.dir, `${store.dir}.worktree`]) {
      mkdirSync(join(dir, 'hooks'), { recursive: true });
      for (const hook of ['reference-transaction', 'post-checkout', 'post-index-change']) {
        writeFileSync(join(dir, 'hooks', hook), `#!/bin/sh\nexec ${trap.command}\n`, { mode: 0o755 });
      }
    }
    writeFileSync(join(item.worktree.path, 'linked/file'), 'changed\n');
    writeFileSync(join(item.worktree.path, 'src/a.txt'), 'changed\n');

    expect(await f.git.findPlanted(item)).toEqual(['linked', 'nested']);
    await f.git.changedPaths(item);
    await f.git.checkWorktree(item);
    await item.publish();
    const { repository, worktree } = item;
    await f.git.branchDiff({
      repository,
      branch: worktree.branch,
      baseCommit: worktree.baseCommit,
      format: 'patch',
      ignoreWhitespace: false,
      maxBytes: 1e6,
    });
    await f.git.branchLog({ repository, branch: worktree.branch, baseCommit: worktree.baseCommit });
    await item.open('s2');
    expect(trap.ran()).toBe(false);

    // Control: the same plant does run where git is not held back.
    run('git', ['-C', join(item.worktree.path, 'linked'), 'status', '--porcelain'], f.base, f.env);
    expect(trap.ran()).toBe(true);
    await f.git.removeWorktree(repository, {
      path: worktree.path,
      branch: worktree.branch,
      removeBranch: false,
      itemId: item.itemId,
      removeBase: true,
    });
  });

  it('PF-G18: a redirected commondir or a repointed .git file is not followed', async () => {
    const f = makeFixture();
    const trap = makeTrap(f);
    const item = await f.item();
    const { store } = await item.open('s1');
    const bad = join(item.worktree.path, 'bad');
    run('git', ['init', '-q', '--bare', bad], f.base, f.env);
    run('git', ['-C', bad, 'config', 'core.fsmonitor', trap.command], f.base, f.env);
    writeFileSync(`${store.dir}.worktree/commondir`, `${bad}\n`);
    expect(await f.git.changedPaths(item)).toEqual(expect.arrayContaining(['bad/config']));
    writeFileSync(join(item.worktree.path, '.git'), `gitdir: ${bad}\n`);
    await f.git.changedPaths(item);
    await expect(item.open('s2')).rejects.toMatchObject({ code: 'KRAFT_WORKTREE_LOST' });
    expect(trap.ran()).toBe(false);
  });

  it('ignores what the daemon’s own environment says of git', async () => {
    const f = makeFixture();
    const trap = makeTrap(f);
    const hostile = makeFixture({
      env: {
        GIT_DIR: join(f.root, '.git'),
        GIT_INDEX_FILE: '/nonexistent',
        GIT_EXTERNAL_DIFF: trap.command,
        GIT_CONFIG_COUNT: '1',
        GIT_CONFIG_KEY_0: 'core.fsmonitor',
        GIT_CONFIG_VALUE_0: trap.command,
        GIT_CONFIG_PARAMETERS: `'core.fsmonitor=${trap.command}'`,
        GIT_OBJECT_DIRECTORY: '/nonexistent',
      },
    });
    const probe = await hostile.git.probeRepository(hostile.root);
    expect(probe.repository).toEqual(hostile.repository());
    const item = await hostile.item();
    expect(await hostile.git.changedPaths(item)).toEqual([]);
    expect(trap.ran()).toBe(false);
  });

  it('SI-9.11 I16: git on the host reads the pins exactly, and diff still works', async () => {
    const f = makeFixture();
    const theirs: Readonly<Record<string, string>> = {
      'core.hooksPath': '/hooks',
      'core.fsmonitor': '/bin/false',
      'push.recurseSubmodules': 'on-demand',
      'diff.submodule': 'log',
      'diff.ignoreSubmodules': 'none',
    };
    for (const [key] of hostPins) f.person('config', key, theirs[key] ?? 'true');
    const git = openRunner({
      env: f.env,
      umask: 0o022,
      mark: {},
      log: { info: () => 0, warn: () => 0, error: () => 0 },
    });
    const place = { cwd: f.root, gitDir: join(f.root, '.git'), workTree: f.root };
    for (const [key, value] of hostPins) {
      const text = await git.text({ args: ['config', '--get', key], action: 'read a pin', place });
      expect([key, text.replace(/\n$/u, '')]).toEqual([key, value]);
    }
    f.file('README', 'changed\n');
    expect(await git.text({ args: ['diff', '--stat'], action: 'compare', place })).toContain('README');
  });
});

describe('the state of a worktree', () => {
  it('is right on the item’s branch, and else says what is wrong (SI 2.7)', async () => {
    const f = makeFixture();
    const item = await f.item();
    expect(await f.git.checkWorktree(item)).toBeNull();
    const { store } = await item.open('s1');
    expect(await f.git.checkWorktree(item)).toBeNull();
    item.worker(store, 'checkout', '-q', '-b', 'other');
    expect(await f.git.checkWorktree(item)).toBe(`HEAD is on other instead of ${item.worktree.branch}`);
    item.commit(store, 'src/a.txt', 'theirs\n');
    item.worker(store, 'checkout', '-q', item.worktree.branch);
    item.commit(store, 'src/a.txt', 'ours\n');
    expect(() => item.worker(store, 'merge', '-q', 'other')).toThrow();
    expect(await f.git.checkWorktree(item)).toBe('a merge was left in progress');
    item.worker(store, 'merge', '--abort');
    expect(() => item.worker(store, 'rebase', '-q', 'other')).toThrow();
    expect(await f.git.checkWorktree(item)).toBe('a rebase was left in progress');
    item.worker(store, 'rebase', '--abort');
    rmSync(`${store.dir}.worktree/HEAD`);
    symlinkSync('/etc/passwd', `${store.dir}.worktree/HEAD`);
    expect(await f.git.checkWorktree(item)).toBe('the HEAD of the worktree cannot be read');
  });

  it('lists what differs from the base: committed, staged, changed and new', async () => {
    const f = makeFixture();
    f.file('.gitignore', '*.log\n');
    f.person('add', '.');
    f.person('commit', '-q', '-m', 'ignore');
    const item = await f.item();
    const { store } = await item.open('s1');
    item.commit(store, 'committed.txt', 'x\n');
    await item.publish();
    writeFileSync(join(item.worktree.path, 'staged.txt'), 'x\n');
    item.worker(store, 'add', 'staged.txt');
    writeFileSync(join(item.worktree.path, 'src/a.txt'), 'changed\n');
    writeFileSync(join(item.worktree.path, 'new ümläut\n.txt'), 'x\n');
    writeFileSync(join(item.worktree.path, 'a.log'), 'x\n');
    rmSync(join(item.worktree.path, 'README'));
    chmodSync(join(item.worktree.path, '.gitignore'), 0o755);
    expect(await f.git.changedPaths(item)).toEqual(
      ['.gitignore', 'README', 'committed.txt', 'new ümläut\n.txt', 'src/a.txt', 'staged.txt'].toSorted(),
    );
  });

  it('lists untracked files by name, whatever a worker put into its own git directory', async () => {
    const f = makeFixture();
    f.file('.gitignore', '*.log\n');
    f.person('add', '.');
    f.person('commit', '-q', '-m', 'ignore');
    const item = await f.item();
    const { store } = await item.open('s1');
    writeFileSync(join(item.worktree.path, 'staged.txt'), 'x\n');
    item.worker(store, 'add', 'staged.txt');
    writeFileSync(join(item.worktree.path, 'new ümläut\n.txt'), 'x\n');
    writeFileSync(join(item.worktree.path, 'a.log'), 'x\n');
    mkdirSync(join(item.worktree.path, 'many/deep'), { recursive: true });
    writeFileSync(join(item.worktree.path, 'many/deep/one.txt'), 'x\n');
    mkdirSync(join(item.worktree.path, 'empty'));
    expect(await f.git.listUntracked(item)).toEqual(['many/', 'new ümläut\n.txt']);
  });

  it('PF-G24: a submodule that drifted or is dirty is no change of the item', async () => {
    const f = makeFixture();
    const sub = f.person('rev-parse', 'HEAD');
    f.person('update-index', '--add', '--cacheinfo', `160000,${sub},vendor`);
    f.person('commit', '-q', '-m', 'submodule');
    const item = await f.item();
    await item.open('s1');
    plantRepository(f, item, 'vendor');
    expect(await f.git.changedPaths(item)).toEqual([]);
  });
});
