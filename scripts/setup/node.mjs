// Node 24: the host's when it is new enough, else one from the npm registry that lies in `.tools/node` only.

import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { run, runOrRefuse } from './commands.mjs';
import { architecture, toolsDir } from './places.mjs';
import { SetupRefusal } from './progress.mjs';

const MINIMUM = [24, 12];
const NODE_VERSION = '24.22.3';
const NPM_VERSION = '11.21.2';

export const ownNodeDir = path.join(toolsDir, 'node');

/** Whether a version such as `v24.12.0` runs Kraft's TypeScript as it lies. */
export function isNewEnough(version) {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  return major > MINIMUM[0] || (major === MINIMUM[0] && minor >= MINIMUM[1]);
}

/** The folder that has to come first on PATH so that `node`, `npm` and `npx` are new enough; null when they are. */
export function nodePathAddition() {
  if (isNewEnough(process.version) && !process.execPath.startsWith(ownNodeDir)) return null;
  return path.join(ownNodeDir, 'bin');
}

/** This process's environment with a Node on PATH that runs Kraft. */
export function nodeEnvironment() {
  const addition = nodePathAddition();
  const parts = (process.env.PATH ?? '').split(path.delimiter).filter((part) => part !== addition);
  return { ...process.env, PATH: [...(addition === null ? [] : [addition]), ...parts].join(path.delimiter) };
}

/** The Node binary that runs Kraft. */
export function nodeProgram() {
  const addition = nodePathAddition();
  return addition === null ? process.execPath : path.join(addition, 'node');
}

/**
 * Fetches one package of the npm registry into a folder; npm checks its integrity.
 * @returns {Promise<string>} the version that came
 */
export async function unpackNpmPackage(spec, folder, env = process.env) {
  const temporary = mkdtempSync(`${folder}.fetch-`);
  try {
    const pack = ['pack', spec, '--pack-destination', temporary, '--loglevel', 'error', '--silent'];
    await runOrRefuse('npm', pack, { env, timeoutMs: 300_000, cwd: temporary });
    const archive = readdirSync(temporary).find((name) => name.endsWith('.tgz'));
    if (archive === undefined) throw new SetupRefusal(`npm fetched nothing for ${spec}.`);
    mkdirSync(folder, { recursive: true });
    await runOrRefuse('tar', [
      '-xzf',
      path.join(temporary, archive),
      '-C',
      folder,
      '--strip-components=1',
      '--no-same-owner',
    ]);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

async function readVersion(program) {
  if (!existsSync(program)) return null;
  const { code, stdout } = await run(program, ['--version'], { timeoutMs: 20_000 });
  return code === 0 ? stdout.trim() : null;
}

/** Brings Node 24 when the host's is older. */
export async function ensureNode() {
  if (nodePathAddition() === null) return `the host's ${process.version} is new enough`;
  const present = await readVersion(path.join(ownNodeDir, 'bin', 'node'));
  if (present !== null && isNewEnough(present)) return `${present} is in .tools/node already`;
  if (!['linux', 'darwin'].includes(process.platform) || !['x64', 'arm64'].includes(architecture())) {
    throw new SetupRefusal(
      `Kraft needs Node ${MINIMUM.join('.')} or newer; this is ${process.version}. Install Node 24 from nodejs.org.`,
    );
  }
  mkdirSync(toolsDir, { recursive: true });
  const building = `${ownNodeDir}.new`;
  rmSync(building, { recursive: true, force: true });
  const version = process.platform === 'linux' ? NODE_VERSION : '24';
  await unpackNpmPackage(`node-${process.platform}-${architecture()}@${version}`, building);
  const npmDir = path.join(building, 'lib', 'node_modules', 'npm');
  mkdirSync(path.dirname(npmDir), { recursive: true });
  await unpackNpmPackage(`npm@${NPM_VERSION}`, npmDir);
  for (const name of ['npm', 'npx'])
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, path.join(building, 'bin', name));
  for (const name of ['include', 'share']) rmSync(path.join(building, name), { recursive: true, force: true });
  const came = await readVersion(path.join(building, 'bin', 'node'));
  if (came === null || !isNewEnough(came)) {
    throw new SetupRefusal(
      `The Node that npm brought does not run here (${came ?? 'no answer'}). Install Node 24 from nodejs.org.`,
    );
  }
  rmSync(ownNodeDir, { recursive: true, force: true });
  renameSync(building, ownNodeDir);
  return `brought Node ${came} into .tools/node`;
}
