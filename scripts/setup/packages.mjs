// Debian packages: which are missing, and installing them without recommends.

import { readFileSync } from 'node:fs';
import process from 'node:process';
import { findProgram, run, runOrRefuse } from './commands.mjs';
import { confirmChange } from './consent.mjs';
import { isRoot } from './places.mjs';
import { SetupRefusal, say } from './progress.mjs';

/** What each purpose needs. */
export const packagesFor = {
  docker: ['docker.io', 'iptables', 'ca-certificates'],
  podman: ['podman', 'runc', 'crun', 'conmon', 'netavark', 'aardvark-dns', 'catatonit', 'iptables', 'iproute2'],
  rootless: ['uidmap', 'slirp4netns', 'fuse-overlayfs', 'rootlesskit', 'iproute2'],
  baseImage: ['debootstrap', 'ca-certificates'],
  tests: ['busybox-static', 'git-lfs', 'iproute2', 'openssl', 'procps', 'util-linux'],
};

/** `debian`, `ubuntu` or whatever `/etc/os-release` says; empty on other systems. */
export function readDistribution(file = '/etc/os-release') {
  try {
    const text = readFileSync(file, 'utf8');
    const field = (name) => new RegExp(`^${name}="?([^"\n]*)"?$`, 'm').exec(text)?.[1] ?? '';
    return { id: field('ID'), like: field('ID_LIKE').split(' '), codename: field('VERSION_CODENAME') };
  } catch {
    return { id: '', like: [], codename: '' };
  }
}

/** Whether the scripts install packages here by themselves: Debian or Ubuntu, as root. */
export function mayInstallPackages() {
  const { id, like } = readDistribution();
  return (
    isRoot() && [id, ...like].some((name) => name === 'debian' || name === 'ubuntu') && findProgram('apt-get') !== null
  );
}

async function findMissing(names) {
  const { stdout } = await run('dpkg-query', ['-W', '-f', '${Package} ${db:Status-Status}\n', ...names]);
  const installed = new Set(
    stdout
      .split('\n')
      .filter((line) => line.endsWith(' installed'))
      .map((line) => line.split(' ')[0]),
  );
  return names.filter((name) => !installed.has(name));
}

/**
 * Installs those of the named packages that are missing; asks on a terminal.
 * @throws {SetupRefusal} on hosts where only the person can do it, saying what to install
 */
export async function installPackages(names, purpose, { yes }) {
  const wanted = [...new Set(names)];
  if (!mayInstallPackages()) {
    throw new SetupRefusal(
      `${purpose} needs what these Debian packages hold: ${wanted.join(' ')}.\nInstall them, then run this again.`,
    );
  }
  const missing = await findMissing(wanted);
  if (missing.length === 0) return `all ${wanted.length} packages are there`;
  await confirmChange('Install these system packages?', [`system packages for ${purpose}: ${missing.join(' ')}`], {
    yes,
  });
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const lock = ['-o', 'DPkg::Lock::Timeout=180'];
  say('   apt-get update');
  const update = await run('apt-get', [...lock, '-qq', 'update'], { env, timeoutMs: 300_000, show: true });
  if (update.code !== 0) say('   apt-get update did not succeed; going on with the package lists that are there');
  const install = ['-y', '-q', '-o', 'Dpkg::Use-Pty=0', '--no-install-recommends', 'install', ...missing];
  await runOrRefuse('apt-get', [...lock, ...install], { env, timeoutMs: 900_000, show: true });
  return `installed ${missing.length} packages`;
}
