// Follows one item until it rests: its log live, its state beside it.

import { waitUntil } from '../setup/commands.mjs';
import { SetupRefusal } from '../setup/progress.mjs';

const ITEM_MS = 10 * 60_000;
const LAST_LINES_MS = 5000;
const resting = new Set(['completed', 'needs_human', 'paused', 'abandoned']);

async function readView(kraft, id) {
  const { code, stdout } = await kraft.quiet(['view', 'show', id, '--json']);
  return code === 0 ? JSON.parse(stdout) : null;
}

/** @returns {Promise<object>} the item as `view show --json` gives it once it rests */
export async function followItem(kraft, id) {
  const follower = kraft.follow(['view', 'logs', id, '-f']);
  const ended = new Promise((resolve) => follower.once('close', resolve));
  try {
    const view = await waitUntil(
      async () => {
        const now = await readView(kraft, id);
        return now !== null && resting.has(now.item.status) ? now : null;
      },
      { timeoutMs: ITEM_MS, intervalMs: 700 },
    );
    if (view === null) throw new SetupRefusal(`The item ${id} did not come to rest within ten minutes.`);
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, LAST_LINES_MS).unref())]);
    return view;
  } finally {
    if (follower.exitCode === null) follower.kill('SIGINT');
    await ended;
  }
}
