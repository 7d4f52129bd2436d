import { execFileSync, spawn } from 'node:child_process';
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openServerLog } from '../../src/daemon/index.ts';

const clock = { nowMs: () => 0, monotonicMs: () => 0 };
let dir = '';

beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'kl-'))));
afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe('openServerLog', () => {
  it('writes lines with time and level, safe to print, in their order', async () => {
    const path = join(dir, 'server.log');
    const fd = openSync(path, 'a');
    {
      await using log = openServerLog({ fd, path, maxBytes: 1024, keep: 3, clock });
      log.info('begin');
      log.warn('bad \u001b[2J bytes');
      log.error('end');
    }
    closeSync(fd);
    expect(readFileSync(path, 'utf8')).toBe(
      '1970-01-01T00:00:00.000Z info begin\n1970-01-01T00:00:00.000Z warn bad \\x1b[2J bytes\n1970-01-01T00:00:00.000Z error end\n',
    );
  });

  it('rotates the file that its descriptor leads to and keeps three older ones', async () => {
    const path = join(dir, 'server.log');
    const fd = openSync(path, 'a');
    for (let round = 0; round < 6; round++) {
      await using log = openServerLog({ fd, path, maxBytes: 100, keep: 3, clock });
      log.info(`round ${round} ${'x'.repeat(100)}`);
    }
    {
      await using log = openServerLog({ fd, path, maxBytes: 100, keep: 3, clock });
      log.info('last');
    }
    closeSync(fd);
    expect(readdirSync(dir).sort()).toEqual(['server.log', 'server.log.1', 'server.log.2', 'server.log.3']);
    expect(readFileSync(path, 'utf8')).toMatch(/^\S+ info last\n$/);
    expect(readFileSync(`${path}.1`, 'utf8')).toContain('round 5');
    expect(readFileSync(`${path}.3`, 'utf8')).toContain('round 3');
  });

  it('touches no file when the lines go to a terminal or elsewhere', async () => {
    const path = join(dir, 'server.log');
    const other = openSync(join(dir, 'other'), 'a');
    {
      await using log = openServerLog({ fd: other, path, maxBytes: 1, keep: 3, clock });
      log.info('elsewhere');
    }
    closeSync(other);
    expect(readdirSync(dir)).toEqual(['other']);
  });

  it('outlives a descriptor that cannot be written', async () => {
    const fd = openSync(join(dir, 'read-only'), 'a');
    closeSync(fd);
    const reader = openSync(join(dir, 'read-only'), 'r');
    const log = openServerLog({ fd: reader, path: null, maxBytes: 1, keep: 3, clock });
    log.info('lost');
    await expect(log[Symbol.asyncDispose]()).resolves.toBeUndefined();
    closeSync(reader);
  });
});

/** A pipe with somebody at its other end: who reads it or not is for the test. */
function openPipe(): { readonly reader: number; readonly writer: number } {
  const path = join(dir, 'pipe');
  execFileSync('mkfifo', [path]);
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return { reader, writer: openSync(path, constants.O_WRONLY) };
}

/** What is in the pipe now. */
function readPipe(reader: number): string {
  const bytes = Buffer.alloc(65_536);
  try {
    return bytes.toString('utf8', 0, readSync(reader, bytes));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return '';
    throw error;
  }
}

describe('a pipe that nobody reads', () => {
  it('stalls neither the event loop of the process nor its end', async () => {
    const { reader, writer } = openPipe();
    const program = join(import.meta.dirname, '../support/log-writer.ts');
    const child = spawn(process.execPath, [program, '500', '5000'], { stdio: ['ignore', 'pipe', writer] });
    let told = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (told += text));
    try {
      const code = await new Promise((resolve) => child.once('close', resolve));
      expect(told).toBe('5000 turns of the event loop\nclosed\n');
      expect(code).toBe(0);
      // The pipe is full: lines were written up to there.
      expect(readPipe(reader).length).toBeGreaterThan(32_768);
    } finally {
      child.kill('SIGKILL');
      closeSync(reader);
      closeSync(writer);
    }
  });

  it('costs a bounded number of lines, which are counted and said once it is read again', async () => {
    const { reader, writer } = openPipe();
    const log = openServerLog({ fd: writer, path: null, maxBytes: 1024, keep: 3, clock });
    const logged = 4_000;
    for (let line = 0; line < logged; line++) {
      log.info(`line ${'x'.repeat(1000)}`);
      // Between two turns the log gets to write, so that what it holds is what the pipe does not take.
      if (line % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    let read = '';
    while (!read.includes('dropped')) {
      read += readPipe(reader);
      await new Promise((resolve) => setImmediate(resolve));
    }
    const dropped = Number(/ warn (\d+) log lines were dropped\n/.exec(read)?.[1]);
    const written = read.split('\n').filter((line) => line.includes(' info line ')).length;
    expect(written + dropped).toBe(logged);
    expect(written).toBeLessThan(2_500);
    log.info('again');
    await log[Symbol.asyncDispose]();
    expect(readPipe(reader)).toBe('1970-01-01T00:00:00.000Z info again\n');
    closeSync(reader);
    closeSync(writer);
  });

  it('leaves the pipe as blocking as it was to whoever else writes to it', async () => {
    const { reader, writer } = openPipe();
    {
      await using log = openServerLog({ fd: writer, path: null, maxBytes: 1024, keep: 3, clock });
      log.info('begin');
    }
    const flags = /^flags:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${writer}`, 'utf8'))?.[1];
    expect(parseInt(flags ?? '', 8) & constants.O_NONBLOCK).toBe(0);
    closeSync(reader);
    closeSync(writer);
  });
});

describe('a disk without room for an older file', () => {
  it('costs the older lines and says so: the file stays bounded', async () => {
    const path = join(dir, 'server.log');
    // A directory in the way of the copy fails as a full disk does.
    mkdirSync(join(dir, 'server.log.1', 'x'), { recursive: true });
    const fd = openSync(path, 'a');
    {
      await using log = openServerLog({ fd, path, maxBytes: 100, keep: 1, clock });
      log.info('x'.repeat(200));
    }
    closeSync(fd);
    expect(readFileSync(path, 'utf8')).toBe('1970-01-01T00:00:00.000Z warn older log lines could not be kept\n');
    expect(existsSync(join(dir, 'server.log.1', 'x'))).toBe(true);
  });
});
