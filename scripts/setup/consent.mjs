// When a system package may be installed: a person at a terminal is asked, anyone else is told.

import process from 'node:process';
import { createInterface } from 'node:readline/promises';
import { SetupRefusal, say } from './progress.mjs';

/**
 * Names what is about to be changed on the machine and, on a terminal, asks.
 * `CI=true`, `--yes` and a missing terminal all mean: say it and go on.
 * @throws {SetupRefusal} when the person says no
 */
export async function confirmChange(question, lines, { yes }) {
  for (const line of lines) say(`   ${line}`);
  const ask = process.stdin.isTTY === true && process.stdout.isTTY === true && process.env.CI !== 'true' && !yes;
  if (!ask) return;
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question(`   ${question} [y/N] `).finally(() => terminal.close());
  if (!/^y(es)?$/i.test(answer.trim())) {
    throw new SetupRefusal(
      'Nothing was installed. Run it again and answer y, or install the packages named above yourself.',
    );
  }
}
