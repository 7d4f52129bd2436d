// Docker: whether an engine answers, and a daemon of our own when none does.
// Our daemon has its own data root, exec root, pid file and socket, and reads no configuration of the host's.

import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { findProgram, run, waitUntil } from './commands.mjs';
import { installPackages, packagesFor } from './packages.mjs';
import { engineRunDir, engineStateDir, isRoot } from './places.mjs';
import { SetupRefusal, say } from './progress.mjs';

const socket = path.join(engineRunDir, 'docker.sock');
const pidFile = path.join(engineRunDir, 'docker.pid');
const logFile = path.join(engineStateDir, 'dockerd.log');
const configFile = path.join(engineStateDir, 'dockerd.json');
const START_TIMEOUT_MS = 60_000;

/** The version of the engine that answers there, or null. A `docker` that is Podman does not count as Docker. */
export async function probeDocker(env) {
  if (findProgram('docker', env.PATH) === null) return null;
  const client = await run('docker', ['--version'], { env, timeoutMs: 10_000 });
  if (/podman/i.test(client.stdout)) return null;
  const { code, stdout } = await run('docker', ['version', '--format', '{{.Server.Version}}'], {
    env,
    timeoutMs: 15_000,
  });
  return code === 0 && /^\d/.test(stdout.trim()) ? stdout.trim() : null;
}

/** An engine that answers already: the one of the environment, or the one that an earlier run started. */
export async function findDocker() {
  const remote = /^(tcp|ssh|https?):/.test(process.env.DOCKER_HOST ?? '');
  if (remote) say(`   DOCKER_HOST names another machine; Kraft uses local engines only, so it is left out`);
  else {
    const version = await probeDocker(process.env);
    const env = process.env.DOCKER_HOST ? { DOCKER_HOST: process.env.DOCKER_HOST } : {};
    if (version !== null) return { engine: 'docker', version, env };
  }
  if (!existsSync(socket)) return null;
  const own = { DOCKER_HOST: `unix://${socket}` };
  const version = await probeDocker({ ...process.env, ...own, DOCKER_CONTEXT: '' });
  return version === null ? null : { engine: 'docker', version, env: own };
}

/** The process that our pid file names, when it really is a dockerd with our pid file; else null. */
function findOwnDaemon() {
  try {
    const pid = Number(readFileSync(pidFile, 'utf8').trim());
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    return path.basename(command[0] ?? '') === 'dockerd' && command.includes(pidFile) ? pid : null;
  } catch {
    return null;
  }
}

function daemonArguments() {
  return [
    ['--config-file', configFile],
    ['--host', `unix://${socket}`],
    ['--data-root', path.join(engineStateDir, 'docker')],
    ['--exec-root', path.join(engineRunDir, 'docker-exec')],
    ['--pidfile', pidFile],
  ].flat();
}

/** Starts the process, detached from this one. */
function spawnDaemon(dockerd) {
  // what a daemon that was killed left behind would keep the next one from starting
  rmSync(pidFile, { force: true });
  rmSync(socket, { force: true });
  rmSync(path.join(engineRunDir, 'docker-exec', 'containerd', 'containerd.pid'), { force: true });
  writeFileSync(configFile, '{}\n');
  const log = openSync(logFile, 'a', 0o600);
  const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` };
  const child = spawn(dockerd, daemonArguments(), { detached: true, stdio: ['ignore', log, log], env, cwd: '/' });
  child.unref();
  return child;
}

/** Starts our daemon in the background, where it stays for the commands that follow. */
async function startDaemon() {
  mkdirSync(engineRunDir, { recursive: true, mode: 0o755 });
  mkdirSync(engineStateDir, { recursive: true, mode: 0o755 });
  const dockerd = findProgram('dockerd', `${process.env.PATH}:/usr/sbin:/sbin`);
  if (dockerd === null)
    throw new SetupRefusal('There is no `dockerd` on this machine, so no Docker engine can be started.');
  const child = findOwnDaemon() === null ? spawnDaemon(dockerd) : null;
  const found = await waitUntil(
    async () => (await findDocker()) ?? (child !== null && child.exitCode !== null && 'ended'),
    {
      timeoutMs: START_TIMEOUT_MS,
      intervalMs: 500,
    },
  );
  if (found !== null && found !== 'ended') return found;
  const lines = readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-12).join('\n  ');
  throw new SetupRefusal(
    `dockerd ${found === 'ended' ? 'ended at once' : `did not answer within ${START_TIMEOUT_MS / 1000} s`}. The end of ${logFile}:\n  ${lines}`,
  );
}

/** Makes a Docker engine answer: what is there already, else installed and started where that is allowed. */
export async function ensureDocker({ yes }) {
  const found = await findDocker();
  if (found !== null) return found;
  await installPackages(packagesFor.docker, 'Docker', { yes });
  return (await findDocker()) ?? (await startDaemon());
}

/** Stops the daemon that these scripts started, if it runs. */
export async function stopOwnDaemon() {
  const pid = findOwnDaemon();
  if (pid === null) return 'no Docker engine of ours runs';
  if (!isRoot()) throw new SetupRefusal('The Docker engine was started by root: stop it as root.');
  process.kill(pid, 'SIGTERM');
  const ended = await waitUntil(async () => findOwnDaemon() === null, { timeoutMs: 30_000 });
  return ended ? 'the Docker engine is stopped' : 'the Docker engine did not stop within 30 s';
}
