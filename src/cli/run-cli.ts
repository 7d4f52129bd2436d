import { asKraftError, type KraftError } from '../base/index.ts';
import type { Io } from './command.ts';
import { renderName } from './command-table.ts';
import { exitCodeOf, exitCodes } from './exit-codes.ts';
import { findCommand, type Asked } from './find-command.ts';
import { parseArguments } from './parse-arguments.ts';
import { renderError, renderErrorJson } from './render-error.ts';

/** Runs one command line and answers its exit code. Whatever is thrown is printed as an error; nothing escapes. */
export async function runCli(argv: readonly string[], io: Io): Promise<number> {
  try {
    return await runAsked(findCommand(argv), io);
  } catch (thrown) {
    const error = asKraftError(thrown);
    reportError(error, argv, io);
    return exitCodeOf(error);
  }
}

async function runAsked(asked: Asked, io: Io): Promise<number> {
  switch (asked.kind) {
    case 'version':
      io.out(`${io.version}\n`);
      return exitCodes.ok;
    case 'help':
      io.out(await renderHelp(asked.about, io));
      return exitCodes.ok;
    case 'run': {
      const command = await asked.entry.load();
      return command.run(parseArguments(renderName(asked.entry), command, asked.args), io);
    }
  }
}

async function renderHelp(about: Extract<Asked, { kind: 'help' }>['about'], io: Io): Promise<string> {
  const { renderCommandHelp, renderGroup, renderOverview } = await import('./render-help.ts');
  if (about === null) return renderOverview(io.version);
  return typeof about === 'string' ? renderGroup(about) : renderCommandHelp(about, await about.load());
}

/** With `--json` the error is the payload on standard output; otherwise it is text on standard error. */
function reportError(error: KraftError, argv: readonly string[], io: Io): void {
  const dashes = argv.indexOf('--');
  const options = dashes === -1 ? argv : argv.slice(0, dashes);
  if (options.includes('--json')) io.out(renderErrorJson(error, isNdjson(argv) ? 0 : 2));
  else io.err(renderError(error, io.style));
}

/** Verbs whose `--json` is one object a line. */
function isNdjson(argv: readonly string[]): boolean {
  const follows = argv.includes('-f') || argv.includes('--follow');
  return argv[0] === 'view' && (argv[1] === 'logs' || (argv[1] === 'events' && follows));
}
