import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openRepos, type ConnectRequest, type Repos } from '../../src/compose/index.ts';

let dir = '';
let repo = '';
let repos: Repos;

beforeEach(async () => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'kr-')));
  repo = join(dir, 'my-service');
  mkdirSync(repo);
  git('init', '-q', '-b', 'main');
  const variables = { KRAFT_HOME: join(dir, 'kraft'), HOME: dir, PATH: process.env['PATH'] ?? '' };
  repos = await openRepos({ variables, cwd: dir, version: '1', personUmask: 0o022 });
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function git(...args: string[]): string {
  const identity = ['-c', 'user.name=A', '-c', 'user.email=a@example.org'];
  return execFileSync('git', [...identity, ...args], {
    cwd: repo,
    encoding: 'utf8',
    env: { ...process.env, HOME: dir },
  });
}
function commit(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(repo, path)), { recursive: true });
    writeFileSync(join(repo, path), text);
  }
  git('add', '.');
  git('commit', '-q', '-m', 'Change');
}
const connect = (request: Partial<ConnectRequest> = {}) =>
  repos.connect({ path: repo, setupCommand: null, testCommand: null, image: null, openNetwork: false, ...request });
const file = (): string => readFileSync(join(dir, 'kraft', 'config', 'repos.yaml'), 'utf8');
const npm = { 'package.json': '{"scripts":{"test":"node --test"}}', 'package-lock.json': '{}' };

describe('connecting a repository', () => {
  it('writes what its files propose, with Kraft’s worker image', async () => {
    commit(npm);
    const report = await connect();
    expect(report).toMatchObject({
      outcome: 'connected',
      path: repo,
      label: 'my-service',
      readFrom: 'HEAD (main)',
      setup: { command: 'npm ci', origin: 'proposed', marker: 'package-lock.json' },
      test: { command: 'npm test', origin: 'proposed', marker: 'package.json' },
      image: 'localhost/kraft-worker:latest',
    });
    expect(await repos.list()).toMatchObject([{ path: repo, setupCommand: 'npm ci', enabled: true }]);
    expect(git('status', '--porcelain')).toBe('');
  });

  it('puts a task runner before a lockfile and lists what else was found (CC 5.4)', async () => {
    commit({ ...npm, justfile: 'test:\n  npm test\n' });
    const { test } = await connect();
    expect(test).toMatchObject({ command: 'just test', marker: 'justfile' });
    expect(test.alsoFound).toContainEqual({ command: 'npm test', marker: 'package.json' });
  });

  it('reads the commit that items start from, not the working copy', async () => {
    commit({ 'README.md': 'x' });
    writeFileSync(join(repo, 'package.json'), npm['package.json']);
    expect((await connect()).test).toMatchObject({ command: null, origin: 'none' });
  });

  it('reads origin’s default branch when there is one', async () => {
    commit(npm);
    execFileSync('git', ['clone', '-q', repo, join(dir, 'clone')]);
    const report = await connect({ path: join(dir, 'clone') });
    expect(report).toMatchObject({ readFrom: 'origin/main', test: { command: 'npm test' } });
  });

  it('takes the commands and the image that it was given', async () => {
    commit(npm);
    const report = await connect({ setupCommand: '', testCommand: 'make check', image: 'ghcr.io/acme/agent:1' });
    expect(report).toMatchObject({
      setup: { command: '', origin: 'given' },
      test: { command: 'make check', origin: 'given' },
      image: 'ghcr.io/acme/agent:1',
    });
    expect(report.test.alsoFound).toContainEqual({ command: 'npm test', marker: 'package.json' });
  });

  it('declares that there are no tests', async () => {
    commit(npm);
    expect((await connect({ testCommand: '' })).test).toMatchObject({ command: '', origin: 'given' });
    expect((await repos.list())[0]?.tests).toEqual({ kind: 'none' });
  });

  it('says that a repository is connected already and changes nothing that was decided', async () => {
    commit(npm);
    await connect();
    const before = file();
    expect(await connect({ testCommand: 'make check' })).toMatchObject({
      outcome: 'already_connected',
      test: { command: 'npm test', origin: 'kept' },
      warnings: ['repos.yaml decides test_command already (line 2); change it there.'],
    });
    expect(file()).toBe(before);
  });

  it('fills in what was undecided when it is repeated', async () => {
    commit({ 'README.md': 'x' });
    await connect({ testCommand: '' });
    expect(await connect({ setupCommand: 'make deps' })).toMatchObject({
      outcome: 'completed',
      setup: { command: 'make deps', origin: 'given' },
      test: { command: '', origin: 'kept' },
    });
  });

  it('connects the main checkout of a linked worktree, from a subdirectory too', async () => {
    commit({ 'src/x': 'x' });
    git('worktree', 'add', '-q', join(dir, 'linked'));
    expect(await connect({ path: join(dir, 'linked', 'src') })).toMatchObject({
      path: repo,
      namedWorktree: join(dir, 'linked', 'src'),
    });
    expect(await connect({ path: join(repo, 'src') })).toMatchObject({ outcome: 'already_connected', path: repo });
  });

  it('warns that hooks of the repository do not run (PF-G12)', async () => {
    commit({ 'README.md': 'x' });
    git('config', 'core.hooksPath', '.hooks');
    expect((await connect()).warnings.join('\n')).toMatch(/hook/i);
  });

  it.each([
    { what: 'no commit', prepare: () => undefined, code: 'KRAFT_REPOSITORY_EMPTY' },
    {
      what: 'a branch named kraft',
      prepare: () => {
        commit({ a: 'a' });
        git('branch', 'kraft');
      },
      code: 'KRAFT_BRANCH_KRAFT_EXISTS',
    },
    {
      what: 'no working tree',
      prepare: () => {
        rmSync(repo, { recursive: true });
        mkdirSync(repo);
        git('init', '-q', '--bare');
      },
      code: 'KRAFT_REPOSITORY_BARE',
    },
    {
      what: 'no git',
      prepare: () => {
        rmSync(join(repo, '.git'), { recursive: true });
      },
      code: 'KRAFT_NOT_A_REPOSITORY',
    },
  ])('refuses a directory with $what and writes nothing', async ({ prepare, code }) => {
    prepare();
    await expect(connect()).rejects.toMatchObject({ code });
    expect(await repos.list()).toEqual([]);
  });
});

