// Kraft's own images, built by the verb that a person uses as well.

import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { run, runOrRefuse } from './commands.mjs';
import { engineEnvironment } from './engines.mjs';
import { nodeProgram } from './node.mjs';
import { projectDir } from './places.mjs';

const BUILD_MS = 30 * 60_000;

const imagesDir = path.join(projectDir, 'images');

/** Names that the tests and the quickstart use on every engine: of every image whose source is here. */
export function ownImageNames() {
  return readdirSync(imagesDir)
    .map((name) => path.join(imagesDir, name, 'image.json'))
    .filter((file) => existsSync(file))
    .map((file) => `${JSON.parse(readFileSync(file, 'utf8')).repository}:latest`);
}

/** Runs `kraft` from the sources with a home of its own that names the engine. */
async function withThrowAwayHome(engine, work) {
  const home = mkdtempSync(path.join(os.tmpdir(), 'kraft-setup-'));
  try {
    mkdirSync(path.join(home, 'config'), { mode: 0o700 });
    writeFileSync(path.join(home, 'config', 'sandbox.yaml'), `cli: ${engine}\n`, { mode: 0o600 });
    const env = { ...engineEnvironment(), KRAFT_HOME: home };
    return await work((args, options) =>
      runOrRefuse(nodeProgram(), [path.join(projectDir, 'src', 'cli', 'main.ts'), ...args], { env, ...options }),
    );
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** Builds what is not there yet on one engine. */
export async function ensureOwnImages({ engine }) {
  await withThrowAwayHome(engine, (kraft) => kraft(['admin', 'images', 'build'], { timeoutMs: BUILD_MS, show: true }));
  return `${engine}: up to date`;
}

/** Whether the engine has an image under each of the names, of whatever content. */
export async function hasOwnImages({ engine }) {
  const env = engineEnvironment();
  const answers = await Promise.all(
    ownImageNames().map((image) => run(engine, ['image', 'inspect', '--format', '{{.Id}}', image], { env })),
  );
  return answers.every((answer) => answer.code === 0);
}
