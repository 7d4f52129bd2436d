// One set-up at a time: a second one waits for the first.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { waitUntil } from './commands.mjs';
import { toolsDir } from './places.mjs';
import { SetupRefusal, say } from './progress.mjs';

const lockFile = path.join(toolsDir, 'setup.lock');
const WAIT_MS = 30 * 60_000;

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function tryLock() {
  try {
    writeFileSync(lockFile, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  try {
    if (!isRunning(Number(readFileSync(lockFile, 'utf8')))) rmSync(lockFile, { force: true });
  } catch {
    // the owner has just removed it
  }
  return false;
}

/** Runs `work` while no other set-up of this checkout runs. */
export async function withLock(work) {
  mkdirSync(toolsDir, { recursive: true });
  if (!tryLock() && !tryLock()) {
    say('Another set-up of this checkout is running; waiting for it.');
    if (!(await waitUntil(async () => tryLock(), { timeoutMs: WAIT_MS, intervalMs: 500 }))) {
      throw new SetupRefusal(`The other set-up does not end. If none runs, remove ${lockFile}.`);
    }
  }
  try {
    return await work();
  } finally {
    rmSync(lockFile, { force: true });
  }
}
