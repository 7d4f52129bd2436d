// npm run quickstart: the main job once, on a sample repository, with the real command line and a real container.

import process from 'node:process';
import { parseArgs } from 'node:util';
import { prepare } from './setup/prepare.mjs';
import { runMain, say, sayDurations, step } from './setup/progress.mjs';
import { followItem } from './quickstart/follow.mjs';
import { openKraft } from './quickstart/kraft.mjs';
import { makePlayground } from './quickstart/playground.mjs';
import { showOutcome } from './quickstart/show.mjs';

const help = `npm run quickstart [-- OPTIONS]

  --yes     install system packages without asking (so do CI=true and a missing terminal)
  --keep    the next quickstart leaves what this one made

Makes a throw-away Kraft home and a sample repository with a failing test, lets the scripted demo agent mend it in a
container, and shows what came of it.`;

const title = 'Mend the bulk discount';
const description = 'A test of the basket fails. Find out why, mend the code and leave the tests as they are.';

async function runJob(playground, engine) {
  const kraft = openKraft(playground, engine);
  await step('Connect the repository', () =>
    kraft.show(['repo', 'connect', playground.repository, '--setup-command', '', '--test-command', 'npm test']),
  );
  try {
    await step('Start the daemon', () => kraft.show(['admin', 'start', '--detach']));
    const created = await step('File an item', async () => {
      const args = ['item', 'create', title, '--description', description, '--repo', playground.repository];
      return kraft.json([...args, '--chain', 'quick-task', '--harness', 'demo']);
    });
    const { id } = created.item;
    await step('Start it', () => kraft.show(['item', 'start', id]));
    const view = await step('Follow it live', () => followItem(kraft, id));
    return await showOutcome(kraft, { playground, view, id });
  } finally {
    await kraft.quiet(['admin', 'stop', '--pause']);
  }
}

await runMain(async () => {
  const { values } = parseArgs({
    options: {
      yes: { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return say(help);
  const [engine] = await prepare({ yes: values.yes, forTests: false });
  const playground = await makePlayground({ engine: engine.engine, keep: values.keep });
  const completed = await runJob(playground, engine);
  sayDurations();
  say(`\nEverything of this run lies in ${playground.directory}`);
  say(values.keep ? 'It stays until you remove it.' : 'The next quickstart removes it; `-- --keep` keeps it.');
  return completed ? 0 : 1;
});
