import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const project = resolve(import.meta.dirname, '..', '..');
const agent = join(project, 'images', 'worker', 'demo', 'agent.mjs');
let dir: string;
let repository: string;
let resultPath: string;

const git = (...args: string[]): string =>
  execFileSync('git', args, { cwd: repository, encoding: 'utf8', env: environment() }).trim();

function environment(): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'],
    HOME: dir,
    GIT_AUTHOR_NAME: 'Ada',
    GIT_AUTHOR_EMAIL: 'ada@example.org',
    GIT_COMMITTER_NAME: 'Ada',
    GIT_COMMITTER_EMAIL: 'ada@example.org',
    KRAFT_RESULT_PATH: resultPath,
  };
}

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'kraft-agent-'));
  repository = join(dir, 'sample');
  resultPath = join(dir, 'result.json');
  cpSync(join(project, 'e2e', 'fixtures', 'sample-repo'), repository, { recursive: true });
  git('init', '--quiet');
  git('add', '.');
  git('commit', '--quiet', '-m', 'Start');
});
afterEach(() => {
  rmSync(dir, { recursive: true, force: true });
});

function runAgent(prompt: string): { code: number | null; lines: Record<string, unknown>[]; stdout: string } {
  const ended = spawnSync(process.execPath, [agent, '-p', prompt], {
    cwd: repository,
    env: environment(),
    encoding: 'utf8',
    timeout: 60_000,
  });
  const lines = ended.stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { code: ended.status, lines, stdout: ended.stdout };
}

const readResult = (): Record<string, unknown> =>
  JSON.parse(readFileSync(resultPath, 'utf8')) as Record<string, unknown>;

describe('the demo agent', () => {
  it('finds the fault of the sample repository, commits the mended source and reports done', () => {
    expect(spawnSync(process.execPath, ['--test'], { cwd: repository, env: environment() }).status).toBe(1);
    const { code } = runAgent('# The task\n\nMend it\n\n# The repository\n\n- Tests: `node --test`\n');
    expect(code).toBe(0);
    expect(readResult()['status']).toBe('done');
    expect(git('diff', '--name-only', 'HEAD~1')).toBe('src/price.js');
    expect(git('status', '--porcelain')).toBe('');
    expect(git('log', '-1', '--format=%an')).toBe('Ada');
    expect(spawnSync(process.execPath, ['--test'], { cwd: repository, env: environment() }).status).toBe(0);
  });

  it('reports failed and leaves the sources as they were when no small change mends the tests', () => {
    const { code } = runAgent('# The repository\n\n- Tests: `false`\n');
    expect(code).toBe(0);
    expect(readResult()).toMatchObject({ status: 'failed' });
    expect(git('status', '--porcelain')).toBe('');
    expect(git('rev-list', '--count', 'HEAD')).toBe('1');
  });

  it('follows the directives of the description in their order', () => {
    const { code, lines, stdout } = runAgent(
      [
        'demo: write a/b.txt one\\ntwo',
        'demo: append a/b.txt three',
        'demo: commit Add b',
        'demo: print 100',
        'demo: exit 7',
      ].join('\n'),
    );
    expect(code).toBe(7);
    expect(git('show', 'HEAD:a/b.txt')).toBe('one\ntwo\nthree');
    expect(git('log', '-1', '--format=%s')).toBe('Add b');
    expect(stdout).toContain(`${'x'.repeat(99)}\n`);
    expect(lines.at(-1)).toEqual({ type: 'result', status: 'done' });
    expect(readResult()['status']).toBe('done');
  });

  it('reports failed when a command failed, and what a directive says instead', () => {
    runAgent('demo: sh exit 3');
    expect(readResult()).toMatchObject({ status: 'failed', concerns: expect.stringContaining('3') as unknown });
    runAgent('demo: sh exit 3\ndemo: result needs_context');
    expect(readResult()['status']).toBe('needs_context');
  });

  it('reports what it is told to, and says lines as they are', () => {
    const { stdout } = runAgent(
      'demo: say {"type":"x", "a":1}\ndemo: report {"usage":{"input_tokens":7},"cost_usd":0.5,"model":"m"}\ndemo: report {"verdict":"continue"}',
    );
    expect(stdout).toContain('\n{"type":"x", "a":1}\n');
    expect(readResult()).toMatchObject({
      status: 'done',
      ...{ cost_usd: 0.5, model: 'm', verdict: 'continue' },
      usage: { input_tokens: 7, output_tokens: 0 },
    });
  });

  it('writes no result when it is told not to', () => {
    expect(runAgent('demo: no-result').code).toBe(0);
    expect(existsSync(resultPath)).toBe(false);
  });

  it('waits for a file, and an interrupt ends it with 130 and what it used', async () => {
    const child = spawn(process.execPath, [agent, '-p', 'demo: wait-for go'], { cwd: repository, env: environment() });
    const ended = new Promise<number | null>((done) => child.once('close', done));
    await new Promise<void>((done) => {
      child.stdout.on('data', (chunk: Buffer) => {
        if (chunk.toString().includes('waiting for go')) done();
      });
    });
    child.kill('SIGINT');
    expect(await ended).toBe(130);
    expect(readResult()).toMatchObject({ status: 'failed', usage: { commands: 0 } });
  });

  it('goes on when the file that it waits for appears', async () => {
    const child = spawn(process.execPath, [agent, '-p', 'demo: wait-for go\ndemo: sh rm go'], {
      cwd: repository,
      env: environment(),
    });
    const ended = new Promise<number | null>((done) => child.once('close', done));
    child.stdout.once('data', () => writeFileSync(join(repository, 'go'), ''));
    expect(await ended).toBe(0);
    expect(existsSync(join(repository, 'go'))).toBe(false);
  });
});
