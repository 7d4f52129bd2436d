// npm run build: compiles src/ to dist/ for publishing and copies what is not TypeScript.

import { chmodSync, cpSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { runOrRefuse } from './setup/commands.mjs';
import { nodeProgram } from './setup/node.mjs';
import { projectDir } from './setup/places.mjs';
import { runMain } from './setup/progress.mjs';

const source = path.join(projectDir, 'src');
const target = path.join(projectDir, 'dist');

/** An import that the compiler left at `.ts` would fail only when a command reaches it. */
function refuseSourceImports() {
  for (const entry of readdirSync(target, { recursive: true, withFileTypes: true })) {
    if (!entry.name.endsWith('.js')) continue;
    const file = path.join(entry.parentPath, entry.name);
    const left = /(?:from|import\()\s*'[^']*\.ts'/.exec(readFileSync(file, 'utf8'));
    if (left !== null) throw new Error(`${path.relative(projectDir, file)} still imports a source: ${left[0]}`);
  }
}

await runMain(async () => {
  rmSync(target, { recursive: true, force: true });
  const compiler = path.join(projectDir, 'node_modules', 'typescript', 'bin', 'tsc');
  await runOrRefuse(nodeProgram(), [compiler, '-p', 'tsconfig.build.json'], {
    cwd: projectDir,
    env: process.env,
    timeoutMs: 300_000,
    show: true,
  });
  // harness and chain files are read from beside the code that reads them
  cpSync(source, target, { recursive: true, filter: (file) => !/\.(ts|md)$/.test(file) });
  chmodSync(path.join(target, 'cli', 'main.js'), 0o755);
  refuseSourceImports();
});
