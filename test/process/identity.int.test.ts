import { spawn } from 'node:child_process';
import { copyFile, chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { identify, isAlive } from '../../src/process/index.ts';

describe('the identity of a process', () => {
  it('is its pid, the boot and its start, the same at each asking', () => {
    const own = identify(process.pid);
    expect(own).toMatchObject({ pid: process.pid });
    expect(own?.bootId).toMatch(/^[0-9a-f-]{36}$/);
    expect(own?.startTicks).toMatch(/^[0-9]+$/);
    expect(identify(process.pid)).toEqual(own);
    expect(own !== null && isAlive(own)).toBe(true);
  });

  it('is read rightly from a process whose name holds spaces and parentheses', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'kraft-identity-'));
    const odd = join(dir, 'a) S 1 (b');
    await copyFile('/bin/sleep', odd);
    await chmod(odd, 0o755);
    const child = spawn(odd, ['60'], { stdio: 'ignore' });
    try {
      await new Promise((ready) => child.once('spawn', ready));
      const identity = identify(child.pid ?? 0);
      const plain = identify(process.pid);
      expect(Number(identity?.startTicks)).toBeGreaterThanOrEqual(Number(plain?.startTicks));
    } finally {
      const gone = new Promise((ended) => child.once('exit', ended));
      child.kill('SIGKILL');
      await gone;
      await rm(dir, { recursive: true, force: true });
    }
  });

  it('is nothing for a process that is gone or only a zombie', async () => {
    // The shell execs into sleep without waiting for its own child, which thus stays a zombie.
    const child = spawn('/bin/sh', ['-c', 'true & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] });
    const zombie = await new Promise<number>((found) =>
      child.stdout.once('data', (chunk: Buffer) => found(Number(chunk.toString().trim()))),
    );
    for (const end = Date.now() + 10_000; identify(zombie) !== null && Date.now() < end;) {
      await new Promise((next) => setTimeout(next, 20));
    }
    expect(identify(zombie)).toBeNull();
    const gone = new Promise((ended) => child.once('exit', ended));
    child.kill('SIGKILL');
    await gone;
    expect(identify(child.pid ?? 0)).toBeNull();
  });
});
