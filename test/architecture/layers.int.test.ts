import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { cruise, type ICruiseOptions, type ICruiseResult, type IFlattenedRuleSet } from 'dependency-cruiser';
import { afterEach, describe, expect, it } from 'vitest';
// @ts-expect-error -- the configuration is plain JavaScript
import importedConfig, { table as importedTable } from '../../.dependency-cruiser.mjs';

const config = importedConfig as IFlattenedRuleSet & { options: ICruiseOptions };
const table = importedTable as { may: Record<string, string[]>; lazily: Record<string, string[]> };
const root = resolve(import.meta.dirname, '../..');
const made: string[] = [];

afterEach(async () => {
  for (const dir of made.splice(0)) await rm(dir, { recursive: true, force: true });
});

async function cruiseTree(baseDir: string): Promise<ICruiseResult> {
  const { options, ...ruleSet } = config;
  const result = await cruise(['src'], { ...options, baseDir, validate: true, ruleSet });
  if (typeof result.output === 'string') throw new TypeError('expected a result object');
  return result.output;
}

/** A tree with one front door per folder of the table, packages that may be imported, and the planted files. */
async function plant(files: Readonly<Record<string, string>>): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'kraft-layers-'));
  made.push(dir);
  const tree: Record<string, string> = {
    'package.json': JSON.stringify({
      name: 'planted',
      type: 'module',
      dependencies: { dockerode: '*', execa: '*', yaml: '*', leven: '*', zod: '*' },
      devDependencies: { vitest: '*', testcontainers: '*', prettier: '*' },
    }),
    'src/index.ts': "export * from './base/index.ts';\n",
  };
  for (const name of ['dockerode', 'execa', 'yaml', 'leven', 'zod', 'vitest', 'testcontainers', 'prettier']) {
    tree[`node_modules/${name}/package.json`] = JSON.stringify({ name, version: '1.0.0', main: 'index.js' });
    tree[`node_modules/${name}/index.js`] = 'module.exports = {};\n';
  }
  for (const [folder, allowed] of Object.entries(table.may)) {
    const imports = allowed.map((to) => `import { ${fn(to)} } from '../${to}/index.ts';`);
    tree[`src/${folder}/index.ts`] =
      `${imports.join('\n')}\nexport const ${fn(folder)} = () => [${allowed.map(fn).join(', ')}];\n`;
  }
  for (const [path, text] of Object.entries({ ...tree, ...files })) {
    await mkdir(dirname(join(dir, path)), { recursive: true });
    await writeFile(join(dir, path), text);
  }
  return dir;
}

const fn = (folder: string): string => `f_${folder.replaceAll('-', '_')}`;

async function brokenRules(files: Readonly<Record<string, string>>): Promise<string[]> {
  const { summary } = await cruiseTree(await plant(files));
  return [...new Set(summary.violations.map((v) => v.rule.name))].sort();
}

describe('the import table', () => {
  it('is kept by every module of src, and every module is seen', { timeout: 60_000 }, async () => {
    const { summary, modules } = await cruiseTree(root);
    const entries = await readdir(join(root, 'src'), { recursive: true, withFileTypes: true });
    const onDisk = entries.filter((e) => e.isFile() && e.name.endsWith('.ts')).length;
    expect(summary.violations.map((v) => `${v.rule.name}: ${v.from} -> ${v.to}`)).toEqual([]);
    expect(modules.filter((m) => m.source.startsWith('src/')).length).toBe(onDisk);
    expect(summary.totalCruised).toBeGreaterThanOrEqual(onDisk);
  });

  it('has a row for every folder of src', async () => {
    const entries = await readdir(join(root, 'src'), { withFileTypes: true });
    expect(
      entries
        .filter((e) => e.isDirectory())
        .map((e) => e.name)
        .filter((name) => !(name in table.may)),
    ).toEqual([]);
    expect(entries.filter((e) => e.isFile() && e.name.endsWith('.ts') && e.name !== 'index.ts')).toEqual([]);
  });

  it('is the one that src/README.md prints', async () => {
    const readme = await readFile(join(root, 'src/README.md'), 'utf8');
    const section = readme.slice(readme.indexOf('## Map and import table'));
    const rows = [...section.matchAll(/^\| ([a-z-]+|index\.ts) \| [^|]+ \| ([^|]+) \|$/gm)]
      .map((m) => [m[1] ?? '', m[2] ?? ''] as const)
      .filter(([folder]) => folder !== 'folder');
    const above: string[] = [];
    const printed: Record<string, string[]> = {};
    for (const [folder, cell] of rows) {
      const [always = ''] = cell.split(';');
      const names = always.includes('everything above') ? [...above] : always.split(',').map((n) => n.trim());
      printed[folder] = names.filter((n) => n !== '–').sort();
      above.push(folder);
    }
    const { 'index.ts': surface, ...folders } = printed;
    expect(folders).toEqual(Object.fromEntries(Object.entries(table.may).map(([k, v]) => [k, [...v].sort()])));
    expect(surface).toEqual(['base', 'compose', 'config', 'events']);
    const cliCell = rows.find(([folder]) => folder === 'cli')?.[1] ?? '';
    for (const name of table.lazily['cli'] ?? []) expect(cliCell.split(';')[1]).toContain(name);
  });
});

