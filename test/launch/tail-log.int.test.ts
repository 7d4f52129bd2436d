import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { LogTail } from '../../src/launch/index.ts';

function openTail(): {
  readonly path: string;
  readonly tail: LogTail;
  readonly text: () => string;
  largest: () => number;
} {
  const dir = mkdtempSync(join(tmpdir(), 'kraft-tail-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const path = join(dir, 'log');
  let text = '';
  let largest = 0;
  const tail = new LogTail(path, (chunk) => {
    text += Buffer.from(chunk).toString();
    largest = Math.max(largest, chunk.length);
  });
  return { path, tail, text: () => text, largest: () => largest };
}

test('a log is read as it grows, each byte once', async () => {
  const { path, tail, text } = openTail();
  expect(await tail.readOn()).toBe(false);
  writeFileSync(path, 'one\n');
  expect(await tail.readOn()).toBe(true);
  expect(await tail.readOn()).toBe(false);
  appendFileSync(path, 'two\n');
  await tail.readOn();
  expect(text()).toBe('one\ntwo\n');
});

test('a long log comes in bounded pieces', async () => {
  const { path, tail, text, largest } = openTail();
  const long = `${'x'.repeat(99)}\n`.repeat(20_000);
  writeFileSync(path, long);
  await tail.readOn();
  expect(text()).toBe(long);
  expect(largest()).toBeLessThanOrEqual(256 * 1024);
});

test('what the log cap dropped is passed over, and no line is made of both sides of the hole', async () => {
  const { path, tail, text } = openTail();
  writeFileSync(path, `head-${'\0'.repeat(100)}-tail\n`);
  writeFileSync(`${path}.cap.json`, JSON.stringify({ from: 5, to: 105 }));
  await tail.readOn();
  expect(text()).toBe('head-\n-tail\n');
});

test('a hole that is made where it has read already changes nothing', async () => {
  const { path, tail, text } = openTail();
  writeFileSync(path, 'a'.repeat(10));
  await tail.readOn();
  writeFileSync(`${path}.cap.json`, JSON.stringify({ from: 2, to: 14 }));
  appendFileSync(path, 'bbbbcc');
  await tail.readOn();
  expect(text()).toBe(`${'a'.repeat(10)}\ncc`);
});
