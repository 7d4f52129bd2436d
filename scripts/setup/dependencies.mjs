// The project's npm packages: installed with `npm ci`, and only when what lies there is not what the lockfile names.

import path from 'node:path';
import { runOrRefuse } from './commands.mjs';
import { nodeEnvironment } from './node.mjs';
import { projectDir, readJson } from './places.mjs';

/**
 * Whether npm's record of what it installed matches the lockfile. Pure.
 * Optional packages of other platforms may be absent; nothing else may, and nothing may be there in another version.
 */
export function matchesLockfile(lockfile, installed) {
  if (lockfile === null || installed === null) return false;
  const wanted = Object.entries(lockfile.packages ?? {}).filter(([name]) => name !== '');
  const present = installed.packages ?? {};
  const known = new Set(wanted.map(([name]) => name));
  return (
    wanted.every(([name, entry]) =>
      present[name] === undefined ? entry.optional === true : present[name].version === entry.version,
    ) && Object.keys(present).every((name) => known.has(name))
  );
}

/** Whether `npm ci` has anything to do. */
export function dependenciesAreInstalled() {
  const lockfile = readJson(path.join(projectDir, 'package-lock.json'));
  return matchesLockfile(lockfile, readJson(path.join(projectDir, 'node_modules', '.package-lock.json')));
}

export async function ensureDependencies() {
  if (dependenciesAreInstalled()) return 'node_modules is what package-lock.json names';
  await runOrRefuse('npm', ['ci', '--no-audit', '--no-fund'], {
    cwd: projectDir,
    env: nodeEnvironment(),
    timeoutMs: 600_000,
    show: true,
  });
  return 'installed';
}
