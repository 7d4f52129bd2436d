import { safeLine } from '../../base/index.ts';
import type { Health } from '../../compose/index.ts';
import { defineCommand, jsonOption, type Io } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { printJson } from '../print-json.ts';
import { openClient } from '../remote-kraft.ts';
import { protocolVersion } from '../../daemon-client/index.ts';
import { renderBlock } from '../render-table.ts';
import { renderLocalTime } from '../render-time.ts';

export const adminHealth = defineCommand({
  description:
    'Asks the daemon how it is. Exits 1 when none answers, when it is degraded, or when its version differs.',
  arguments: [],
  options: jsonOption,
  examples: [{ line: 'kraft admin health --json', does: 'For a monitor.' }],
  async run(parsed, io) {
    const health = await openClient(io).send<Health>('health', { query: { reasons: true } });
    const differs = health.protocol !== protocolVersion;
    if (parsed.options.json) printJson(io, health);
    // Of another protocol's answer only its head can be read.
    else if (!differs) io.out(renderHealth(health, io));
    if (differs) io.err(renderDiffers(health, io));
    return health.status === 'ok' && !differs ? exitCodes.ok : exitCodes.failed;
  },
});

function renderHealth(health: Health, io: Io): string {
  const rows: [string, string | null][] = [
    ['status', health.status === 'ok' ? io.style.green('ok') : io.style.yellow(safeLine(health.status))],
    ...health.reasons.map((reason): [string, string] => ['reason', safeLine(reason)]),
    ['version', safeLine(`${health.version} (protocol ${health.protocol})`)],
    ['pid', String(health.pid)],
    ['home', safeLine(health.home)],
    ['run', safeLine(health.runDir)],
    ['started', renderLocalTime(health.startedAt)],
    ['items', `${health.activeItems} running`],
    ['sessions', `${health.runningSessions} running`],
  ];
  return renderBlock(rows);
}

function renderDiffers(health: Health, io: Io): string {
  return (
    `This kraft is version ${io.version} (protocol ${protocolVersion}), the daemon is version ${safeLine(health.version)} (protocol ${health.protocol}, pid ${health.pid}).\n` +
    'Restart the daemon: kraft admin stop && kraft admin start --detach\n'
  );
}
