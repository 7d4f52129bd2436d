// Which container engines are used, and the environment by which every later command reaches them.

import path from 'node:path';
import process from 'node:process';
import { ensureDocker, findDocker } from './docker.mjs';
import { nodePathAddition } from './node.mjs';
import { mayInstallPackages } from './packages.mjs';
import { engineEnvFile, enginesFile, readJson, writeAtomic } from './places.mjs';
import { ensurePodman, podmanEnvironment, probePodman } from './podman.mjs';
import { SetupRefusal } from './progress.mjs';

/** Environment variables of the engines that were settled on, PATH included, on top of this process's own. */
export function engineEnvironment() {
  const { PATH: _, ...kept } = readJson(engineEnvFile, {});
  const addition = nodePathAddition();
  const parts = (process.env.PATH ?? '').split(path.delimiter).filter((part) => part !== addition);
  return { ...process.env, ...kept, PATH: [...(addition === null ? [] : [addition]), ...parts].join(path.delimiter) };
}

const variablesOf = { docker: ['DOCKER_HOST'], podman: ['CONTAINERS_CONF'] };

/**
 * What reaches these engines, and what an earlier set-up found of the other one: a quickstart that settles for Docker
 * must not take Podman from the tests of the same checkout.
 */
function writeEnvironment(engines) {
  const before = readJson(engineEnvFile, {});
  const others = Object.keys(variablesOf).filter((name) => !engines.some((engine) => engine.engine === name));
  const remembered = others.flatMap((name) => variablesOf[name]).filter((name) => name in before);
  const kept = Object.assign(
    Object.fromEntries(remembered.map((name) => [name, before[name]])),
    ...engines.map((engine) => engine.env),
  );
  const addition = nodePathAddition();
  const searchPath = [...(addition === null ? [] : [addition]), process.env.PATH ?? ''].join(path.delimiter);
  writeAtomic(enginesFile, `${JSON.stringify(engines, null, 2)}\n`);
  writeAtomic(engineEnvFile, `${JSON.stringify({ ...kept, PATH: searchPath }, null, 2)}\n`);
}

async function findPodman() {
  const env = podmanEnvironment();
  const version = await probePodman({ ...process.env, ...env });
  return version === null ? null : { engine: 'podman', version, env };
}

const installHint = [
  'No container engine answers on this machine. Kraft needs one of them:',
  '  Docker   Debian or Ubuntu: `apt-get install docker.io`, then `systemctl start docker`;',
  '           Fedora: `dnf install moby-engine`; macOS: Docker Desktop, OrbStack or colima, started;',
  '           and, as an ordinary user, membership in the group `docker`, or rootless Docker',
  '  Podman   Debian or Ubuntu: `apt-get install podman uidmap slirp4netns`; Fedora: `dnf install podman`;',
  '           macOS: `podman machine init && podman machine start`',
  'On Debian and Ubuntu this script does it by itself when it runs as root.',
].join('\n');

/** One engine that really answers; a command-line client alone is no sign of one. */
export async function ensureOneEngine({ yes }) {
  const found = (await findDocker()) ?? (await findPodman());
  if (found === null && !mayInstallPackages()) throw new SetupRefusal(installHint);
  const engines = [found ?? (await ensureDocker({ yes }))];
  writeEnvironment(engines);
  return engines;
}

/** Docker and Podman both, as the tests need them. */
export async function ensureBothEngines({ yes }) {
  const docker = await ensureDocker({ yes });
  writeEnvironment([docker]);
  const podman = await ensurePodman({ yes, complete: true });
  writeEnvironment([docker, podman]);
  return [docker, podman];
}
