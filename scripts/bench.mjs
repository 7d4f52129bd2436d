// npm run bench -- NAME: builds what ships and runs bench/NAME.ts on it.

import { existsSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { runOrRefuse } from './setup/commands.mjs';
import { engineEnvironment } from './setup/engines.mjs';
import { ensureNode, nodeProgram } from './setup/node.mjs';
import { projectDir } from './setup/places.mjs';
import { SetupRefusal, runMain } from './setup/progress.mjs';

await runMain(async () => {
  const [name, ...options] = process.argv.slice(2);
  const file = path.join(projectDir, 'bench', `${name ?? ''}.ts`);
  if (name === undefined || !/^[a-z-]+$/.test(name) || !existsSync(file)) {
    throw new SetupRefusal('Name a file of bench/: npm run bench -- cli [--json] [--rounds N]');
  }
  await ensureNode();
  const settings = { cwd: projectDir, env: engineEnvironment(), show: true };
  const quiet = options.includes('--json');
  await runOrRefuse(nodeProgram(), ['scripts/build.mjs'], { ...settings, show: !quiet, timeoutMs: 300_000 });
  await runOrRefuse(nodeProgram(), [file, ...options], { ...settings, timeoutMs: 900_000 });
});
