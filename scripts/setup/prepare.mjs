// The whole set-up, in order. Every step looks first and does only what is missing.

import { existsSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { ensureBaseImage, hasImage, readBaseImages } from './base-image.mjs';
import { findProgram, run } from './commands.mjs';
import { dependenciesAreInstalled, ensureDependencies } from './dependencies.mjs';
import { checkDisk } from './disk.mjs';
import { ensureBothEngines, ensureOneEngine } from './engines.mjs';
import { withLock } from './lock.mjs';
import { ensureNode, nodePathAddition } from './node.mjs';
import { ensureOwnImages, hasOwnImages, ownImageNames } from './own-images.mjs';
import { mayInstallPackages } from './packages.mjs';
import { projectDir, testUserFile, toolsDir } from './places.mjs';
import { say, step } from './progress.mjs';
import { shareImages } from './share-images.mjs';
import { ensureTestUser, rootlessEngines } from './test-user.mjs';

const need = (folder, purpose, mebibytes) => ({ folder, purpose, mebibytes });

/** What Node and the packages will take where they are missing. */
function listSourceNeeds() {
  const needs = [need(os.tmpdir(), 'temporary files', 300)];
  if (nodePathAddition() !== null && !existsSync(nodePathAddition())) needs.push(need(toolsDir, 'Node 24', 350));
  if (!dependenciesAreInstalled()) needs.push(need(path.join(projectDir, 'node_modules'), 'npm packages', 400));
  return needs;
}

/** What the parts that are missing will take, before an engine can be asked. */
function listFirstNeeds({ forTests }) {
  const needs = listSourceNeeds();
  const missing = (forTests ? ['dockerd', 'podman'] : ['dockerd']).filter(
    (name) => findProgram(name, `${process.env.PATH}:/usr/sbin`) === null,
  );
  if (missing.length > 0 && mayInstallPackages()) needs.push(need('/usr', 'system packages', 450 * missing.length));
  if (forTests && !existsSync(testUserFile)) needs.push(need('/home', 'images of the rootless engines', 2000));
  return needs;
}

async function storageOf({ engine, env }) {
  const format = engine === 'docker' ? '{{.DockerRootDir}}' : '{{.Store.GraphRoot}}';
  const { stdout } = await run(engine, ['info', '--format', format], { env: { ...process.env, ...env } });
  // the storage of an engine inside a virtual machine is not this machine's
  return existsSync(stdout.trim()) ? stdout.trim() : null;
}

/** What the images that an engine lacks will take. */
async function listImageNeeds(engines, images) {
  const needs = [];
  for (const engine of engines) {
    const storage = await storageOf(engine);
    if (storage === null) continue;
    const bases = await Promise.all(images.map((image) => hasImage(engine, image)));
    if (bases.includes(false)) needs.push(need(storage, `the base image in ${engine.engine}`, 150));
    if (bases.includes(false)) needs.push(need(toolsDir, 'making the base image', 350));
    if (!(await hasOwnImages(engine))) needs.push(need(storage, `Kraft's images in ${engine.engine}`, 900));
  }
  return needs;
}

/** The account of the tests, and every image in each of the other engines: copied from the first, not built again. */
async function prepareTests([first, ...others], images, { yes }) {
  const user = await step('Account and rootless engines of the tests', () => ensureTestUser({ yes }));
  const rootful = others.map(({ engine, env }) => ({ title: engine, engine, env: { ...process.env, ...env } }));
  await step('Images in the other engines', () => shareImages(first, [...rootful, ...rootlessEngines(user)], images));
}

/** Brings what the sources need to be checked and run, and no engine. */
export function prepareSources() {
  return withLock(async () => {
    await step('Free disk', async () => checkDisk(listSourceNeeds()));
    await step('Node', ensureNode);
    await step('npm packages', ensureDependencies);
  });
}

/**
 * Brings everything that the quickstart needs; with `forTests` everything that the tests need.
 * @param {{yes: boolean, forTests: boolean}} options
 * @returns {Promise<{engine: string, version: string, env: object}[]>} the engines, the preferred one first
 */
export function prepare(options) {
  const complete = options.forTests && (mayInstallPackages() || process.env.KRAFT_E2E === 'required');
  return withLock(async () => {
    await step('Free disk', async () => checkDisk(listFirstNeeds({ ...options, forTests: complete })));
    await step('Node', ensureNode);
    await step('npm packages', ensureDependencies);
    const engines = [];
    await step(complete ? 'Container engines' : 'Container engine', async () => {
      engines.push(...(complete ? await ensureBothEngines(options) : await ensureOneEngine(options)));
      return engines.map(({ engine, version }) => `${engine} ${version} answers`).join(', ');
    });
    const baseImages = readBaseImages();
    await step(
      'Free disk for images',
      async () => checkDisk(await listImageNeeds(engines, baseImages)) || 'none needed',
    );
    for (const image of baseImages) await step(`Base image ${image}`, () => ensureBaseImage(image, engines, options));
    const [first, ...others] = engines;
    await step(`Kraft's images in ${first.engine}`, () => ensureOwnImages(first));
    if (complete) await prepareTests(engines, [...baseImages, ...ownImageNames()], options);
    for (const { engine } of others) await step(`Kraft's images in ${engine}`, () => ensureOwnImages({ engine }));
    if (options.forTests && !complete) say('The tests that need another account or a second engine are left out here.');
    return engines;
  });
}
