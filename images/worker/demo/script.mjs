// Carries out the directives of a task, in order.

import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseFileAndText } from './directives.mjs';
import { emit, execute, message } from './session.mjs';

const WAIT_MAX_MS = 5 * 60_000;
const CHUNK = 'x'.repeat(65_536);

async function waitFor(file) {
  const deadline = performance.now() + WAIT_MAX_MS;
  message(`waiting for ${file}`);
  while (!existsSync(file)) {
    if (performance.now() > deadline) return { failed: `${file} did not appear within five minutes` };
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  message(`${file} is there`);
  return {};
}

/** One line of that many bytes, its line break included. */
async function printBytes(count) {
  for (let left = count - 1; left > 0; left -= CHUNK.length) {
    const more = process.stdout.write(CHUNK.slice(0, left));
    if (!more) await new Promise((resolve) => process.stdout.once('drain', resolve));
  }
  process.stdout.write('\n');
  return {};
}

async function runCommand(program, args, shown) {
  const { code, output } = await execute(program, args);
  emit({ type: 'command', command: shown, exit_code: code, output });
  return code === 0 ? {} : { failed: `${shown} ended with exit code ${code}` };
}

function putFile(argument, put) {
  const { file, text } = parseFileAndText(argument);
  mkdirSync(path.dirname(path.resolve(file)), { recursive: true });
  put(file, text);
  emit({ type: 'edit', file });
  return {};
}

async function commit(subject) {
  const added = await runCommand('git', ['add', '--all'], 'git add --all');
  if (added.failed !== undefined) return added;
  // A task that is run again finds its first steps done.
  if ((await execute('git', ['diff', '--cached', '--quiet'])).code === 0) {
    message('nothing to commit');
    return {};
  }
  return runCommand('git', ['commit', '--quiet', '-m', subject], 'git commit');
}

const actions = {
  write: (argument) => putFile(argument, writeFileSync),
  append: (argument) => putFile(argument, appendFileSync),
  commit,
  sh: (argument) => runCommand('sh', ['-c', argument], argument),
  'wait-for': waitFor,
  print: (argument) => printBytes(Number(argument)),
  say: (argument) => {
    process.stdout.write(`${argument}\n`);
    return {};
  },
};

/**
 * @param {{verb: string, argument: string}[]} directives
 * @returns the result object (null for none) and the exit code
 */
export async function followScript(directives) {
  const failures = [];
  let status = null;
  let reported = {};
  let write = true;
  for (const { verb, argument } of directives) {
    if (verb === 'result') status = argument.trim();
    else if (verb === 'report') reported = { ...reported, ...JSON.parse(argument) };
    else if (verb === 'no-result') write = false;
    else if (verb === 'exit') return finish({ status, reported, failures, write, exitCode: Number(argument) });
    else {
      const { failed } = await actions[verb](argument);
      if (failed !== undefined) failures.push(failed);
    }
  }
  return finish({ status, reported, failures, write, exitCode: 0 });
}

function finish({ status, reported, failures, write, exitCode }) {
  if (!write) return { result: null, exitCode };
  const concerns = failures.length === 0 ? {} : { concerns: failures.join('; ') };
  const ended = status ?? (failures.length === 0 ? 'done' : 'failed');
  return { result: { status: ended, ...concerns, ...reported }, exitCode };
}
