import { spawn } from 'node:child_process';
import { chmod, readFile, readdir, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { KraftError, hasCode } from '../../src/base/index.ts';
import { addRepo, fillRepo, loadRepos, removeRepo, type HomePaths, type RepoFill } from '../../src/config/index.ts';
import { holdLock } from '../../src/config/lock.ts';
import { makeHome } from './repos-file.ts';

const index = resolve(import.meta.dirname, '../../src/config/index.ts');
const written = `# top
repos:
  # first
  - path: /x # main
    name: 'x'
    zzz_far_key: {a: [1]} # kept
    setup_command: null # todo
    env:
      A: "b: c"

  # second
  - {path: /y, name: why}
# tail
`;

const nothing: RepoFill = {
  name: null,
  forge: null,
  project: null,
  setupCommand: null,
  testCommand: null,
  testScopes: null,
  sandbox: null,
};

const file = (paths: HomePaths): string => join(paths.config, 'repos.yaml');
const textOf = (paths: HomePaths): Promise<string> => readFile(file(paths), 'utf8');

/** Runs a module in a process of its own; answers its exit code, or the signal that ended it. */
async function run(code: string, paths: HomePaths): Promise<number | string> {
  const prelude = `const paths = ${JSON.stringify(paths)}; const index = ${JSON.stringify(index)};`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', `${prelude}\n${code}`], { stdio: 'inherit' });
  const [exitCode, signal] = (await once(child, 'exit')) as [number | null, string | null];
  return exitCode ?? signal ?? 'unknown';
}

async function failure(work: Promise<unknown>): Promise<KraftError> {
  const error: unknown = await work.then(
    () => null,
    (e: unknown) => e,
  );
  if (error instanceof KraftError) return error;
  throw new Error(`no KraftError but ${String(error)}`);
}

describe('saving repos.yaml', () => {
  it('keeps comments, order and unknown keys of what it does not touch', async () => {
    const paths = await makeHome({ 'repos.yaml': written });
    await addRepo(paths, { path: '/z/', setup_command: 'npm ci', sandbox: { kind: 'docker', image: 'i:1' } });
    expect(await textOf(paths)).toBe(
      written.replace(
        '# tail\n',
        '  - path: /z\n    setup_command: npm ci\n    sandbox:\n      kind: docker\n      image: i:1\n\n# tail\n',
      ),
    );
    await removeRepo(paths, '/z');
    await removeRepo(paths, '/y');
    const text = await textOf(paths);
    for (const kept of [
      '# top',
      '# first',
      '# main',
      "name: 'x'",
      'zzz_far_key: {a: [1]} # kept',
      '# todo',
      'A: "b: c"',
      '# tail',
    ]) {
      expect(text).toContain(kept);
    }
    expect(text).not.toContain('why');
  });

  it('fills only what was undecided, and writes nothing when nothing was', async () => {
    const paths = await makeHome({ 'repos.yaml': written });
    const fill = {
      ...nothing,
      name: 'other',
      setupCommand: 'make deps',
      testCommand: 'make test',
      sandbox: { image: 'i:1', network: { install: { allow: ['r.example'] }, runtime: {} } },
    };
    const { filled, repo } = await fillRepo(paths, '/x', fill);
    expect(filled).toEqual(['setup_command', 'test_command', 'sandbox']);
    expect(repo).toMatchObject({
      label: 'x',
      setupCommand: 'make deps',
      sandbox: { image: 'i:1', network: { install: { allow: ['r.example'] } } },
    });
    const before = await stat(file(paths), { bigint: true });
    expect((await fillRepo(paths, '/x', fill)).filled).toEqual([]);
    expect((await stat(file(paths), { bigint: true })).ino).toBe(before.ino);
  });

  it.each([
    ['sandbox: false', 'sandbox'],
    ['policy: {sandbox: {kind: docker, image: p}}', 'sandbox'],
    ['test_command: ""', 'test_command'],
    ['test_scopes: [{paths: [a], command: b}]', 'test_command'],
    ['setup_command: ""', 'setup_command'],
  ])('does not decide anew what %s decided', async (line, key) => {
    const paths = await makeHome({ 'repos.yaml': `repos:\n  - path: /x\n    ${line}\n` });
    const { filled } = await fillRepo(paths, '/x', {
      ...nothing,
      setupCommand: 's',
      testCommand: 't',
      sandbox: { image: 'i', network: null },
    });
    expect(filled).not.toContain(key);
    expect(await textOf(paths)).toContain(line);
  });

  it('makes the file and its directory for the owner alone, and keeps the mode of a file that exists', async () => {
    const paths = await makeHome({});
    await addRepo(paths, { path: '/a' });
    expect((await stat(file(paths))).mode & 0o777).toBe(0o600);
    expect((await stat(paths.config)).mode & 0o777).toBe(0o700);
    await chmod(file(paths), 0o640);
    await addRepo(paths, { path: '/b' });
    expect((await stat(file(paths))).mode & 0o777).toBe(0o640);
    expect(await readdir(paths.config)).toEqual(['repos.yaml']);
  });

  it('writes through a link that a person made', async () => {
    const paths = await makeHome({ 'repos.yaml': written });
    await rename(file(paths), join(paths.home, 'mine.yaml'));
    await symlink(join(paths.home, 'mine.yaml'), file(paths));
    await addRepo(paths, { path: '/z' });
    expect(await readFile(join(paths.home, 'mine.yaml'), 'utf8')).toContain('path: /z');
  });

  it('saves nothing that would not load again', async () => {
    const paths = await makeHome({ 'repos.yaml': written });
    const error = await failure(addRepo(paths, { path: '/z', sandbox: { kind: 'docker', image: '--privileged' } }));
    expect(error.code).toBe('KRAFT_CONFIG_SAVE_REFUSED');
    expect(error.message).toContain('image reference');
    expect(await textOf(paths)).toBe(written);
  });

  it('refuses to disconnect what a workspace names', async () => {
    const paths = await makeHome({ 'repos.yaml': 'repos:\n  - {path: /a, id: a}\nworkspaces:\n  w: {root: a}\n' });
    expect((await failure(removeRepo(paths, '/a'))).message).toContain('workspaces.w.root');
  });

  it('touches nothing of a file that does not load', async () => {
    const paths = await makeHome({ 'repos.yaml': 'repos: {}\n' });
    expect((await failure(addRepo(paths, { path: '/a' }))).code).toBe('KRAFT_CONFIG_WRONG_TYPE');
    expect(await textOf(paths)).toBe('repos: {}\n');
  });

  it('names what is connected already, and what is not', async () => {
    const paths = await makeHome({ 'repos.yaml': written });
    expect(await failure(addRepo(paths, { path: '/x/../x/' }))).toMatchObject({ code: 'KRAFT_REPO_ALREADY_CONNECTED' });
    expect(await failure(removeRepo(paths, '/nowhere'))).toMatchObject({ code: 'KRAFT_REPO_ENTRY_UNKNOWN' });
  });

  it('says why a file could not be written, and leaves the old one', async () => {
    const paths = await makeHome({ 'repos.yaml': written });
    const code = `
      import fs from 'node:fs/promises'; import { syncBuiltinESMExports } from 'node:module';
      fs.rename = async () => { throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC', syscall: 'rename' }); };
      syncBuiltinESMExports();
      const { addRepo } = await import(index);
      const error = await addRepo(paths, { path: '/z' }).catch((e) => e);
      process.exitCode = error.code === 'KRAFT_CONFIG_WRITE_FAILED' ? 7 : 1;`;
    expect(await run(code, paths)).toBe(7);
    expect(await textOf(paths)).toBe(written);
    expect(await readdir(paths.config)).toEqual(['repos.yaml']);
  });
});

describe('two writers at once', () => {
  it('lose nothing of each other', async () => {
    const paths = await makeHome({ 'repos.yaml': written });
    const add = (name: string): string =>
      `const { addRepo } = await import(index); for (let i = 0; i < 8; i++) await addRepo(paths, { path: '/${name}/' + i });`;
    const here = (async () => {
      for (let i = 0; i < 8; i++) await addRepo(paths, { path: `/here/${i}` });
    })();
    expect(await Promise.all([run(add('one'), paths), run(add('two'), paths), here])).toEqual([0, 0, undefined]);
    const { repos } = await loadRepos(paths);
    expect(repos).toHaveLength(26);
    expect(await readdir(paths.config)).toEqual(['repos.yaml']);
  });

  it('notice an editor that does not know the lock', async () => {
    const paths = await makeHome({ 'repos.yaml': written });
    // The editor saves while the candidate is being made durable.
    const code = `
      import fs from 'node:fs/promises'; import { syncBuiltinESMExports } from 'node:module';
      const stat = fs.stat; let saved = false;
      fs.stat = async (path) => {
        if (!saved && path.endsWith('repos.yaml')) { saved = true; await fs.appendFile(path, '# edited meanwhile\\n'); }
        return stat(path);
      };
      syncBuiltinESMExports();
      const { addRepo } = await import(index);
      await addRepo(paths, { path: '/z' });`;
    expect(await run(code, paths)).toBe(0);
    const text = await textOf(paths);
    expect(text).toContain('# edited meanwhile');
    expect(text).toContain('path: /z');
  });

  it('are told who holds the lock when it is not freed', async () => {
    const paths = await makeHome({ 'repos.yaml': written });
    const lock = { path: join(paths.config, '.repos.yaml.lock'), label: 'repos.yaml', waitMs: 60 };
    const error = await holdLock(lock, () => failure(holdLock(lock, () => Promise.resolve())));
    expect(error).toMatchObject({ code: 'KRAFT_CONFIG_LOCKED' });
    expect(error.message).toContain(`process ${process.pid}`);
    expect(error.remedy).toContain(lock.path);
  });
});

describe('a writer that is killed', () => {
  const killed = (call: string): string => `
    import fs from 'node:fs/promises'; import { syncBuiltinESMExports } from 'node:module';
    fs.${call} = () => { process.kill(process.pid, 'SIGKILL'); return new Promise(() => {}); };
    syncBuiltinESMExports();
    const { addRepo } = await import(index);
    await addRepo(paths, { path: '/z' });`;

  it('before the rename leaves the old file, and the next writer goes on and clears up', async () => {
    const paths = await makeHome({ 'repos.yaml': written });
    expect(await run(killed('rename'), paths)).toBe('SIGKILL');
    expect(await textOf(paths)).toBe(written);
    expect((await readdir(paths.config)).filter((name) => name.endsWith('.tmp'))).toHaveLength(1);
    await addRepo(paths, { path: '/next' });
    expect((await loadRepos(paths)).repos.map((repo) => repo.path)).toEqual(['/x', '/y', '/next']);
    expect((await readdir(paths.config)).filter((name) => name.endsWith('.tmp') || name.endsWith('.lock'))).toEqual([]);
  });

  it('lets several writers that wait for its lock go on one after the other', async () => {
    const paths = await makeHome({ 'repos.yaml': written });
    await run(killed('rename'), paths);
    await Promise.all([1, 2, 3, 4, 5].map((n) => addRepo(paths, { path: `/n${n}` })));
    expect((await loadRepos(paths)).repos).toHaveLength(7);
  });

  it('of another machine is never judged', async () => {
    const paths = await makeHome({ 'repos.yaml': written });
    const lock = { path: join(paths.config, '.repos.yaml.lock'), label: 'repos.yaml', waitMs: 60 };
    await writeFile(
      lock.path,
      JSON.stringify({ host: 'elsewhere', boot: 'b', pidNamespace: '', pid: 1, startTicks: '1' }),
    );
    const error = await failure(holdLock(lock, () => Promise.resolve()));
    expect(hasCode(error, 'CONFIG_LOCKED')).toBe(true);
    expect(error.message).toContain('on elsewhere');
  });
});