describe('disconnecting a repository', () => {
  it('takes its entry out and leaves the repository alone', async () => {
    commit(npm);
    await connect();
    expect(await repos.disconnect(join(repo))).toEqual({ path: repo, label: 'my-service' });
    expect(await repos.list()).toEqual([]);
  });

  it('takes out an entry whose directory is gone', async () => {
    commit(npm);
    await connect();
    rmSync(repo, { recursive: true });
    expect(await repos.disconnect(repo)).toMatchObject({ path: repo });
  });

  it('names what is not connected', async () => {
    await expect(repos.disconnect(join(dir, 'elsewhere'))).rejects.toMatchObject({ code: 'KRAFT_REPO_UNKNOWN' });
  });
});

describe('the network policy of a new entry', () => {
  /** A program of the person's PATH, which answers a question about itself. */
  function tool(name: string, script: string): void {
    mkdirSync(join(dir, 'bin'), { recursive: true });
    writeFileSync(join(dir, 'bin', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }
  const reopen = async (): Promise<void> => {
    const path = `${join(dir, 'bin')}:/usr/bin:/bin`;
    const variables = { KRAFT_HOME: join(dir, 'kraft'), HOME: dir, PATH: path };
    repos = await openRepos({ variables, cwd: dir, version: '1', personUmask: 0o022 });
  };
  const lock = '{"packages":{"a":{"resolved":"https://npm.example.com/a.tgz"}}}';

  it('holds for the setup command the registry that its tool names, and what its lockfile does', async () => {
    tool('npm', '[ "$*" = "config get registry" ] && echo "https://user:pw@registry.example.org:8443/npm/"');
    await reopen();
    commit({ ...npm, 'package-lock.json': lock });
    const report = await connect();
    expect(report.network).toEqual({
      origin: 'proposed',
      lists: {
        install: { allow: ['registry.example.org:8443', 'npm.example.com'], deny: [] },
        runtime: { allow: [], deny: [] },
      },
      found: [
        { host: 'registry.example.org:8443', why: '`npm config get registry`' },
        { host: 'npm.example.com', why: 'package-lock.json' },
      ],
      notes: [],
    });
    expect(file()).toContain('      network:\n        install:\n          allow:\n');
    expect(file()).toContain('        runtime: {}\n');
  });

  it('adds nothing for a tool that is absent, fails or names no host, and denies all the same', async () => {
    tool('npm', 'echo undefined');
    tool('cargo', 'exit 1');
    await reopen();
    commit(npm);
    const report = await connect({ setupCommand: 'npm ci && uv sync && go mod download' });
    expect(report.network).toMatchObject({ lists: { install: { allow: [] } }, found: [] });
    expect(report.network?.notes).toHaveLength(3);
    expect(file()).toContain('      network:\n        install: {}\n        runtime: {}\n');
  });

  it('asks only the tools that the setup command names, and runs nothing of the repository', async () => {
    tool('npm', `echo asked >> ${join(dir, 'npm-asked')}; echo https://registry.example.org/`);
    tool('yarn', `pwd > ${join(dir, 'yarn-asked')}; echo https://yarn.example.org/`);
    await reopen();
    commit({ ...npm, 'yarn.lock': '' });
    const report = await connect({ setupCommand: 'yarn install' });
    expect(report.network?.lists?.install.allow).toEqual(['yarn.example.org']);
    expect(existsSync(join(dir, 'npm-asked'))).toBe(false);
    expect(readFileSync(join(dir, 'yarn-asked'), 'utf8')).toBe('/\n');
  });

  it('is not written when it is told so, and stays as it stands when connecting is repeated', async () => {
    commit(npm);
    expect((await connect({ openNetwork: true })).network).toMatchObject({ origin: 'given', lists: null });
    expect(file()).not.toContain('network');
    const before = file();
    expect((await connect()).network).toMatchObject({ origin: 'kept', lists: null });
    expect(file()).toBe(before);
  });

  it('is not taken away by a later --open-network', async () => {
    commit(npm);
    await connect();
    expect(await connect({ openNetwork: true })).toMatchObject({
      network: { origin: 'kept', lists: { runtime: { allow: [] } } },
      warnings: ['repos.yaml decides network already (line 2); change it there.'],
    });
  });
});
