import { defineCommand, flag, itemArgument, valued } from '../command.ts';
import { usageErrors } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { followLog, printLog } from '../follow-log.ts';
import { resolveItemId } from '../item-id.ts';
import { readCount } from '../read-count.ts';
import { openRemoteKraft } from '../remote-kraft.ts';

const linesByDefault = 50;

export const viewLogs = defineCommand({
  description:
    'Shows the last output of an item’s newest session. With `-f` it goes on with what comes, through the item’s further\nsessions, until the item stops or ends; an interrupt stops only the following. What a log lacks is said on standard\nerror. With `--json` a line of more than a megabyte comes in parts, all but the last with `partial`.',
  arguments: [itemArgument],
  options: {
    follow: flag('Go on with new output', 'f'),
    lines: valued('N', `Lines to begin with (default ${linesByDefault}; 0 for none)`, 'n'),
    session: valued('ID', 'One session instead of the newest'),
    json: flag('One JSON object per line of output'),
  },
  examples: [
    { line: 'kraft view logs k7mq', does: `The last ${linesByDefault} lines.` },
    { line: 'kraft view logs k7mq -f -n 0', does: 'Only what comes from now on.' },
  ],
  async run(parsed, io) {
    const { options } = parsed;
    const command = 'kraft view logs';
    const itemId = resolveItemId(parsed.arguments[0] ?? null, command, io);
    const lines = readCount(options.lines, '--lines', command) ?? linesByDefault;
    if (options.follow && options.session !== null) {
      throw usageErrors.create('OPTIONS_CONFLICT', { command, options: ['--follow', '--session'] });
    }
    const reading = { kraft: openRemoteKraft(io), io, itemId, json: options.json };
    if (options.follow) await followLog(reading, lines);
    else await printLog(reading, { sessionId: options.session, lines });
    return exitCodes.ok;
  },
});
