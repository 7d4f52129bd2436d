// Writes what follows from the schemas of configuration and chain files: schemas/*.json for editors, docs/reference/configuration.md.
// With --check it writes nothing and fails when a file differs. Needs Node 24 (it imports the TypeScript sources).
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const { renderConfiguration, renderSchemas } = await import('../src/config/render-reference.ts');
const { chainDocument } = await import('../src/chain/render-reference.ts');

const outputs = {
  ...renderSchemas([chainDocument]),
  'docs/reference/configuration.md': renderConfiguration([chainDocument]),
};
const stale = [];
for (const [path, wanted] of Object.entries(outputs)) {
  const target = join(root, path);
  if ((await readFile(target, 'utf8').catch(() => '')) === wanted) continue;
  stale.push(path);
  if (process.argv.includes('--check')) continue;
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, wanted);
}
const checking = process.argv.includes('--check');
if (stale.length > 0) console.log(`${checking ? 'out of date' : 'wrote'}: ${stale.join(', ')}`);
if (checking && stale.length > 0) {
  console.log('Run `npm run generate` and commit what it writes.');
  process.exitCode = 1;
}
