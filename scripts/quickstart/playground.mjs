// The throw-away folder of one quickstart: a Kraft home and a sample repository.

import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { runOrRefuse } from '../setup/commands.mjs';
import { projectDir, readJson, toolsDir, writeAtomic } from '../setup/places.mjs';
import { step } from '../setup/progress.mjs';

const lastFile = path.join(toolsDir, 'quickstart.json');
const prefix = path.join(os.tmpdir(), 'kraft-quickstart-');

/** Removes what the last quickstart made, unless it was to be kept. */
function removeLastPlayground() {
  const last = readJson(lastFile);
  if (last !== null && !last.keep && last.directory.startsWith(prefix))
    rmSync(last.directory, { recursive: true, force: true });
  rmSync(lastFile, { force: true });
}

async function makeRepository(repository) {
  cpSync(path.join(projectDir, 'e2e', 'fixtures', 'sample-repo'), repository, { recursive: true });
  const git = (...args) => runOrRefuse('git', ['-C', repository, ...args]);
  await git('-c', 'init.defaultBranch=main', 'init', '--quiet');
  await git('config', 'user.name', 'Quickstart');
  await git('config', 'user.email', 'quickstart@localhost');
  await git('add', '.');
  await git('-c', 'commit.gpgSign=false', 'commit', '--quiet', '--message', 'Add a basket with a failing test');
}

/** @returns {Promise<{directory: string, home: string, repository: string}>} */
export function makePlayground({ engine, keep }) {
  let playground;
  return step('A throw-away home and a sample repository', async () => {
    removeLastPlayground();
    const directory = mkdtempSync(prefix);
    writeAtomic(lastFile, JSON.stringify({ directory, keep }));
    playground = { directory, home: path.join(directory, 'home'), repository: path.join(directory, 'basket') };
    mkdirSync(path.join(playground.home, 'config'), { recursive: true, mode: 0o700 });
    writeFileSync(path.join(playground.home, 'config', 'sandbox.yaml'), `cli: ${engine}\n`, { mode: 0o600 });
    await makeRepository(playground.repository);
    return directory;
  }).then(() => playground);
}
