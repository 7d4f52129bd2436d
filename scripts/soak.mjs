// npm run soak: many items on one daemon, for what shows only in numbers: leftovers, growth, a queue that stalls.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { run, waitUntil } from './setup/commands.mjs';
import { engineEnvironment } from './setup/engines.mjs';
import { prepare } from './setup/prepare.mjs';
import { SetupRefusal, renderDuration, runMain, say, sayDurations, step } from './setup/progress.mjs';
import { openKraft } from './quickstart/kraft.mjs';
import { makePlayground } from './quickstart/playground.mjs';

const help = `npm run soak [-- OPTIONS]

  --items N    how many items (default 50)
  --at-once N  how many of them run at once (default 8)
  --bytes N    what each agent prints (default 10 MB)
  --follow N   what one more agent prints while it is followed (default 2 GB, which is over the cap of a log)
  --yes        install system packages without asking

Follows one agent that prints more than a log keeps: the daemon must stay small, and what was dropped must be said. Then
files all items at once, lets Kraft's own queue take them, and fails when one does not complete, when one records other
events than the first, when a container is left, or when the daemon's memory does not come back to what it was after the
first item.`;

const ITEM_MS = 60_000;
/** How long an idle daemon may take to give memory back, and how far it may stay above its base line. */
const REST_MS = 120_000;
const GROWTH = 1.25;
const resting = new Set(['completed', 'needs_human', 'paused', 'abandoned']);

