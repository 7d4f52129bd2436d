import { hasCode } from '../../base/index.ts';
import type { StopAnswer } from '../../daemon-client/index.ts';
import { defineCommand, flag } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { openClient } from '../remote-kraft.ts';
import { untilGone } from '../until-gone.ts';

const stopsWithinMs = 15_000;

export const adminStop = defineCommand({
  description:
    'Stops the daemon. Running sessions go on in their containers, and the next daemon adopts them; with `--pause` their\nitems are paused first. Nothing running is a success.',
  arguments: [],
  options: { pause: flag('Pause every running item first, and wait until its session has ended') },
  examples: [
    { line: 'kraft admin stop', does: 'Stop it; agents go on working.' },
    { line: 'kraft admin stop --pause', does: 'Stop everything.' },
  ],
  async run(parsed, io) {
    const { pause } = parsed.options;
    try {
      // Pausing waits for sessions to end: an interrupt has a grace of its own.
      const answer = await openClient(io).send<StopAnswer>('stop', { body: { pause }, timeoutMs: 300_000 });
      await untilGone(answer.pid, stopsWithinMs);
      io.out(renderStopped(answer));
    } catch (error) {
      if (!hasCode(error, 'DAEMON_NOT_RUNNING')) throw error;
      io.out('No daemon runs.\n');
    }
    return exitCodes.ok;
  },
});

function renderStopped(answer: StopAnswer): string {
  const paused = answer.paused === 0 ? '' : `${count(answer.paused, 'item')} paused. `;
  const left =
    answer.leftRunning === 0
      ? 'No session runs.'
      : `${count(answer.leftRunning, 'session')} left running for the next daemon to adopt.`;
  return `Stopped. ${paused}${left}\n`;
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}
