// The base image that the Dockerfiles name: pulled, or made from Debian's packages when no registry answers.

import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { run, runOrRefuse } from './commands.mjs';
import { installPackages, mayInstallPackages, packagesFor } from './packages.mjs';
import { projectDir, toolsDir } from './places.mjs';
import { SetupRefusal, say } from './progress.mjs';

const REGISTRY_ANSWER_MS = 20_000;
const PULL_MS = 600_000;
const DOWNLOAD_ATTEMPTS = 3;
const hostCertificates = '/usr/local/share/ca-certificates';

/** Every base image that a Dockerfile under `images/` names. */
export function readBaseImages() {
  const names = new Set();
  for (const name of readdirSync(path.join(projectDir, 'images'))) {
    const file = path.join(projectDir, 'images', name, 'Dockerfile');
    if (!existsSync(file)) continue;
    for (const match of readFileSync(file, 'utf8').matchAll(/^FROM\s+(\S+)/gm)) {
      if (match[1] !== 'scratch') names.add(match[1]);
    }
  }
  return [...names];
}

/** The name by which an engine keeps an image: Podman writes the registry of Docker's own images out. */
export function nameIn(engine, image) {
  return engine === 'podman' && !image.includes('/') ? `docker.io/library/${image}` : image;
}

export async function hasImage({ engine, env }, image) {
  const args = ['image', 'inspect', '--format', '{{.Id}}', nameIn(engine, image)];
  return (await run(engine, args, { env: { ...process.env, ...env }, timeoutMs: 30_000 })).code === 0;
}

/** Pulls, giving up early when the registry does not begin to answer. */
async function pull({ engine, env }, image) {
  const options = {
    env: { ...process.env, ...env },
    timeoutMs: PULL_MS,
    firstOutputMs: REGISTRY_ANSWER_MS,
    show: true,
  };
  return (await run(engine, ['pull', nameIn(engine, image)], options)).code === 0;
}

/** Where this host gets packages of the given Debian suite: lines of a sources.list; empty when it has none. */
async function readAptSources(suite) {
  const format = '$(REPO_URI)|$(RELEASE)|$(COMPONENT)|$(ORIGIN)';
  const { stdout } = await run('apt-get', ['indextargets', '--format', format, 'Created-By: Packages']);
  const suites = [suite, `${suite}-updates`, `${suite}-security`];
  const rows = stdout.split('\n').map((line) => line.split('|'));
  const lines = rows
    .filter(
      ([, release, component, origin]) => origin === 'Debian' && component === 'main' && suites.includes(release ?? ''),
    )
    .map(([uri, release]) => ({ uri: uri ?? '', release: release ?? '', line: `deb ${uri} ${release} main` }));
  return {
    mirror: lines.find((each) => each.release === suite)?.uri ?? null,
    lines: [...new Set(lines.map((each) => each.line))],
  };
}

async function readAptProxy() {
  const { stdout } = await run('apt-config', ['dump', '--format', '%f %v%n', 'Acquire::http::Proxy']);
  return /^Acquire::http::Proxy (\S+)/m.exec(stdout)?.[1] ?? null;
}

