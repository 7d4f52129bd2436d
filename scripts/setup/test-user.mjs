// The ordinary account of the end-to-end tests: member of group `docker`, with rootless Podman and rootless Docker.
// Only `setup --for-tests` comes here; the quickstart runs as whoever calls it.

import { spawn } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { findProgram, run, runOrRefuse, waitUntil } from './commands.mjs';
import { confirmChange } from './consent.mjs';
import { engineEnvironment } from './engines.mjs';
import { nodeProgram } from './node.mjs';
import { installPackages, packagesFor } from './packages.mjs';
import { engineRunDir, engineStateDir, testUserFile, writeAtomic } from './places.mjs';
import { SetupRefusal } from './progress.mjs';

const NAME = 'kraft-test';
const SUBORDINATE_IDS = '200000-265535';
const ROOTLESS_START_MS = 60_000;

/** What runs a command as the test user with all of that user's groups. */
const asUser = ['setpriv', `--reuid=${NAME}`, `--regid=${NAME}`, '--init-groups', '--'];

async function readAccount() {
  const { code, stdout } = await run('getent', ['passwd', NAME]);
  if (code !== 0) return null;
  const [, , uid, gid, , home] = stdout.trim().split(':');
  return { name: NAME, uid: Number(uid), gid: Number(gid), home: home ?? '' };
}

function hasSubordinateIds(file) {
  return (
    existsSync(file) &&
    readFileSync(file, 'utf8')
      .split('\n')
      .some((line) => line.startsWith(`${NAME}:`))
  );
}

async function ensureAccount({ yes }) {
  if ((await readAccount()) === null) {
    await confirmChange('Add this account?', [`an ordinary account \`${NAME}\` for the tests, in group docker`], {
      yes,
    });
    await runOrRefuse('useradd', ['--create-home', '--shell', '/bin/bash', '--user-group', NAME]);
  }
  await runOrRefuse('usermod', ['--append', '--groups', 'docker', NAME]);
  for (const [file, option] of [
    ['/etc/subuid', '--add-subuids'],
    ['/etc/subgid', '--add-subgids'],
  ]) {
    if (!hasSubordinateIds(file)) await runOrRefuse('usermod', [option, SUBORDINATE_IDS, NAME]);
  }
  return readAccount();
}

/** Environment of everything that runs as the test user; the engine's own variable is added by whoever calls. */
function userEnvironment(account) {
  const { CONTAINERS_CONF } = engineEnvironment();
  const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
  const kept = Object.fromEntries(
    ['SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS', 'LANG', 'http_proxy', 'https_proxy', 'no_proxy'].flatMap((name) =>
      process.env[name] === undefined ? [] : [[name, process.env[name]]],
    ),
  );
  return {
    ...kept,
    HOME: account.home,
    USER: NAME,
    LOGNAME: NAME,
    PATH: `${path.dirname(nodeProgram())}:${systemPath}`,
    XDG_RUNTIME_DIR: path.join(engineRunDir, `user-${account.uid}`),
    ...(CONTAINERS_CONF === undefined ? {} : { CONTAINERS_CONF }),
  };
}

function openDevice(device) {
  // rootless networks of both engines open this device; elsewhere udev gives it this mode
  if (existsSync(device) && (statSync(device).mode & 0o006) !== 0o006) chmodSync(device, 0o666);
}

/** The storage drivers to try, the quickest first. */
function listStorageConfs(storageDir) {
  const storage = `[storage]\ndriver = "overlay"\nrootless_storage_path = "${storageDir}"\n`;
  return [storage, `${storage}\n[storage.options.overlay]\nmount_program = "/usr/bin/fuse-overlayfs"\n`];
}

/**
 * Makes rootless Podman answer; gives the variables that reach it. Left to itself a Podman without a `storage.conf` may
 * copy the whole image for each container, which is most of what a test of it takes.
 */
