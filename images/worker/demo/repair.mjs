// The agent's own task: run the tests, and while they fail, look for a small change of the sources that mends them.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { candidatesOf } from './candidates.mjs';
import { emit, execute, message } from './session.mjs';

const TRIES_MAX = 400;
const SOURCE = /\.(js|mjs|cjs|ts|mts)$/;
const TEST = /(^|\/)(test|tests|__tests__)\/|\.(test|spec)\.[cm]?[jt]s$/;

/** The command that tests the worktree: the one that the prompt's facts name, else what the repository offers. */
export function readTestCommand(prompt) {
  const facts = prompt.slice(Math.max(0, prompt.lastIndexOf('# The repository')));
  const named = /^[\s*-]*tests?(?: command)?[^:`\n]{0,60}:\s*`([^`]+)`/im.exec(facts)?.[1];
  if (named !== undefined) return named;
  if (existsSync('package.json')) {
    const scripts = JSON.parse(readFileSync('package.json', 'utf8')).scripts ?? {};
    if (typeof scripts.test === 'string') return 'npm test';
  }
  return 'node --test';
}

async function runTests(command) {
  const { code, output } = await execute('sh', ['-c', command], { timeoutMs: 120_000 });
  return { passed: code === 0, code, output };
}

/** Says how a test run ended, with the lines that tell what failed. */
function sayTests(command, { code, output }) {
  const failures = output
    .split('\n')
    .filter((line) => /^\s*(not ok|✖|✗|×|FAIL)/.test(line))
    .slice(0, 8);
  emit({ type: 'tests', command, exit_code: code, ...(failures.length === 0 ? {} : { failures }) });
}

/** The tracked sources that are no tests; those that the failure mentions, or whose name a test shares, come first. */
async function listSources(output) {
  const { output: listed } = await execute('git', ['ls-files', '-z']);
  const files = listed.split('\0').filter((name) => SOURCE.test(name) && !TEST.test(name) && !/\.config\./.test(name));
  const rank = (file) => {
    const stem = file.replace(/^.*\//, '').replace(SOURCE, '');
    return output.includes(file) ? 0 : output.includes(stem) ? 1 : 2;
  };
  return files.sort((left, right) => rank(left) - rank(right) || left.localeCompare(right));
}

/** Tries changes until the tests pass; the file holds the change then, and is as it was otherwise. */
async function searchChange(command, files) {
  let tries = 0;
  for (const file of files) {
    const source = readFileSync(file, 'utf8');
    for (const candidate of candidatesOf(source)) {
      if (tries >= TRIES_MAX) break;
      tries += 1;
      writeFileSync(file, candidate.text);
      if ((await runTests(command)).passed) return { tries, change: { file, ...candidate } };
    }
    writeFileSync(file, source);
  }
  return { tries, change: null };
}

async function commitChange({ file, line, before, after }) {
  const subject = `Use \`${after}\` in place of \`${before}\` in ${file}`;
  const body = `The tests failed because of line ${line}; with this change all of them pass.`;
  const added = await execute('git', ['add', '--', file]);
  const done = added.code === 0 ? await execute('git', ['commit', '--quiet', '-m', subject, '-m', body]) : added;
  emit({ type: 'commit', subject, exit_code: done.code, ...(done.code === 0 ? {} : { output: done.output }) });
  return done.code === 0 ? { subject } : { problem: `git commit failed: ${done.output.trim()}` };
}

/** Does the task and returns the result object. */
export async function repair(prompt) {
  const command = readTestCommand(prompt);
  message(`I run the tests: ${command}`);
  const first = await runTests(command);
  sayTests(command, first);
  if (first.passed) return { status: 'done', summary: 'All tests pass as they are; nothing was changed.' };
  const files = await listSources(first.output);
  message(`They fail. I look for the fault in ${files.length} source files: ${files.slice(0, 8).join(', ')}`);
  const { tries, change } = await searchChange(command, files);
  if (change === null) {
    return { status: 'failed', concerns: `The tests fail, and none of ${tries} small changes mends them.` };
  }
  message(
    `After ${tries} tries: line ${change.line} of ${change.file} needs \`${change.after}\` in place of \`${change.before}\`.`,
  );
  const last = await runTests(command);
  sayTests(command, last);
  if (!last.passed) return { status: 'failed', concerns: 'The tests passed once and then failed again.' };
  const committed = await commitChange(change);
  if (committed.problem !== undefined) return { status: 'failed', concerns: committed.problem };
  return { status: 'done', summary: `${committed.subject}; all tests pass.` };
}
