import type { Board } from '../../compose/index.ts';
import type { EventRow } from '../../events/index.ts';
import { defineCommand, flag, valued } from '../command.ts';
import { usageErrors } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { findScope } from '../find-scope.ts';
import { createRemoteKraft, openClient } from '../remote-kraft.ts';
import { openScreen } from '../screen.ts';
import { watchBoard, type BoardSource } from '../watch-board.ts';

const waitMs = 25_000;

export const viewWatch = defineCommand({
  description:
    'Shows what is going on, live: the items of the repository that the working directory lies in, else all. Drawn anew\nwhenever something happens. q or ctrl-c ends the view and stops nothing else. Needs a terminal.',
  arguments: [],
  options: {
    all: flag('Items of every repository', 'a'),
    repo: valued('P', 'Items of one repository, by path or name'),
  },
  examples: [
    { line: 'kraft view watch', does: 'The items of the repository at hand.' },
    { line: 'kraft view watch --all', does: 'Those of every repository.' },
  ],
  async run({ options }, io) {
    const command = 'kraft view watch';
    if (!io.terminal.movesCursor) throw usageErrors.create('TERMINAL_NEEDED', { command });
    const client = openClient(io);
    const { repo } = await findScope(createRemoteKraft(client), io, { command, ...options });
    const source: BoardSource = {
      board: () => client.send<Board>('board', { query: { repo } }),
      untilNews: async (afterSeq, abort) => {
        await client.send<readonly EventRow[]>('events', { query: { after_seq: afterSeq, waitMs }, abort });
      },
    };
    // Asked before the terminal is taken: what is wrong from the beginning is an error like any other.
    const first = await source.board();
    using screen = openScreen({ input: process.stdin, output: process.stdout, signals: process });
    await watchBoard({ source, screen, style: io.style, nowMs: Date.now, gapMs: 200, retryMs: 1_000 }, first);
    return exitCodes.ok;
  },
});
