// Runs one program of the tests with its output live, and says that it still runs when it is silent for long.

import { spawn } from 'node:child_process';
import process from 'node:process';

const SILENCE_MS = 30_000;

/**
 * @param {string} program
 * @param {string[]} args
 * @param {{title: string, env: object, cwd: string, timeoutMs: number}} options
 * @returns {Promise<number>} exit code; 124 when it did not end in time
 */
export function runLive(program, args, { title, env, cwd, timeoutMs }) {
  return new Promise((resolve) => {
    const begin = performance.now();
    let lastOutput = begin;
    let timedOut = false;
    // a process group of its own, so that nothing of it outlives its time
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    for (const [from, to] of [
      [child.stdout, process.stdout],
      [child.stderr, process.stderr],
    ]) {
      from.on('data', (chunk) => {
        lastOutput = performance.now();
        to.write(chunk);
      });
    }
    const heartbeat = setInterval(() => {
      if (performance.now() - lastOutput < SILENCE_MS) return;
      lastOutput = performance.now();
      process.stdout.write(`   ${title}: still running after ${Math.round((lastOutput - begin) / 1000)} s\n`);
    }, 5000);
    const stop = (signal) => {
      try {
        process.kill(-child.pid, signal);
      } catch {
        // it has ended
      }
    };
    const timer = setTimeout(() => {
      timedOut = true;
      process.stdout.write(`   ${title}: did not end within ${Math.round(timeoutMs / 60_000)} min and is stopped\n`);
      stop('SIGTERM');
      setTimeout(() => stop('SIGKILL'), 10_000).unref();
    }, timeoutMs);
    const interrupt = (signal) => stop(signal);
    process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
    const finish = (code) => {
      clearInterval(heartbeat);
      clearTimeout(timer);
      process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
      resolve(timedOut ? 124 : code);
    };
    child.on('error', (error) => {
      process.stderr.write(`${program}: ${error.message}\n`);
      finish(127);
    });
    child.on('close', (code) => finish(code ?? 128));
  });
}
