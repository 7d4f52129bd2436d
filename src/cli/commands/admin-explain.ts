import type { AnyCatalogue } from '../../compose/index.ts';
import { defineCommand, jsonOption } from '../command.ts';
import { cliErrors, usageErrors } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { daemonClientErrors } from '../../daemon-client/index.ts';
import { describeError, type ErrorDescription } from '../../base/index.ts';
import { printJson } from '../print-json.ts';
import { suggest } from '../suggest.ts';

export const adminExplain = defineCommand({
  description: 'Explains an error by its code: what it says, and what to do. Words in angle brackets differ each time.',
  arguments: [{ name: 'CODE', required: true, help: 'As printed, with or without KRAFT_, in any case' }],
  options: jsonOption,
  examples: [{ line: 'kraft admin explain KRAFT_DAEMON_NOT_RUNNING', does: 'What that error means.' }],
  async run(parsed, io) {
    const typed = (parsed.arguments[0] ?? '').toUpperCase().replace(/^(?!KRAFT_)/, 'KRAFT_');
    const known = await readCatalogue();
    const found = known.find((each) => each.code === typed);
    if (found === undefined) {
      const meant = suggest(
        typed,
        known.map((each) => each.code),
      );
      throw cliErrors.create('CODE_UNKNOWN', { code: typed, meant });
    }
    if (parsed.options.json) printJson(io, found);
    else
      io.out(
        `${io.style.bold(found.code)} (${found.kind})\n\n${found.message}\n\n${io.style.bold('remedy:')} ${found.remedy}\n`,
      );
    return exitCodes.ok;
  },
});

/** Every entry of every folder. */
export async function readCatalogue(): Promise<readonly ErrorDescription[]> {
  const [{ readCatalogues }, { daemonErrors }] = await Promise.all([
    import('../../compose/index.ts'),
    import('../../daemon/index.ts'),
  ]);
  const catalogues: readonly AnyCatalogue[] = [
    ...(await readCatalogues()),
    cliErrors,
    usageErrors,
    daemonClientErrors,
    daemonErrors,
  ];
  return catalogues.flatMap(({ specs }) => Object.entries(specs).map(([code, spec]) => describeError(code, spec)));
}
