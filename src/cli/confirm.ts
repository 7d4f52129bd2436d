import { createInterface } from 'node:readline/promises';
import type { Io } from './command.ts';
import { cliErrors } from './errors.ts';

/** Asks before something that cannot be undone. Errors: NOT_CONFIRMED, at once where there is no terminal to ask on. */
export async function confirm(io: Io, action: string, consequence: string): Promise<void> {
  const refused = cliErrors.create('NOT_CONFIRMED', { action });
  if (!io.terminal.interactive) throw refused;
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await reader.question(`${action}: ${consequence} Go on? [y/N] `);
    if (!/^y(es)?$/i.test(answer.trim())) throw refused;
  } finally {
    reader.close();
  }
}
