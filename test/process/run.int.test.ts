import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { identify, run, runRequest } from '../../src/process/index.ts';

let dir = '';
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'kraft-run-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const PATH = '/usr/bin:/bin';
const sh = (script: string, overrides: Parameters<typeof runRequest>[3] = {}): ReturnType<typeof run> =>
  run(runRequest('/bin/sh', ['-c', script], { PATH }, overrides));

describe('running a program', () => {
  it('gives exit code and both streams; a failure is a result, not an error', async () => {
    const done = await sh('echo out; echo err >&2; exit 3');
    expect(done).toMatchObject({
      exitCode: 3,
      signal: null,
      stdout: 'out\n',
      stderr: 'err\n',
      timedOut: false,
      notFound: false,
    });
  });

  it('inherits nothing of the environment', async () => {
    process.env['KRAFT_TEST_LEAK'] = 'leaked';
    try {
      const done = await run(runRequest('/usr/bin/env', [], { ONLY: 'this' }));
      expect(done.stdout).toBe('ONLY=this\n');
    } finally {
      delete process.env['KRAFT_TEST_LEAK'];
    }
  });

  it('passes arguments as they are: no shell reads them', async () => {
    const odd = ['$(id)', '`id`', 'a b', '*', "'", '--', ''];
    const done = await run(runRequest('/usr/bin/printf', ['%s|', ...odd], { PATH }));
    expect(done.stdout).toBe(`${odd.join('|')}|`);
  });

  it('ends a program that takes too long and says so', async () => {
    const done = await sh('echo started; exec sleep 60', { timeoutMs: 300 });
    expect(done).toMatchObject({ timedOut: true, exitCode: null, signal: 'SIGTERM', stdout: 'started\n' });
  });

  it('kills a program that ignores the request to end', async () => {
    const done = await sh('trap "" TERM; echo started; while :; do sleep 0.1; done', { timeoutMs: 300 });
    expect(done).toMatchObject({ timedOut: true, exitCode: null, signal: 'SIGKILL' });
  });

  it('caps what a program may print, and says that it was cut', async () => {
    const done = await sh('yes', { outputMaxBytes: 10_000, timeoutMs: 15_000 });
    expect(done.truncated).toBe(true);
    expect(done.stdout.length).toBeLessThanOrEqual(10_000);
    expect(done.timedOut).toBe(false);
  });

  it('says that a program, its right to be run or its directory is missing', async () => {
    const plain = join(dir, 'plain');
    await writeFile(plain, 'text');
    await chmod(plain, 0o644);
    const missing = await run(runRequest(join(dir, 'absent'), [], { PATH }));
    const denied = await run(runRequest(plain, [], { PATH }));
    const nowhere = await sh('true', { cwd: join(dir, 'gone') });
    const underFile = await run(runRequest(join(plain, 'x'), [], { PATH }));
    expect([missing, denied, nowhere, underFile].map((d) => [d.notFound, d.exitCode])).toEqual([
      [true, null],
      [true, null],
      [true, null],
      [true, null],
    ]);
  });

  it('looks a bare name up on the given PATH alone', async () => {
    const tool = join(dir, 'only-here');
    await writeFile(tool, '#!/bin/sh\necho found\n');
    await chmod(tool, 0o755);
    const found = await run(runRequest('only-here', [], { PATH: `${dir}:/usr/bin:/bin` }));
    const lost = await run(runRequest('only-here', [], { PATH }));
    expect([found.stdout, lost.notFound]).toEqual(['found\n', true]);
  });

  it('gives standard input, or an empty one', async () => {
    const fed = await run(runRequest('/bin/cat', [], { PATH }, { input: 'words' }));
    const empty = await run(runRequest('/bin/cat', [], { PATH }));
    expect([fed.stdout, empty.stdout, empty.exitCode]).toEqual(['words', '', 0]);
  });

  it('hands on output while the program runs', async () => {
    const chunks: string[] = [];
    await sh('echo one; echo two >&2', { onOutput: (chunk) => chunks.push(chunk) });
    expect(chunks.join('')).toContain('one\n');
    expect(chunks.join('')).toContain('two\n');
  });

  it('can be ended early', async () => {
    const abort = new AbortController();
    const done = await sh('echo $$; exec sleep 60', { abort: abort.signal, onOutput: () => abort.abort() });
    expect(done.exitCode).toBeNull();
    expect(identify(Number(done.stdout.trim()))).toBeNull();
  });
});
