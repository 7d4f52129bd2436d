import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readResult } from '../../src/launch/read-result.ts';

const good = '{"status":"done"}';

function place(): string {
  const dir = mkdtempSync(join(tmpdir(), 'kraft-result-'));
  onTestFinished(() => {
    rmSync(dir, { recursive: true, force: true });
  });
  return join(dir, 'result.json');
}

// CC 6.7, SI 2.9: the worker wrote it.
describe('readResult', () => {
  it('reads a regular file', async () => {
    const path = place();
    writeFileSync(path, good);
    expect(await readResult(path)).toMatchObject({ kind: 'result', result: { status: 'done' } });
  });

  it('finds no result where there is no file', async () => {
    expect(await readResult(place())).toEqual({ kind: 'none' });
  });

  it('follows no link, not even to a good result', async () => {
    const path = place();
    writeFileSync(`${path}.real`, good);
    symlinkSync(`${path}.real`, path);
    expect(await readResult(path)).toEqual({ kind: 'invalid', why: 'the result is a symbolic link' });
  });

  it('does not wait at a pipe that nobody writes', async () => {
    const path = place();
    execFileSync('mkfifo', [path]);
    expect(await readResult(path)).toEqual({ kind: 'invalid', why: 'the result is not a regular file' });
  });

  it('takes no directory', async () => {
    const path = place();
    mkdirSync(path);
    expect(await readResult(path)).toEqual({ kind: 'invalid', why: 'the result is not a regular file' });
  });

  it('reads no more than it takes, however large the file claims to be', async () => {
    const path = place();
    writeFileSync(path, good);
    truncateSync(path, 2 ** 40);
    expect((await readResult(path)).kind).toBe('invalid');
    truncateSync(path, 1024 * 1024);
    expect(await readResult(path)).toEqual({ kind: 'invalid', why: 'the result is not JSON' });
  });
});
