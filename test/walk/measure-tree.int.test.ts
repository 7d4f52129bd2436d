import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { TreeMeasure } from '../../src/walk/measure-tree.ts';

const mib = 1024 ** 2;

function makeDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'kraft-measure-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

test('a tree counts for what it takes: names of one file once, links not followed, holes not at all', async () => {
  const dir = makeDir();
  const outside = join(makeDir(), 'big');
  writeFileSync(outside, Buffer.alloc(4 * mib, 1));
  mkdirSync(join(dir, 'deep/er'), { recursive: true });
  writeFileSync(join(dir, 'deep/er/file'), Buffer.alloc(mib, 1));
  linkSync(join(dir, 'deep/er/file'), join(dir, 'again'));
  symlinkSync(outside, join(dir, 'link'));
  symlinkSync('..', join(dir, 'deep/up'));
  writeFileSync(join(dir, 'sparse'), '');
  truncateSync(join(dir, 'sparse'), 64 * mib);

  const { bytes, isPartial } = await new TreeMeasure().measure([dir, join(dir, 'gone')]);

  expect(isPartial).toBe(false);
  expect(bytes).toBeGreaterThanOrEqual(mib);
  expect(bytes).toBeLessThan(1.5 * mib);
});

test('a file in two of the measured trees counts once', async () => {
  const [one, other] = [makeDir(), makeDir()];
  writeFileSync(join(one, 'file'), Buffer.alloc(mib, 1));
  linkSync(join(one, 'file'), join(other, 'file'));
  const measure = new TreeMeasure();

  const first = await measure.measure([one]);
  const second = await measure.measure([other]);

  expect(first.bytes).toBeGreaterThanOrEqual(mib);
  expect(second.bytes).toBeLessThan(mib / 2);
});

test('a measure that reaches its bounds ends and says so', async () => {
  const dir = makeDir();
  for (let i = 0; i < 20; i++) writeFileSync(join(dir, String(i)), 'x');

  expect(await new TreeMeasure({ entriesMax: 5, timeoutMs: 60_000 }).measure([dir])).toMatchObject({ isPartial: true });
  expect(await new TreeMeasure({ entriesMax: 5_000, timeoutMs: 0 }).measure([dir])).toMatchObject({ isPartial: true });
});

test('another file system inside the tree is not entered', async () => {
  // On Linux /dev/shm is a file system of its own.
  const dir = mkdtempSync('/dev/shm/kraft-measure-');
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  writeFileSync(join(dir, 'file'), Buffer.alloc(4 * mib, 1));

  expect((await new TreeMeasure().measure(['/dev'])).bytes).toBeLessThan(4 * mib);
  expect((await new TreeMeasure().measure([dir])).bytes).toBeGreaterThanOrEqual(4 * mib);
});
