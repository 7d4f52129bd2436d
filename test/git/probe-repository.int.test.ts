import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../src/base/index.ts';
import { openGit } from '../../src/git/index.ts';
import { openRunner } from '../../src/git/run-git.ts';
import { containerPaths, makeFixture, run, type Fixture } from './fixture.ts';

const cases: readonly (readonly [string, string, (f: Fixture) => string])[] = [
  ['a path that is not there', 'KRAFT_REPOSITORY_MISSING', (f) => join(f.base, 'moved')],
  ['a directory without git', 'KRAFT_NOT_A_REPOSITORY', (f) => f.base],
  [
    'a bare repository',
    'KRAFT_REPOSITORY_BARE',
    (f) => {
      run('git', ['clone', '-q', '--bare', f.root, join(f.base, 'bare')], f.base, f.env);
      return join(f.base, 'bare');
    },
  ],
  [
    'PF-G04 a linked worktree',
    'KRAFT_REPOSITORY_LINKED_WORKTREE',
    (f) => {
      f.person('worktree', 'add', '-q', '--detach', join(f.base, 'linked'));
      return join(f.base, 'linked');
    },
  ],
  [
    'a repository without a commit',
    'KRAFT_REPOSITORY_EMPTY',
    (f) => {
      run('git', ['init', '-q', join(f.base, 'empty')], f.base, f.env);
      return join(f.base, 'empty');
    },
  ],
  [
    'a branch named kraft',
    'KRAFT_BRANCH_KRAFT_EXISTS',
    (f) => {
      f.person('branch', 'kraft');
      return f.root;
    },
  ],
  [
    'SI-9.11 I7 refs that are no files',
    'KRAFT_REF_STORAGE_UNSUPPORTED',
    (f) => {
      f.person('config', 'core.repositoryFormatVersion', '1');
      f.person('config', 'extensions.refStorage', 'reftable');
      return f.root;
    },
  ],
  [
    'a submodule checkout',
    'KRAFT_REPOSITORY_SUBMODULE',
    (f) => {
      run('git', ['clone', '-q', f.root, join(f.base, 'sub')], f.base, f.env);
      f.person('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', join(f.base, 'sub'), 'sub');
      return join(f.root, 'sub');
    },
  ],
];

const defaultBranches: readonly (readonly [string, (f: Fixture) => void, string | null])[] = [
  ['what is checked out', () => undefined, 'main'],
  ['nothing when HEAD is detached', (f: Fixture) => void f.person('checkout', '-q', '--detach'), null],
  [
    'what an old symbolic link for HEAD leads to',
    (f: Fixture) => {
      rmSync(join(f.root, '.git/HEAD'));
      symlinkSync('refs/heads/main', join(f.root, '.git/HEAD'));
    },
    'main',
  ],
  [
    'origin’s, also when that branch was never fetched',
    (f: Fixture) => void f.person('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/trunk'),
    'trunk',
  ],
];

describe('probing a repository', () => {
  it.each(cases)('tells %s apart, with a remedy', async (_name, code, prepare) => {
    const f = makeFixture();
    const { problem } = await f.git.probeRepository(prepare(f));
    expect(problem?.code).toBe(code);
    expect(problem?.remedy).toMatch(/\.$/u);
  });

  it('finds the parts of a repository from a directory inside it', async () => {
    const f = makeFixture();
    f.person('remote', 'add', 'origin', 'https://ann:s3cret@example.org/r.git');
    const probe = await f.git.probeRepository(join(f.root, 'src'));
    expect(probe).toMatchObject({
      problem: null,
      repository: f.repository(),
      hasCommit: true,
      bare: false,
      linkedWorktreeOf: null,
      originUrl: 'https://example.org/r.git',
      defaultBranch: 'main',
      notes: [],
    });
  });

  it('names the main working tree of a linked worktree', async () => {
    const f = makeFixture();
    f.person('worktree', 'add', '-q', '--detach', join(f.base, 'linked'));
    expect(await f.git.probeRepository(join(f.base, 'linked'))).toMatchObject({ linkedWorktreeOf: f.root });
  });

  it.each(defaultBranches)('takes as default branch %s', async (_name, prepare, branch) => {
    const f = makeFixture();
    prepare(f);
    expect(await f.git.probeRepository(f.root)).toMatchObject({ problem: null, defaultBranch: branch });
  });

  it('PF-G06 PF-G12 PF-G25: notes what will not work in worktrees', async () => {
    const f = makeFixture();
    f.person('config', 'core.hooksPath', '.hooks');
    f.person('config', 'commit.gpgSign', 'true');
    f.file('deep/.gitattributes', '*.bin filter=lfs\n');
    f.file('.gitmodules', '[submodule "x"]\n\tpath = x\n\turl = ../x\n');
    f.person('add', '.');
    f.person('-c', 'commit.gpgSign=false', 'commit', '-q', '-m', 'more');
    const notes = (await f.git.probeRepository(f.root)).notes.join('\n');
    for (const part of ['core.hooksPath', 'gpgSign', 'Git LFS', 'submodules']) expect(notes).toContain(part);
  });

  it.each([
    [
      'a hook of its own',
      (f: Fixture) => writeFileSync(join(f.root, '.git/hooks/pre-commit'), '', { mode: 0o755 }),
      'pre-commit',
    ],
    ['a shared one', (f: Fixture) => f.person('config', 'core.hooksPath', '/other/checkout/.husky'), '/other/checkout'],
  ] as const)('PF-G12 PF-G13: says that hooks do not run: %s', async (_name, prepare, named) => {
    const f = makeFixture();
    expect((await f.git.probeRepository(f.root)).notes).toEqual([]);
    prepare(f);
    const { notes } = await f.git.probeRepository(f.root);
    expect(notes).toEqual([expect.stringContaining('hooks')]);
    expect(notes[0]).toContain(named);
  });

  it('refuses a git that does not know the pins', async () => {
    const f = makeFixture();
    const bin = join(f.base, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'git'), '#!/bin/sh\necho git version 2.30.9\n', { mode: 0o755 });
    const old = openGit({ runDir: f.runDir, env: { PATH: bin }, umask: 0o022, containerPaths, log: silentLog });
    await expect(old.probeRepository(f.root)).rejects.toMatchObject({ code: 'KRAFT_GIT_TOO_OLD' });
    const none = openGit({ runDir: f.runDir, env: { PATH: '' }, umask: 0o022, containerPaths, log: silentLog });
    await expect(none.probeRepository(f.root)).rejects.toMatchObject({ code: 'KRAFT_PROGRAM_MISSING' });
  });
});

