#!/usr/bin/env node
// The scripted agent of the `demo` harness: no model and no network, but real edits, real test runs and real commits.

import { parseDirectives } from './directives.mjs';
import { repair } from './repair.mjs';
import { followScript } from './script.mjs';
import { emit, message, stopAll, writeResult } from './session.mjs';

const EXIT_INTERRUPTED = 130;

function readPrompt(args) {
  const at = args.indexOf('-p');
  return at === -1 ? (args.at(-1) ?? '') : (args[at + 1] ?? '');
}

process.once('SIGINT', () => {
  stopAll('SIGINT');
  emit({ type: 'message', text: 'interrupted' });
  writeResult({ status: 'failed', concerns: 'interrupted before the task was done' });
  process.exit(EXIT_INTERRUPTED);
});
process.once('SIGTERM', () => {
  stopAll('SIGTERM');
  process.exit(143);
});

async function main() {
  const prompt = readPrompt(process.argv.slice(2));
  const directives = parseDirectives(prompt);
  message(
    directives.length === 0 ? 'I look for a failing test and mend it.' : `I follow ${directives.length} directives.`,
  );
  const { result, exitCode } =
    directives.length === 0 ? { result: await repair(prompt), exitCode: 0 } : await followScript(directives);
  if (result !== null) {
    emit({ type: 'result', ...result });
    writeResult(result);
  }
  process.exitCode = exitCode;
}

await main();
