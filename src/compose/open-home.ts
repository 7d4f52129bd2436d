import { chmodSync, lstatSync, mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { HomePaths } from '../config/index.ts';
import { findPaths } from '../daemon-client/index.ts';
import { composeErrors } from './errors.ts';
import { readerOf, type Environment } from './environment.ts';

/**
 * Makes the directories of an environment's home where they are missing, and answers their real paths. `home` and `run`
 * are for their owner alone. Errors: HOME_UNUSABLE; HOME_UNSAFE for a directory of another user or one that others can
 * write to.
 */
export function openHome(environment: Pick<Environment, 'variables' | 'cwd'>): HomePaths {
  const found = findPaths({ env: readerOf(environment), cwd: environment.cwd });
  const home = openDirectory(found.home, 'private');
  // Named below the home as it was found, so that a home behind a link keeps them inside.
  const config = openDirectory(found.config, 'readable');
  const run = openDirectory(found.run, 'private');
  openDirectory(join(run, 'logs'), 'private');
  return { home, config, run };
}

/** `readable`: a person may let others read it; doctor warns when it holds values. */
function openDirectory(named: string, privacy: 'private' | 'readable'): string {
  let path: string;
  try {
    mkdirSync(named, { recursive: true, mode: 0o700 });
    path = realpathSync(named);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw composeErrors.create('HOME_UNUSABLE', { path: named, why }, error);
  }
  const { mode, uid } = lstatSync(path);
  const ownUid = process.getuid?.() ?? uid;
  if (uid !== ownUid) {
    throw composeErrors.create('HOME_UNSAFE', {
      path,
      why: `it belongs to user ${uid}, and Kraft runs as user ${ownUid}`,
      fix: 'Run Kraft as its owner, or name a directory of your own in KRAFT_HOME.',
    });
  }
  if ((mode & 0o022) !== 0) {
    throw composeErrors.create('HOME_UNSAFE', {
      path,
      why: 'others can write to it',
      fix: `Look at what is in it, then run \`chmod 700 ${path}\`.`,
    });
  }
  if (privacy === 'private' && (mode & 0o077) !== 0) chmodSync(path, 0o700);
  return path;
}
