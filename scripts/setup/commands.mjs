// Every subprocess of the scripts starts here, and each one is bounded in time.

import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { SetupRefusal } from './progress.mjs';

const MINUTE_MS = 60_000;

/**
 * Runs a program to its end and never rejects for its exit code.
 * @param {string} program
 * @param {string[]} args
 * @param {object} options
 *   `timeoutMs` default one minute · `firstOutputMs` gives up when nothing at all was printed for so long ·
 *   `show` streams its output to the terminal as well.
 * @returns {Promise<{code: number, stdout: string, stderr: string, timedOut: boolean}>} code 127 when it cannot start
 */
export function run(program, args, options = {}) {
  const { timeoutMs = MINUTE_MS, firstOutputMs = null, show = false, env = process.env, cwd, uid, gid } = options;
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd,
      env,
      uid,
      gid,
      stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
    const result = { code: 127, stdout: '', stderr: '', timedOut: false };
    const giveUp = () => {
      result.timedOut = true;
      child.kill('SIGTERM');
      setTimeout(() => child.kill('SIGKILL'), 3000).unref();
    };
    const timers = [setTimeout(giveUp, timeoutMs)];
    const first = firstOutputMs === null ? null : setTimeout(giveUp, firstOutputMs);
    if (first !== null) timers.push(first);
    child.stdout.setEncoding('utf8').on('data', (text) => {
      if (first !== null) clearTimeout(first);
      if (show) process.stdout.write(text);
      result.stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text) => {
      if (show) process.stderr.write(text);
      result.stderr = (result.stderr + text).slice(-65_536);
    });
    if (options.input !== undefined) child.stdin.on('error', () => {}).end(options.input);
    const finish = (code) => {
      timers.forEach(clearTimeout);
      resolve({ ...result, code: result.timedOut ? 124 : code });
    };
    child.on('error', (error) => {
      result.stderr += String(error.message);
      finish(127);
    });
    child.on('close', (code, signal) => finish(code ?? (signal === null ? 1 : 128)));
  });
}

/** As `run`, but anything else than exit code 0 is a refusal that names the command and what it said. */
export async function runOrRefuse(program, args, options = {}) {
  const result = await run(program, args, options);
  if (result.code === 0) return result;
  const why = result.timedOut ? 'it did not end in time' : `exit code ${result.code}`;
  throw new SetupRefusal(
    `${program} ${args.slice(0, 6).join(' ')} failed: ${why}\n${tail(result.stderr || result.stdout)}`,
  );
}

/** Where a program lies on PATH, or null. */
export function findProgram(name, searchPath = process.env.PATH ?? '') {
  for (const folder of searchPath.split(path.delimiter)) {
    if (folder === '') continue;
    const candidate = path.join(folder, name);
    try {
      accessSync(candidate, constants.X_OK);
      return candidate;
    } catch {
      // not here
    }
  }
  return null;
}

/** Calls `condition` until it returns something truthy or the time is over; returns that, or null. */
export async function waitUntil(condition, { timeoutMs, intervalMs = 200 }) {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (performance.now() > deadline) return null;
    await new Promise((resolve) => setTimeout(resolve, intervalMs));
  }
}

function tail(text) {
  return text
    .trimEnd()
    .split('\n')
    .slice(-15)
    .map((line) => `  ${line}`)
    .join('\n');
}
