import { readdir, readFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const src = resolve(import.meta.dirname, '../../src');
const folders = (await readdir(src, { withFileTypes: true })).filter((e) => e.isDirectory()).map((e) => e.name);
const files = (await readdir(src, { recursive: true, withFileTypes: true }))
  .filter((e) => e.isFile())
  .map((e) => join(e.parentPath, e.name));

describe('every folder of src', () => {
  it.each(folders)('has a short README that says where to start reading: %s', async (folder) => {
    const readme = await readFile(join(src, folder, 'README.md'), 'utf8');
    expect(readme.split('\n').length).toBeLessThanOrEqual(41);
    const start = /Start reading at `([^`]+\.ts)`/.exec(readme)?.[1] ?? 'no such line';
    expect(await readdir(join(src, folder), { recursive: true })).toContain(start);
  });

  it.each(folders)('is entered through one front door: %s', (folder) => {
    const doors = ['index.ts', ...(folder === 'cli' ? ['main.ts'] : [])].map((name) => join(src, folder, name));
    expect(doors.filter((door) => files.includes(door))).not.toEqual([]);
  });
});

describe('a file of src', () => {
  it('never has a name that says nothing', () => {
    const vague = /^(utils?|helpers?|common|misc|manager|service|types|constants|shared)\.ts$/;
    expect(files.filter((file) => vague.test(basename(file)))).toEqual([]);
  });

  it('has a kebab-case name', () => {
    const odd = files.filter((f) => f.endsWith('.ts') && !/^[a-z0-9]+(-[a-z0-9]+)*\.ts$/.test(basename(f)));
    expect(odd).toEqual([]);
  });
});
