// What a person sees while the scripts work: one line when a step begins, one when it ends with how long it took.

import process from 'node:process';

const finished = [];
const STILL_WORKING_MS = 20_000;

/** Prints one line at once. */
export function say(text) {
  process.stdout.write(`${text}\n`);
}

/** A duration for people: `0.4 s`, `12 s`, `3 min 5 s`. */
export function renderDuration(durationMs) {
  if (durationMs < 10_000) return `${(durationMs / 1000).toFixed(1)} s`;
  const seconds = Math.round(durationMs / 1000);
  if (seconds < 120) return `${seconds} s`;
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/**
 * Runs one named step and says how long it took. What `work` returns is said as the outcome when it is a text.
 * @param {string} title
 * @param {() => Promise<unknown>} work
 */
export async function step(title, work) {
  say(`== ${title}`);
  const begin = performance.now();
  const tick = () => say(`   … still working after ${renderDuration(performance.now() - begin)}`);
  const ticking = setInterval(tick, STILL_WORKING_MS);
  try {
    const outcome = await work();
    const durationMs = performance.now() - begin;
    finished.push({ title, durationMs });
    say(`   ${typeof outcome === 'string' ? outcome : 'done'} (${renderDuration(durationMs)})`);
    return outcome;
  } catch (error) {
    say(`   failed (${renderDuration(performance.now() - begin)})`);
    throw error;
  } finally {
    clearInterval(ticking);
  }
}

/** Prints every finished step with its duration. */
export function sayDurations() {
  const totalMs = finished.reduce((sum, each) => sum + each.durationMs, 0);
  say('\nHow long each step took:');
  for (const { title, durationMs } of finished) say(`  ${renderDuration(durationMs).padStart(12)}  ${title}`);
  say(`  ${renderDuration(totalMs).padStart(12)}  together`);
}

/** A refusal that is meant for people: printed without a stack, with exit code 1. */
export class SetupRefusal extends Error {}

/** Runs a script's main function; a refusal is printed as it is, anything else with its stack. */
export async function runMain(main) {
  try {
    process.exitCode = (await main()) ?? 0;
  } catch (error) {
    process.stderr.write(`\n${error instanceof SetupRefusal ? error.message : (error?.stack ?? error)}\n`);
    process.exitCode = 1;
  }
}