describe('a planted fault', () => {
  it('is the only thing that a tree can be refused for: the clean tree passes', async () => {
    expect(await brokenRules({})).toEqual([]);
  });

  const faults: readonly (readonly [string, string, Record<string, string>])[] = [
    ['an upward import', 'layer-base', { 'src/base/a.ts': "import '../git/index.ts';\n" }],
    [
      'an upward import of types alone',
      'layer-config',
      { 'src/config/a.ts': "import type { x } from '../launch/index.ts';\nexport type Y = typeof x;\n" },
    ],
    [
      'an import past the front door',
      'through-the-front-door',
      { 'src/git/a.ts': "import '../refs/decide.ts';\n", 'src/refs/decide.ts': 'export const x = 1;\n' },
    ],
    [
      'a folder without a row',
      'known-folder',
      { 'src/base/a.ts': "import '../helpers/index.ts';\n", 'src/helpers/index.ts': 'export const x = 1;\n' },
    ],
    [
      'a cycle',
      'no-circular',
      {
        'src/git/a.ts': "import { b } from './b.ts';\nexport const a = () => b;\n",
        'src/git/b.ts': "import { a } from './a.ts';\nexport const b = () => a;\n",
      },
    ],
    [
      'the command line loading the composition at its start',
      'layer-cli',
      { 'src/cli/a.ts': "import '../compose/index.ts';\n" },
    ],
    [
      'the command line reaching a part by import()',
      'lazy-cli',
      { 'src/cli/a.ts': "await import('../git/index.ts');\n" },
    ],
    ['the library surface reaching a part', 'surface', { 'src/index.ts': "export * from './git/index.ts';\n" }],
    ['dockerode outside runtime/docker', 'owner-dockerode', { 'src/runtime/a.ts': "import 'dockerode';\n" }],
    ['execa outside process', 'owner-execa', { 'src/git/a.ts': "import 'execa';\n" }],
    ['yaml outside base', 'owner-yaml', { 'src/config/a.ts': "import 'yaml';\n" }],
    ['leven outside base', 'owner-leven', { 'src/config/a.ts': "import 'leven';\n" }],
    ['child_process outside process', 'owner-node-child_process', { 'src/git/a.ts': "import 'node:child_process';\n" }],
    ['sqlite outside store', 'owner-node-sqlite', { 'src/walk/a.ts': "import 'node:sqlite';\n" }],
    ['files read in a pure file', 'pure-files-do-no-io', { 'src/launch/plan.ts': "import 'node:fs';\n" }],
    ['files read in a pure folder', 'pure-files-do-no-io', { 'src/refs/a.ts': "import 'node:fs/promises';\n" }],
    ['the test runner in src', 'owner-vitest', { 'src/git/a.ts': "import 'vitest';\n" }],
    ['a development package in src', 'no-dev-dep', { 'src/git/a.ts': "import 'prettier';\n" }],
  ];

  it.each(faults)('is refused by its own rule: %s', async (_fault, rule, files) => {
    expect(await brokenRules(files)).toContain(rule);
  });

  it('does not touch what the table allows: import() of the composition by the command line', async () => {
    expect(await brokenRules({ 'src/cli/a.ts': "await import('../compose/index.ts');\n" })).toEqual([]);
  });

  it('does not touch a cycle that only import() closes, since nothing is loaded in a circle', async () => {
    expect(
      await brokenRules({
        'src/git/a.ts': "import { b } from './b.ts';\nexport const a = () => b;\n",
        'src/git/b.ts': "export const b = () => import('./a.ts');\n",
      }),
    ).toEqual([]);
  });

  it('does not touch a type that the command line takes from the composition', async () => {
    const text = "import type { f_compose } from '../compose/index.ts';\nexport type F = typeof f_compose;\n";
    expect(await brokenRules({ 'src/cli/a.ts': text })).toEqual([]);
  });
});
