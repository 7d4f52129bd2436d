// Copies images from one engine into others: quicker than building them once per engine.

import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { nameIn } from './base-image.mjs';
import { run, runOrRefuse } from './commands.mjs';

const COPY_MS = 300_000;

/** Runs an engine's command as whoever it belongs to. `as` is a prefix such as `setpriv … --`, empty for this user. */
function call({ engine, env, as = [] }, args, start = run) {
  const [program, ...rest] = [...as, engine, ...args];
  return start(program, rest, { env, cwd: '/', timeoutMs: COPY_MS });
}

async function readId(place, name) {
  const { code, stdout } = await call(place, ['image', 'inspect', '--format', '{{.Id}}', nameIn(place.engine, name)]);
  return code === 0 ? stdout.trim() : null;
}

/** Every name of one image, so that a copy has its content tag as well. */
async function readNames(place, image) {
  const { stdout } = await call(
    place,
    ['image', 'inspect', '--format', '{{join .RepoTags "\\n"}}', image],
    runOrRefuse,
  );
  return stdout.trim().split('\n');
}

/** Whether all names are there and mean one image; between two engines of one kind also the same one. */
async function hasAll(place, names, source) {
  const ids = await Promise.all(names.map((name) => readId(place, name)));
  if (ids.some((id) => id === null || id !== ids[0])) return false;
  return place.engine !== source.engine || ids[0] === (await readId(source, names[0]));
}

/**
 * @param {{engine: string, env: object}} source
 * @param {{title: string, engine: string, env: object, as?: string[]}[]} targets
 * @param {string[]} images
 */
export async function shareImages(source, targets, images) {
  const from = { ...source, env: { ...process.env, ...source.env } };
  const told = [];
  for (const image of images) {
    const names = await readNames(from, image);
    const lacking = [];
    for (const target of targets) if (!(await hasAll(target, names, from))) lacking.push(target);
    if (lacking.length === 0) continue;
    const folder = mkdtempSync(path.join(os.tmpdir(), 'kraft-image-'));
    try {
      chmodSync(folder, 0o755);
      const archive = path.join(folder, 'image.tar');
      await call(from, ['save', '-o', archive, ...names], runOrRefuse);
      chmodSync(archive, 0o644);
      for (const target of lacking) {
        await call(target, ['load', '-i', archive], runOrRefuse);
        told.push(`${image} into ${target.title}`);
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  return told.length === 0 ? 'all images are there' : told.join(', ');
}
