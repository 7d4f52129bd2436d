import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { holdsAgentSession } from '../../src/walk/find-agent-session.ts';

function makeHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'kraft-home-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

test('a file or a folder that is named after the session is found, however its product calls it', async () => {
  const home = makeHome();
  mkdirSync(join(home, '.agent', 'projects', 'x'), { recursive: true });
  expect(await holdsAgentSession(home, 'abc-1')).toBe(false);
  writeFileSync(join(home, '.agent', 'projects', 'x', 'rollout-2026-abc-1.jsonl'), '');
  expect(await holdsAgentSession(home, 'abc-1')).toBe(true);
  mkdirSync(join(home, 'sessions', 'def-2'), { recursive: true });
  expect(await holdsAgentSession(home, 'def-2')).toBe(true);
});

test('an emptied HOME and one that is not there hold nothing', async () => {
  expect(await holdsAgentSession(makeHome(), 'abc-1')).toBe(false);
  expect(await holdsAgentSession('/nonexistent/home', 'abc-1')).toBe(false);
});

test('no link of a worker is followed, and nothing is looked at deeper than a product keeps it', async () => {
  const home = makeHome();
  const outside = makeHome();
  writeFileSync(join(outside, 'abc-1'), '');
  symlinkSync(outside, join(home, 'link'));
  symlinkSync(home, join(home, 'loop'));
  const deep = join(home, ...Array.from({ length: 12 }, () => 'd'));
  mkdirSync(deep, { recursive: true });
  writeFileSync(join(deep, 'abc-1'), '');
  expect(await holdsAgentSession(home, 'abc-1')).toBe(false);
});

test('a folder that cannot be read does not keep the others from being looked at', async () => {
  const home = makeHome();
  mkdirSync(join(home, 'closed'));
  chmodSync(join(home, 'closed'), 0o000);
  onTestFinished(() => chmodSync(join(home, 'closed'), 0o700));
  mkdirSync(join(home, 'open'));
  writeFileSync(join(home, 'open', 'abc-1'), '');
  expect(await holdsAgentSession(home, 'abc-1')).toBe(true);
});