/** What a build inside of the image needs so that it reaches packages the way this host does. */
async function addHostAccess(root, sources, proxy) {
  if (sources.lines.length > 0) writeFileSync(path.join(root, 'etc/apt/sources.list'), `${sources.lines.join('\n')}\n`);
  if (proxy !== null)
    writeFileSync(path.join(root, 'etc/apt/apt.conf.d/90proxy'), `Acquire::http::Proxy "${proxy}";\n`);
  const names = existsSync(hostCertificates)
    ? readdirSync(hostCertificates).filter((name) => name.endsWith('.crt'))
    : [];
  for (const name of names) copyFileSync(path.join(hostCertificates, name), path.join(root, hostCertificates, name));
  if (names.length > 0)
    await runOrRefuse('chroot', [root, 'update-ca-certificates'], { env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' } });
}

/**
 * Downloads first, and again when a download fails: what is there is not fetched twice, and debootstrap itself gives up at
 * the first name that does not resolve.
 */
async function debootstrap(args, env) {
  const options = { timeoutMs: 600_000, env };
  for (let attempt = 1; attempt < DOWNLOAD_ATTEMPTS; attempt += 1) {
    if ((await run('debootstrap', ['--download-only', ...args], options)).code === 0) break;
    say('   a package could not be downloaded; trying again');
  }
  await runOrRefuse('debootstrap', args, options);
}

/** Makes the root file system of `debian:<suite>-slim` with debootstrap and keeps it as a tar archive. */
async function makeRootArchive(suite, archive, { yes }) {
  await installPackages(packagesFor.baseImage, 'making the base image', { yes });
  const sources = await readAptSources(suite);
  const proxy = await readAptProxy();
  const work = mkdtempSync(path.join(os.tmpdir(), 'kraft-base-'));
  const root = path.join(work, 'root');
  try {
    say(`   debootstrap ${suite}: about half a minute`);
    const args = [
      '--variant=minbase',
      '--include=ca-certificates',
      suite,
      root,
      ...(sources.mirror === null ? [] : [sources.mirror]),
    ];
    const env = { ...process.env, ...(proxy === null ? {} : { http_proxy: proxy }) };
    await debootstrap(args, env);
    await addHostAccess(root, sources, proxy);
    for (const folder of [
      'var/cache/apt',
      'var/lib/apt/lists',
      'usr/share/doc',
      'usr/share/man',
      'usr/share/locale',
      'var/log',
    ]) {
      rmSync(path.join(root, folder), { recursive: true, force: true });
      mkdirSync(path.join(root, folder), { recursive: true });
    }
    for (const folder of ['var/cache/apt/archives/partial', 'var/lib/apt/lists/partial'])
      mkdirSync(path.join(root, folder), { recursive: true });
    mkdirSync(path.dirname(archive), { recursive: true });
    await runOrRefuse('tar', ['-C', root, '--numeric-owner', '-cf', `${archive}.new`, '.'], { timeoutMs: 120_000 });
    renameSync(`${archive}.new`, archive);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function importArchive({ engine, env }, image, archive) {
  const args = ['import', '--change', 'CMD ["bash"]', archive, nameIn(engine, image)];
  await runOrRefuse(engine, args, { env: { ...process.env, ...env }, timeoutMs: 300_000 });
}

/**
 * Makes sure that each engine has the image.
 * @param {string} image such as `debian:bookworm-slim`
 * @param {{engine: string, env: object}[]} engines
 * @throws {SetupRefusal} when it can be neither pulled nor made
 */
export async function ensureBaseImage(image, engines, { yes }) {
  const archive = path.join(toolsDir, 'base-images', `${image.replace(/[^a-z0-9.]+/g, '-')}.tar`);
  const told = [];
  let registryAnswers = !existsSync(archive);
  for (const engine of engines) {
    if (await hasImage(engine, image)) {
      told.push(`${engine.engine} has it`);
    } else if (registryAnswers && (await pull(engine, image))) {
      told.push(`${engine.engine} pulled it`);
    } else {
      registryAnswers = false;
      const suite = /^debian:([a-z]+)-slim$/.exec(image)?.[1];
      if (!existsSync(archive)) {
        if (suite === undefined || !mayInstallPackages()) {
          throw new SetupRefusal(
            `${engine.engine} has no image ${image} and could not pull it. Connect to a registry and run \`${engine.engine} pull ${image}\`, or load it with \`${engine.engine} load\`.`,
          );
        }
        say(`   no registry gave ${image}: making it from Debian's packages`);
        await makeRootArchive(suite, archive, { yes });
      }
      await importArchive(engine, image, archive);
      told.push(`${engine.engine} imported it`);
    }
  }
  return told.join(', ');
}