describe('a git that hangs', () => {
  it('is ended in time and said to be late, not taken for an answer', async () => {
    const f = makeFixture();
    const bin = join(f.base, 'bin');
    mkdirSync(bin);
    const hangs = '#!/bin/sh\n[ "$1" = version ] && { echo git version 2.50.0; exit; }\nexec sleep 60\n';
    writeFileSync(join(bin, 'git'), hangs, { mode: 0o755 });
    const git = openRunner({ env: { PATH: `${bin}:/usr/bin:/bin` }, umask: 0o022, mark: {}, log: silentLog });
    const place = { cwd: f.root, gitDir: null, workTree: null };
    const late = git.text({ args: ['status'], action: 'answer', place, timeoutMs: 200 });
    await expect(late).rejects.toMatchObject({
      code: 'KRAFT_GIT_TIMED_OUT',
      message: 'git did not answer within 0.2 s.',
    });
  });
});

describe('reading commits', () => {
  it('lists files with sizes and reads text within a bound', async () => {
    const f = makeFixture();
    writeFileSync(join(f.root, 'binary'), Buffer.from([0, 1, 2]));
    f.file('odd name\n.txt', 'x');
    f.person('add', '.');
    f.person('commit', '-q', '-m', 'more');
    const repository = f.repository();
    expect(await f.git.listTree(repository, 'HEAD')).toContainEqual({ path: 'odd name\n.txt', sizeBytes: 1 });
    expect(await f.git.readBlob(repository, 'HEAD', 'README', 6)).toBe('hello\n');
    expect(await f.git.readBlob(repository, 'HEAD', 'README', 5)).toBeNull();
    expect(await f.git.readBlob(repository, 'HEAD', 'binary', 100)).toBeNull();
    expect(await f.git.readBlob(repository, 'HEAD', 'src', 100)).toBeNull();
    expect(await f.git.readBlob(repository, 'HEAD', 'absent', 100)).toBeNull();
  });

  it('shows log and diff of the branch without running a program of the configuration', async () => {
    const f = makeFixture();
    const item = await f.item();
    const { store } = await item.open('s1');
    const commit = item.commit(store, 'b.txt', 'two\n');
    await item.publish();
    f.person('config', 'log.showSignature', 'true');
    f.person('config', 'diff.external', '/bin/false');
    f.person('config', 'diff.noprefix', 'true');
    f.person('config', 'color.ui', 'always');
    const { branch, baseCommit } = item.worktree;
    const { repository } = item;
    const log = await f.git.branchLog({ repository, branch, baseCommit });
    expect(log).toEqual([
      { commit, subject: 'change b.txt', author: 'Worker', at: expect.stringMatching(/^\d{4}-.*\.000Z$/u) as string },
    ]);
    const diff = (format: 'patch' | 'stat' | 'name-only', maxBytes: number): ReturnType<typeof f.git.branchDiff> =>
      f.git.branchDiff({ repository, branch, baseCommit, format, ignoreWhitespace: false, maxBytes });
    expect(await diff('name-only', 1000)).toEqual({ text: 'b.txt\n', truncated: false });
    expect((await diff('patch', 10_000)).text).toContain('+++ b/b.txt\n@@ -0,0 +1 @@\n+two\n');
    expect(await diff('patch', 20)).toMatchObject({ truncated: true });
    expect((await diff('stat', 1000)).text).toContain('1 file changed');
    const blank = item.commit(store, 'b.txt', '  two  \n');
    await item.publish();
    const since = { repository, branch, baseCommit: commit, format: 'patch', maxBytes: 1000 } as const;
    expect((await f.git.branchDiff({ ...since, ignoreWhitespace: false })).text).toContain('+  two  ');
    expect(await f.git.branchDiff({ ...since, ignoreWhitespace: true })).toEqual({ text: '', truncated: false });
    expect(blank).not.toBe(commit);
    expect(readFileSync(join(f.root, 'README'), 'utf8')).toBe('hello\n');
  });
});
