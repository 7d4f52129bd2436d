// Podman: whether it answers, and a containers.conf of our own on hosts where its defaults cannot work.

import process from 'node:process';
import { findProgram, run } from './commands.mjs';
import { probeHost } from './host.mjs';
import { installPackages, mayInstallPackages, packagesFor } from './packages.mjs';
import { engineStateDir, isRoot, toolsDir, writeAtomic } from './places.mjs';
import { SetupRefusal } from './progress.mjs';

/**
 * The settings that Podman needs on this host, or null when its own defaults do. Pure.
 * Without systemd there is neither its cgroup manager nor its journal; crun refuses the hybrid cgroup hierarchy; and
 * without CAP_SYS_RESOURCE the default limits, which are above the host's, are refused.
 */
export function decideContainersConf(facts) {
  const engine = [];
  const containers = [];
  if (!facts.systemd) engine.push('cgroup_manager = "cgroupfs"', 'events_logger = "file"');
  if (!facts.unifiedCgroups) engine.push('runtime = "runc"');
  if (!facts.mayRaiseLimits) {
    const limits = [
      ['nofile', facts.openFilesMax],
      // Podman lowers its own limit of processes to pid_max first, so that nothing above it can be set any more
      ['nproc', facts.processesMax === null ? null : Math.min(facts.processesMax, facts.pidMax)],
    ].flatMap(([name, max]) => (max === null ? [] : [`"${name}=${max}:${max}"`]));
    if (limits.length > 0) containers.push(`default_ulimits = [${limits.join(', ')}]`);
  }
  if (engine.length + containers.length === 0) return null;
  return `# Written by scripts/setup for this machine.\n[containers]\n${containers.join('\n')}\n\n[engine]\n${engine.join('\n')}\n`;
}

/** Whether `podman` answers with this environment; its version, or null. */
export async function probePodman(env) {
  if (findProgram('podman', env.PATH) === null) return null;
  const { code, stdout } = await run('podman', ['info', '--format', '{{.Version.Version}}'], {
    env,
    timeoutMs: 30_000,
  });
  return code === 0 && stdout.trim() !== '' ? stdout.trim() : null;
}

/** Writes our containers.conf when this host needs one and the person has not named their own. */
export function podmanEnvironment() {
  if (process.env.CONTAINERS_CONF) return { CONTAINERS_CONF: process.env.CONTAINERS_CONF };
  if (process.platform !== 'linux') return {};
  const text = decideContainersConf(probeHost());
  if (text === null) return {};
  const file = `${isRoot() ? engineStateDir : `${toolsDir}/engine`}/containers.conf`;
  writeAtomic(file, text);
  return { CONTAINERS_CONF: file };
}

/**
 * Makes Podman answer, installing it where that is allowed. Returns its version and environment.
 * `complete` also installs the parts that the tests want beside a Podman that answers already.
 */
export async function ensurePodman({ yes, complete }) {
  const find = async () => {
    if (findProgram('podman') === null) return null;
    const env = podmanEnvironment();
    const version = await probePodman({ ...process.env, ...env });
    return version === null ? null : { engine: 'podman', version, env };
  };
  const found = await find();
  if (found !== null && !(complete && mayInstallPackages())) return found;
  await installPackages(packagesFor.podman, 'Podman', { yes });
  const after = await find();
  if (after === null)
    throw new SetupRefusal('Podman is installed but does not answer: look at what `podman info` says.');
  return after;
}