/** What the daemon holds now, or with `VmHWM` the most that it has held. */
async function readDaemonMebibytes(kraft, field = 'VmRSS') {
  const { pid } = await kraft.json(['admin', 'health']);
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(new RegExp(`^${field}:\\s*(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0) / 1024);
}

async function fileItem(kraft, { index, bytes, repository }) {
  const file = `soak/item-${index}.txt`;
  const description = `demo: print ${bytes}\ndemo: write ${file} ${index}\ndemo: commit Add ${file}`;
  const args = ['item', 'create', `Soak ${index}`, '--description', description, '--repo', repository];
  const options = ['--harness', 'demo', '--chain', 'quick-task', '--autostart', '--json'];
  const { code, stdout, stderr } = await kraft.quiet([...args, ...options]);
  if (code !== 0) throw new SetupRefusal(`item ${index} was not filed:\n${stderr}`);
  return JSON.parse(stdout).item.id;
}

async function fileItems(kraft, { count, bytes, repository }) {
  const ids = [];
  for (let index = 1; index <= count; index += 1) ids.push(await fileItem(kraft, { index, bytes, repository }));
  return ids;
}

/** How often each type of event was recorded of an item, and how many sessions of all items ran at once. */
async function readEvents(kraft, ids) {
  const counts = [];
  const changes = [];
  for (const id of ids) {
    const events = JSON.parse(await kraft.text(['view', 'events', id, '--json']));
    const types = {};
    for (const { type, created_at: at } of events) {
      types[type] = (types[type] ?? 0) + 1;
      if (type === 'worker_session_started') changes.push({ at, by: 1 });
      if (type === 'worker_session_exited') changes.push({ at, by: -1 });
    }
    counts.push({ id, text: JSON.stringify(Object.entries(types).sort()), total: events.length });
  }
  let running = 0;
  let most = 0;
  for (const { by } of changes.sort((a, b) => a.at.localeCompare(b.at) || a.by - b.by)) {
    running += by;
    most = Math.max(most, running);
  }
  return { counts, most };
}

function checkEvents({ counts, most }, { first, atOnce }) {
  const expected = counts.find(({ id }) => id === first);
  const others = counts.filter(({ text }) => text !== expected.text);
  if (others.length > 0)
    throw new SetupRefusal(
      `Not the events of ${first} (${expected.text}): ${others.map((c) => `${c.id} ${c.text}`).join(', ')}`,
    );
  if (most > atOnce) throw new SetupRefusal(`${most} sessions ran at once, and only ${atOnce} may.`);
  say(`   ${counts.length} times ${expected.total} events; at most ${most} sessions at once`);
}

/** Memory is given back some time after the work. */
async function checkMemory(kraft, base) {
  let now = 0;
  const rested = await waitUntil(
    async () => {
      now = await readDaemonMebibytes(kraft);
      return now <= base * GROWTH ? now : null;
    },
    { timeoutMs: REST_MS, intervalMs: 5_000 },
  );
  if (rested === null) throw new SetupRefusal(`The daemon grew from ${base} MiB to ${now} MiB and stays there.`);
  say(`   daemon ${base} MiB after the first item, ${rested} MiB after all`);
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

const FOLLOW_GROWTH_MIB = 120;

/** One agent prints more than its log keeps, and is followed from its first byte. */
async function followOne(kraft, { bytes, repository }) {
  const description = `demo: print ${bytes}\ndemo: write soak/followed.txt x\ndemo: commit Add soak/followed.txt`;
  const args = ['item', 'create', 'Soak followed', '--description', description, '--repo', repository];
  const filed = await kraft.json([...args, '--harness', 'demo']);
  const { id } = filed.item;
  await kraft.show(['item', 'start', id]);
  const before = await readDaemonMebibytes(kraft, 'VmHWM');
  let received = 0;
  const { code, stderr } = await kraft.stream(['view', 'logs', id, '-f', '-n', '100000000'], (chunk) => {
    received += chunk.length;
  });
  const most = await readDaemonMebibytes(kraft, 'VmHWM');
  const lost = [...stderr.matchAll(/(\d+) bytes in the middle/g)].reduce((sum, [, count]) => sum + Number(count), 0);
  say(`   ${received} bytes came, ${lost} were said to be dropped; daemon ${before} MiB, at most ${most} MiB`);
  if (code !== 0) throw new SetupRefusal(`Following ended with ${code}:\n${stderr}`);
  if (received + lost < bytes)
    throw new SetupRefusal(`${bytes - received - lost} bytes are missing and nothing said so.`);
  if (most - before > FOLLOW_GROWTH_MIB)
    throw new SetupRefusal(`The daemon grew to ${most} MiB while it was followed.`);
}

async function listContainers(engine, home) {
  const args = ['ps', '--all', '--filter', `label=kraft.home=${home}`, '--format', '{{.Names}}'];
  const { stdout } = await run(engine.engine, args, { env: { ...engineEnvironment(), ...engine.env } });
  return stdout.split('\n').filter((name) => name !== '');
}

async function soak(playground, engine, { count, atOnce, bytes, followBytes }) {
  const { repository, home } = playground;
  writeFileSync(path.join(home, 'config', 'policy.yaml'), `max_concurrent: ${atOnce}\n`, { mode: 0o600 });
  const kraft = openKraft(playground, engine);
  await kraft.show(['repo', 'connect', repository, '--open-network', '--setup-command', '', '--no-tests']);
  try {
    await kraft.show(['admin', 'start', '--detach']);
    await step('Follow one agent', () => followOne(kraft, { bytes: followBytes, repository }));
    const first = await fileItem(kraft, { index: 0, bytes, repository });
    await step('One item completes', () => waitForAll(kraft, [first]));
    const base = await readDaemonMebibytes(kraft);
    const begin = performance.now();
    const ids = await step(`File ${count} items`, () => fileItems(kraft, { count, bytes, repository }));
    await step('All of them complete', () => waitForAll(kraft, ids));
    say(`   ${renderDuration((performance.now() - begin) / count)} an item`);
    checkEvents(await readEvents(kraft, [first, ...ids]), { first, atOnce });
    await step('The daemon’s memory comes back to its base line', () => checkMemory(kraft, base));
    const left = await listContainers(engine, home);
    if (left.length > 0) throw new SetupRefusal(`Containers are left: ${left.join(', ')}`);
    const branches = await run('git', ['-C', repository, 'for-each-ref', '--format=%(refname)', 'refs/heads/kraft']);
    const found = branches.stdout.trim().split('\n').length;
    const expected = count + 2;
    if (found !== expected) throw new SetupRefusal(`${found} branches are there in place of ${expected}.`);
  } finally {
    await kraft.quiet(['admin', 'stop', '--pause']);
  }
}

await runMain(async () => {
  const { values } = parseArgs({
    options: {
      items: { type: 'string', default: '50' },
      'at-once': { type: 'string', default: '8' },
      bytes: { type: 'string', default: String(10_000_000) },
      follow: { type: 'string', default: String(2_000_000_000) },
      yes: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return say(help);
  const [engine] = await prepare({ yes: values.yes, forTests: false });
  const playground = await makePlayground({ engine: engine.engine, keep: false });
  await soak(playground, engine, {
    count: Number(values.items),
    atOnce: Number(values['at-once']),
    bytes: Number(values.bytes),
    followBytes: Number(values.follow),
  });
  rmSync(path.dirname(playground.home), { recursive: true, force: true });
  sayDurations();
  return 0;
});
