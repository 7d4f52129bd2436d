import { execFile } from 'node:child_process';
import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');

async function markdown(dir: string): Promise<readonly string[]> {
  const entries = await readdir(join(root, dir), { recursive: dir !== '.', withFileTypes: true });
  return entries.filter((e) => e.isFile() && e.name.endsWith('.md')).map((e) => join(e.parentPath, e.name));
}

const pages = (await Promise.all(['.', 'docs', 'src', 'images', 'scripts'].map(markdown))).flat();
const read = (path: string): Promise<string> => readFile(join(root, path), 'utf8');
const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

describe('a page', () => {
  it.each(pages.map((page) => relative(root, page)))('links to nothing that is not there: %s', async (page) => {
    const links = [...(await read(page)).matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map((m) => m[1] ?? '');
    const local = links.filter((link) => !/^[a-z]+:/.test(link));
    const missing = await Promise.all(local.map((link) => exists(resolve(root, dirname(page), link))));
    expect(local.filter((_link, at) => missing[at] === false)).toEqual([]);
  });

  it.each(['README.md', 'docs/security.md', 'docs/walks.md', 'docs/troubleshooting.md', 'CONTRIBUTING.md'])(
    'names no source file that is not there: %s',
    async (page) => {
      const named = [...(await read(page)).matchAll(/`((?:src|test|e2e|scripts)\/[^`*<\s]+)`/g)].map((m) => m[1] ?? '');
      const found = await Promise.all(named.map((path) => exists(join(root, path))));
      expect(named.filter((_path, at) => found[at] === false)).toEqual([]);
    },
  );

  it('names only error codes that a catalogue has', async () => {
    const known = await read('docs/errors.md');
    const codes = new Set([...(await read('docs/troubleshooting.md')).matchAll(/KRAFT_[A-Z0-9_]+/g)].map((m) => m[0]));
    // Names of variables share the prefix.
    for (const name of ['KRAFT_HOME', 'KRAFT_RUN_DIR', 'KRAFT_CONFIG_DIR']) codes.delete(name);
    expect([...codes].filter((code) => !known.includes(`### ${code}\n`))).toEqual([]);
    expect(codes.size).toBeGreaterThan(20);
  });
});

describe('README.md', () => {
  it('stays short', async () => {
    expect((await read('README.md')).split('\n').length).toBeLessThan(200);
  });

  it('shows only verbs that the command has', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [join(root, 'src/cli/main.ts'), '--help']);
    const text = await read('README.md');
    const verbs = [...text.matchAll(/\bkraft ((?:repo|item|view|admin) [a-z]+(?: (?:build|list))?)/g)].map(
      (m) => m[1] ?? '',
    );
    expect(verbs.length).toBeGreaterThan(5);
    expect([...new Set(verbs)].filter((verb) => !stdout.includes(`kraft ${verb}`))).toEqual([]);
  });
});

describe('a promise of the security page', () => {
  it('names a test that is there', async () => {
    const rows = [...(await read('docs/security.md')).matchAll(/^\| (.+) \| `([^`]+\.test\.ts)` "([^"]+)" \|$/gm)];
    expect(rows.length).toBeGreaterThan(15);
    const broken: string[] = [];
    for (const [, promise, file, title] of rows) {
      const text = await read(file ?? '').catch(() => '');
      if (!text.includes(title ?? '')) broken.push(`${promise ?? ''}: ${file ?? ''} has no "${title ?? ''}"`);
    }
    expect(broken).toEqual([]);
  });
});

describe('the page of errors', () => {
  it('is what the catalogues say now', async () => {
    const script = join(root, 'scripts/generate-errors.mjs');
    const { stdout } = await promisify(execFile)(process.execPath, [script, '--check']).catch((error: unknown) => ({
      stdout: String((error as { stdout?: unknown }).stdout ?? error),
    }));
    expect(stdout).toBe('');
  });
});
