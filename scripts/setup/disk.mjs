// Free disk, checked before anything is filled.

import { existsSync, statfsSync, statSync } from 'node:fs';
import path from 'node:path';
import { SetupRefusal } from './progress.mjs';

const MEBIBYTE = 1024 * 1024;

/** The nearest folder above that exists, so that a place can be asked about before it is made. */
function nearestExisting(folder) {
  let current = folder;
  while (!existsSync(current)) current = path.dirname(current);
  return current;
}

/**
 * Adds up what is needed on each file system and compares it with what is free there.
 * @param {{folder: string, purpose: string, mebibytes: number}[]} needs
 * @throws {SetupRefusal} naming the place, what it is for, what is needed and what is free
 */
export function checkDisk(needs) {
  const byDevice = new Map();
  for (const need of needs) {
    const folder = nearestExisting(need.folder);
    const device = statSync(folder).dev;
    const entry = byDevice.get(device) ?? { folder, needs: [], mebibytes: 0 };
    entry.needs.push(need);
    entry.mebibytes += need.mebibytes;
    byDevice.set(device, entry);
  }
  const told = [];
  for (const entry of byDevice.values()) {
    const { bavail, bsize } = statfsSync(entry.folder);
    const free = Math.floor((bavail * bsize) / MEBIBYTE);
    const detail = entry.needs
      .map((need) => `  ${need.mebibytes} MiB in ${need.folder} for ${need.purpose}`)
      .join('\n');
    if (free < entry.mebibytes) {
      throw new SetupRefusal(
        `Not enough free disk: ${entry.mebibytes} MiB are needed, ${free} MiB are free.\n${detail}\nFree some space, then run this again.`,
      );
    }
    told.push(`${entry.mebibytes} MiB needed, ${free} MiB free at ${entry.folder}`);
  }
  return told.join('; ');
}
