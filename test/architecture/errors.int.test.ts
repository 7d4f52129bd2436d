import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { describeError, type ErrorSpec } from '../../src/base/index.ts';

const root = resolve(import.meta.dirname, '../..');

interface Entry {
  readonly folder: string;
  readonly code: string;
  readonly spec: ErrorSpec<never>;
}

async function textOf(dir: string): Promise<readonly { readonly path: string; readonly text: string }[]> {
  const entries = await readdir(join(root, dir), { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((e) => e.isFile() && e.name.endsWith('.ts')).map((e) => join(e.parentPath, e.name));
  return Promise.all(files.map(async (path) => ({ path, text: await readFile(path, 'utf8') })));
}

/** Every catalogue that a module of src exports; a catalogue is any export with `specs` and `create`. */
async function readCatalogues(): Promise<readonly Entry[]> {
  const declaring = (await textOf('src')).filter(({ text }) => /\bdefineErrors\(\{/.test(text));
  const entries: Entry[] = [];
  for (const { path } of declaring) {
    const exported = Object.values((await import(pathToFileURL(path).href)) as Record<string, unknown>);
    for (const value of new Set(exported)) {
      if (typeof value !== 'object' || value === null || !('specs' in value) || !('create' in value)) continue;
      const folder = path.slice(join(root, 'src/').length).split('/')[0] ?? '';
      for (const [code, spec] of Object.entries(value.specs as Record<string, ErrorSpec<never>>)) {
        entries.push({ folder, code, spec });
      }
    }
  }
  return entries;
}

const entries = await readCatalogues();
const src = await textOf('src');
const tests = [...(await textOf('test')), ...(await textOf('e2e'))].filter(({ path }) => path !== import.meta.filename);

describe('the error catalogues', () => {
  it('are found: base and process are among them', () => {
    expect(entries.map((e) => e.folder)).toEqual(expect.arrayContaining(['base', 'process']));
  });

  it('use each code once in the whole program', () => {
    const codes = entries.map((e) => e.code);
    expect(codes.filter((code, i) => codes.indexOf(code) !== i)).toEqual([]);
  });

  it('write codes in upper snake, without the prefix that printing adds', () => {
    expect(
      entries.map((e) => e.code).filter((c) => !/^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/.test(c) || c.startsWith('KRAFT_')),
    ).toEqual([]);
  });

  it('end every message with a period and give a remedy', () => {
    const faulty = entries.flatMap(({ code, spec }) => {
      const { message, remedy } = describeError(code, spec);
      return [
        ...(/[.>]$/.test(message) && message.length > 10 ? [] : [`${code} says: ${message}`]),
        ...(/[.?`)>]$/.test(remedy) && remedy.length >= 5 ? [] : [`${code} advises: ${remedy}`]),
      ];
    });
    expect(faulty).toEqual([]);
  });

  it('hold no code that nothing raises', () => {
    const idle = entries.filter(({ code }) => !src.some(({ text }) => new RegExp(`['"]${code}['"]`).test(text)));
    expect(idle.map((e) => `${e.folder}: ${e.code}`)).toEqual([]);
  });

  it('hold no code that no test meets', () => {
    const untested = entries.filter(
      ({ code }) => !tests.some(({ text }) => new RegExp(`\\b(KRAFT_)?${code}\\b`).test(text)),
    );
    expect(untested.map((e) => `${e.folder}: ${e.code}`)).toEqual([]);
  });

  it('are the only source of errors thrown on purpose', () => {
    const loose = src.filter(({ text }) => /throw new (Error|RangeError|SyntaxError)\(/.test(text));
    expect(loose.map((f) => f.path)).toEqual([]);
  });
});
