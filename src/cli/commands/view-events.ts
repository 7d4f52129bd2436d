import { defineCommand, flag, itemArgument, jsonOption, valued, type Io } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { findItemId } from '../item-id.ts';
import { createJsonList, printJsonLine } from '../print-json.ts';
import { readCount } from '../read-count.ts';
import { openRemoteKraft, type RemoteKraft } from '../remote-kraft.ts';
import { renderEvent } from '../render-events.ts';

const pageSize = 500;
const waitMs = 25_000;

export const viewEvents = defineCommand({
  description:
    'Shows the recorded facts of an item, or of every item when none is meant. `--json` gives a list, with `-f` one event a line.',
  arguments: [itemArgument],
  options: {
    type: valued('T', 'Only events of this type'),
    after: valued('N', 'Only events after this number'),
    follow: flag('Go on with new events until interrupted', 'f'),
    all: flag('Events of every item', 'a'),
    ...jsonOption,
  },
  examples: [
    { line: 'kraft view events k7mq', does: 'Everything that happened to one item.' },
    { line: 'kraft view events -f --type work_item_needs_human', does: 'Watch for items that stop for a person.' },
  ],
  async run(parsed, io) {
    const { options } = parsed;
    const after = readCount(options.after, '--after', 'kraft view events') ?? 0;
    const query = {
      itemId: options.all ? null : (parsed.arguments[0] ?? findItemId(io)),
      type: options.type,
    };
    const kraft = openRemoteKraft(io);
    if (options.follow) return followEvents(kraft, { ...query, after }, { io, json: options.json });
    const list = options.json ? createJsonList(io) : null;
    for (let afterSeq = after; ;) {
      const page = await kraft.events({ ...query, afterSeq, limit: pageSize });
      if (list === null) io.out(page.map((row) => renderEvent(row, io.style)).join(''));
      else list.add(page);
      await io.flushed();
      const last = page.at(-1);
      if (last === undefined || page.length < pageSize) break;
      afterSeq = last.seq;
    }
    list?.end();
    return exitCodes.ok;
  },
});

/** Prints rows as they come. Ends by an interrupt alone, which stops nothing but this command. */
async function followEvents(
  kraft: RemoteKraft,
  query: { readonly itemId: string | null; readonly type: string | null; readonly after: number },
  output: { readonly io: Io; readonly json: boolean },
): Promise<number> {
  for (let afterSeq = query.after; ;) {
    const rows = await kraft.followEvents({ itemId: query.itemId, type: query.type, afterSeq, waitMs });
    for (const row of rows) {
      if (output.json) printJsonLine(output.io, row);
      else output.io.out(renderEvent(row, output.io.style));
      afterSeq = row.seq;
    }
    await output.io.flushed();
  }
}
