import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findProgram } from '../../src/process/index.ts';

let dir = '';
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'kraft-find-'));
  await mkdir(join(dir, 'first/folder'), { recursive: true });
  await mkdir(join(dir, 'second'));
  for (const [path, mode] of [
    ['first/plain', 0o644],
    ['second/plain', 0o755],
    ['second/folder', 0o755],
    ['second/tool', 0o755],
  ] as const) {
    await writeFile(join(dir, path), '#!/bin/sh\n');
    await chmod(join(dir, path), mode);
  }
  await symlink(join(dir, 'second/tool'), join(dir, 'first/linked'));
  await symlink(join(dir, 'absent'), join(dir, 'first/dangling'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

describe('finding a program', () => {
  const cases: readonly (readonly [string, string, string | null])[] = [
    ['takes the first executable file on PATH, passing a plain file', 'plain', 'second/plain'],
    ['passes a directory of that name', 'folder', 'second/folder'],
    ['follows a link', 'linked', 'first/linked'],
    ['finds nothing where a link dangles', 'dangling', null],
    ['finds nothing where there is nothing', 'absent', null],
  ];
  it.each(cases)('%s', (_sentence, name, found) => {
    const path = `${join(dir, 'first')}:${join(dir, 'second')}`;
    expect(findProgram(name, path)).toBe(found === null ? null : join(dir, found));
  });

  it('never searches a relative or empty entry, which a repository could fill', () => {
    const before = process.cwd();
    process.chdir(join(dir, 'second'));
    try {
      expect([
        findProgram('tool', '.'),
        findProgram('tool', ''),
        findProgram('tool', ':'),
        findProgram('tool', '../second'),
      ]).toEqual([null, null, null, null]);
    } finally {
      process.chdir(before);
    }
  });

  it('takes an absolute name as it is, if it can be run', () => {
    expect(findProgram(join(dir, 'second/tool'), '')).toBe(join(dir, 'second/tool'));
    expect(findProgram(join(dir, 'first/plain'), '')).toBeNull();
  });

  it('never takes a name that holds a path and is not absolute', () => {
    expect(findProgram('../second/tool', join(dir, 'first'))).toBeNull();
  });
});
