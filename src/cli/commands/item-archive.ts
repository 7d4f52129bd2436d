import { asKraftError, hasCode, renderBytes, safeLine } from '../../base/index.ts';
import type { ItemView } from '../../compose/index.ts';
import { defineCommand, flag, itemArgument, jsonOption, type Io } from '../command.ts';
import { confirm } from '../confirm.ts';
import { exitCodes } from '../exit-codes.ts';
import { resolveItemId } from '../item-id.ts';
import { printJson } from '../print-json.ts';
import { openRemoteKraft, type RemoteKraft } from '../remote-kraft.ts';
import { renderActed } from '../render-item.ts';

const command = 'kraft item archive';

export const itemArchive = defineCommand({
  description:
    'Frees what an item that has ended holds: worktree, ref store, sandbox home and results. Its record and what its\nsessions printed stay. Its branch stays too while it has commits that no other branch, tag or remote has. What lies\nuncommitted in the worktree is told first: on a terminal Kraft asks, elsewhere it needs `--yes`.',
  arguments: [itemArgument],
  options: {
    yes: flag('Remove what lies uncommitted in the worktree, too', 'y'),
    logs: flag('Remove what its sessions printed, too'),
    ...jsonOption,
  },
  examples: [
    { line: `${command} k7mq`, does: 'Free what the item holds.' },
    { line: `${command} k7mq --yes --logs`, does: 'All of it, without a question.' },
  ],
  async run({ arguments: [id], options }, io) {
    const itemId = resolveItemId(id ?? null, command, io);
    const kraft = openRemoteKraft(io);
    const view = await archive(kraft, io, { id: itemId, yes: options.yes, logs: options.logs });
    if (options.json) printJson(io, view);
    else io.out(renderActed('Archived', view) + (await renderFreed(kraft, view)));
    return exitCodes.ok;
  },
});

async function archive(
  kraft: RemoteKraft,
  io: Io,
  { id, yes, logs }: { readonly id: string; readonly yes: boolean; readonly logs: boolean },
): Promise<ItemView> {
  try {
    return await kraft.archiveItem(id, { yes, logs });
  } catch (error) {
    if (!hasCode(error, 'ARCHIVE_LOSES') || !io.terminal.interactive) throw error;
    await confirm(io, `Archiving ${id}`, safeLine(asKraftError(error).message));
    return kraft.archiveItem(id, { yes: true, logs });
  }
}

/** What the record says of it: how much was freed, and why the branch is still there. */
async function renderFreed(kraft: RemoteKraft, { item }: ItemView): Promise<string> {
  const rows = await kraft.events({ itemId: item.id, type: 'work_item_archived', afterSeq: 0, limit: 1 });
  const [row] = rows.flatMap((event) => (event.type === 'work_item_archived' ? [event.payload] : []));
  if (row === undefined) return '';
  const lines = row.freed_bytes === null ? [] : [`Freed ${renderBytes(row.freed_bytes)}.`];
  if (row.kept_branch) {
    const own = row.unpushed_commits ?? 0;
    const why =
      own === 0
        ? 'it is checked out'
        : `${own} ${own === 1 ? 'commit of it is' : 'commits of it are'} on no other branch, tag or remote`;
    lines.push(`The branch ${safeLine(item.branch)} is kept: ${why}.`);
  }
  return lines.length === 0 ? '' : `${lines.join(' ')}\n`;
}
