// npm run soak: many items on one daemon, for what shows only in numbers: leftovers, growth, a queue that stalls.

import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { run, waitUntil } from './setup/commands.mjs';
import { engineEnvironment } from './setup/engines.mjs';
import { prepare } from './setup/prepare.mjs';
import { SetupRefusal, renderDuration, runMain, say, sayDurations, step } from './setup/progress.mjs';
import { openKraft } from './quickstart/kraft.mjs';
import { makePlayground } from './quickstart/playground.mjs';

const help = `npm run soak [-- OPTIONS]

  --items N    how many items (default 40)
  --bytes N    what each agent prints (default 10 MB)
  --yes        install system packages without asking

Files all items at once, lets Kraft's own queue take them, and fails when one does not complete, when a container or a worktree
is left, or when the daemon's memory more than doubles.`;

const ITEM_MS = 60_000;
const resting = new Set(['completed', 'needs_human', 'paused', 'abandoned']);

async function readDaemonMebibytes(kraft) {
  const { pid } = await kraft.json(['admin', 'health']);
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024);
}

async function fileItems(kraft, { count, bytes, repository }) {
  const ids = [];
  for (let index = 0; index < count; index += 1) {
    const file = `soak/item-${index}.txt`;
    const description = `demo: print ${bytes}\ndemo: write ${file} ${index}\ndemo: commit Add ${file}`;
    const args = ['item', 'create', `Soak ${index}`, '--description', description, '--repo', repository];
    const { code, stdout, stderr } = await kraft.quiet([
      ...args,
      '--chain',
      'quick-task',
      '--harness',
      'demo',
      '--autostart',
      '--json',
    ]);
    if (code !== 0) throw new SetupRefusal(`item ${index} was not filed:\n${stderr}`);
    ids.push(JSON.parse(stdout).item.id);
  }
  return ids;
}

async function waitForAll(kraft, ids) {
  let done = 0;
  const read = async () => {
    const { code, stdout } = await kraft.quiet(['view', 'list', '--all', '--json']);
    return code === 0 ? JSON.parse(stdout).filter((item) => ids.includes(item.id)) : [];
  };
  const items = await waitUntil(
    async () => {
      const now = await read();
      const rested = now.filter((item) => resting.has(item.status)).length;
      if (rested !== done) say(`   ${rested} of ${ids.length} rest`);
      done = rested;
      return rested === ids.length ? now : null;
    },
    { timeoutMs: ids.length * ITEM_MS, intervalMs: 2000 },
  );
  if (items === null) throw new SetupRefusal(`Only ${done} of ${ids.length} items came to rest.`);
  const others = items.filter((item) => item.status !== 'completed');
  if (others.length > 0) {
    throw new SetupRefusal(`Not completed: ${others.map((item) => `${item.id} ${item.status}`).join(', ')}`);
  }
}

async function listContainers(engine, home) {
  const args = ['ps', '--all', '--filter', `label=kraft.home=${home}`, '--format', '{{.Names}}'];
  const { stdout } = await run(engine.engine, args, { env: { ...engineEnvironment(), ...engine.env } });
  return stdout.split('\n').filter((name) => name !== '');
}

async function soak(playground, engine, { count, bytes }) {
  const { repository, home } = playground;
  const kraft = openKraft(playground, engine);
  await kraft.show(['repo', 'connect', repository, '--setup-command', '', '--no-tests']);
  try {
    await kraft.show(['admin', 'start', '--detach']);
    const begin = performance.now();
    const ids = await step(`File ${count} items`, () => fileItems(kraft, { count, bytes, repository }));
    const early = await readDaemonMebibytes(kraft);
    await step('All of them complete', () => waitForAll(kraft, ids));
    const late = await readDaemonMebibytes(kraft);
    say(`   ${renderDuration((performance.now() - begin) / count)} an item; daemon ${early} MiB, then ${late} MiB`);
    if (late > 2 * early) throw new SetupRefusal(`The daemon grew from ${early} MiB to ${late} MiB.`);
    const left = await listContainers(engine, home);
    if (left.length > 0) throw new SetupRefusal(`Containers are left: ${left.join(', ')}`);
    const branches = await run('git', ['-C', repository, 'for-each-ref', '--format=%(refname)', 'refs/heads/kraft']);
    const found = branches.stdout.trim().split('\n').length;
    if (found !== count) throw new SetupRefusal(`${found} branches are there in place of ${count}.`);
  } finally {
    await kraft.quiet(['admin', 'stop', '--pause']);
  }
}

await runMain(async () => {
  const { values } = parseArgs({
    options: {
      items: { type: 'string', default: '40' },
      bytes: { type: 'string', default: String(10_000_000) },
      yes: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return say(help);
  const [engine] = await prepare({ yes: values.yes, forTests: false });
  const playground = await makePlayground({ engine: engine.engine, keep: false });
  await soak(playground, engine, { count: Number(values.items), bytes: Number(values.bytes) });
  rmSync(path.dirname(playground.home), { recursive: true, force: true });
  sayDurations();
  return 0;
});
