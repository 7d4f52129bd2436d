// What every part of the agent does to the world: say something, run something, write the result.

import { spawn } from 'node:child_process';
import { renameSync, writeFileSync } from 'node:fs';

const begin = performance.now();
const running = new Set();
const OUTPUT_KEPT = 64 * 1024;
let commandCount = 0;

/** Prints one JSON object on a line of its own. */
export function emit(object) {
  process.stdout.write(`${JSON.stringify(object)}\n`);
}

export function message(text) {
  emit({ type: 'message', text });
}

/**
 * Runs a command in the worktree and keeps the end of what it printed.
 * @param {string} program
 * @param {string[]} args
 * @param {{timeoutMs?: number}} options bounded at five minutes when nothing else is said
 */
export function execute(program, args, { timeoutMs = 300_000 } = {}) {
  commandCount += 1;
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    running.add(child);
    let output = '';
    const keep = (text) => {
      output = (output + text).slice(-OUTPUT_KEPT);
    };
    child.stdout.setEncoding('utf8').on('data', keep);
    child.stderr.setEncoding('utf8').on('data', keep);
    const timer = setTimeout(() => stop(child, 'SIGKILL'), timeoutMs);
    const finish = (code) => {
      clearTimeout(timer);
      running.delete(child);
      resolve({ code, output });
    };
    child.on('error', (error) => {
      output += error.message;
      finish(127);
    });
    child.on('close', (code) => finish(code ?? 128));
  });
}

function stop(child, signal) {
  try {
    process.kill(-child.pid, signal);
  } catch {
    // it has ended already
  }
}

/** Passes a signal on to everything that still runs. */
export function stopAll(signal) {
  for (const child of running) stop(child, signal);
}

/** Writes the result object whole or not at all; without KRAFT_RESULT_PATH nobody asked for one. */
export function writeResult(result) {
  const file = process.env.KRAFT_RESULT_PATH;
  if (file === undefined || file === '') return;
  const usage = {
    commands: commandCount,
    duration_ms: Math.round(performance.now() - begin),
    input_tokens: 0,
    output_tokens: 0,
  };
  const text = JSON.stringify({ cost_usd: 0, model: 'demo', ...result, usage: { ...usage, ...result.usage } });
  writeFileSync(`${file}.part`, `${text}\n`);
  renameSync(`${file}.part`, file);
}
