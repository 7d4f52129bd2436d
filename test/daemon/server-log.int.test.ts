import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
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