async function ensureRootlessPodman(env, home) {
  const info = (variables) =>
    run(asUser[0], [...asUser.slice(1), 'podman', 'info', '--format', '{{.Host.Security.Rootless}}'], {
      env: { ...env, ...variables },
      cwd: '/',
    });
  const file = path.join(engineStateDir, 'storage-rootless.conf');
  for (const text of listStorageConfs(path.join(home, '.local', 'share', 'kraft-engine', 'podman'))) {
    writeAtomic(file, `# Written by scripts/setup for the account of the tests.\n${text}`);
    const { code, stdout } = await info({ CONTAINERS_STORAGE_CONF: file });
    if (code === 0 && stdout.trim() === 'true') return { CONTAINERS_STORAGE_CONF: file };
  }
  rmSync(file);
  const { code, stdout, stderr } = await info({});
  if (code !== 0 || stdout.trim() !== 'true')
    throw new SetupRefusal(`Rootless Podman does not answer for ${NAME}:\n${stderr}`);
  return {};
}

function findRootlessDocker() {
  const folders = ['/usr/bin', '/usr/local/bin', '/usr/share/docker.io/contrib'];
  return folders.map((folder) => path.join(folder, 'dockerd-rootless.sh')).find((file) => existsSync(file)) ?? null;
}

/** Starts the test user's own Docker daemon unless it answers; returns its DOCKER_HOST. */
async function ensureRootlessDocker(env) {
  const host = `unix://${env.XDG_RUNTIME_DIR}/docker.sock`;
  const answers = async () => {
    const args = [...asUser.slice(1), 'docker', 'info', '--format', '{{.SecurityOptions}}'];
    const { code, stdout } = await run(asUser[0], args, {
      env: { ...env, DOCKER_HOST: host },
      cwd: '/',
      timeoutMs: 15_000,
    });
    return code === 0 && stdout.includes('rootless');
  };
  if (await answers()) return host;
  const script = findRootlessDocker();
  if (script === null)
    throw new SetupRefusal(
      'There is no dockerd-rootless.sh on this machine: install docker.io or docker-ce-rootless-extras.',
    );
  for (const name of ['docker.pid', 'docker.sock', 'dockerd-rootless'])
    rmSync(path.join(env.XDG_RUNTIME_DIR, name), { recursive: true, force: true });
  const logFile = path.join(engineStateDir, 'dockerd-rootless.log');
  const log = openSync(logFile, 'a', 0o600);
  const options = {
    detached: true,
    stdio: ['ignore', log, log],
    cwd: '/',
    env: { ...env, PATH: `${env.PATH}:/usr/sbin:/sbin` },
  };
  spawn(asUser[0], [...asUser.slice(1), script], options).unref();
  if (await waitUntil(answers, { timeoutMs: ROOTLESS_START_MS, intervalMs: 500 })) return host;
  const lines = readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-12).join('\n  ');
  throw new SetupRefusal(
    `Rootless Docker did not answer within ${ROOTLESS_START_MS / 1000} s. The end of ${logFile}:\n  ${lines}`,
  );
}

/**
 * Makes the account, its runtime folder and both rootless engines, and writes how to reach them.
 * @returns {Promise<object>} what `.tools/engine/test-user.json` holds
 */
export async function ensureTestUser({ yes }) {
  await installPackages([...packagesFor.rootless, ...packagesFor.tests], 'the end-to-end tests', { yes });
  if (findProgram('setpriv') === null) throw new SetupRefusal('The tests need `setpriv` (package util-linux).');
  const account = await ensureAccount({ yes });
  const base = userEnvironment(account);
  mkdirSync(base.XDG_RUNTIME_DIR, { recursive: true, mode: 0o700 });
  chownSync(base.XDG_RUNTIME_DIR, account.uid, account.gid);
  openDevice('/dev/net/tun');
  openDevice('/dev/fuse');
  const env = { ...base, ...(await ensureRootlessPodman(base, account.home)) };
  const rootlessDockerHost = await ensureRootlessDocker(env);
  const user = {
    ...account,
    command: asUser,
    env,
    rootfulDockerHost: engineEnvironment().DOCKER_HOST ?? null,
    rootlessDockerHost,
  };
  writeAtomic(testUserFile, `${JSON.stringify(user, null, 2)}\n`);
  return user;
}

/** The rootless engines of the test user, as places that images are copied to. */
export function rootlessEngines(user) {
  return [
    {
      title: 'rootless docker',
      engine: 'docker',
      as: user.command,
      env: { ...user.env, DOCKER_HOST: user.rootlessDockerHost },
    },
    { title: 'rootless podman', engine: 'podman', as: user.command, env: user.env },
  ];
}
