// Records what a product really prints, for test/fixtures/harness: `node scripts/record-harness.mjs PRODUCT PROGRAM`, where
// PROGRAM is an installed CLI. It runs against a provider on loopback with a HOME of its own, once through, once going on
// with that session, and once against a rate limit; paths, names and ports of the machine are taken out of what is kept.
import { spawn, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { products, resetsAt } from './record-harness/cases.mjs';
import { startUpstream } from './record-harness/upstream.mjs';

const timeoutMs = 180_000;
const fixtures = resolve(import.meta.dirname, '../test/fixtures/harness');

async function main([product = '', program = '']) {
  const plan = products[product];
  if (plan === undefined || program === '') {
    console.error(`usage: node scripts/record-harness.mjs ${Object.keys(products).join('|')} PROGRAM`);
    process.exitCode = 2;
    return;
  }
  const version = /\d+\.\d+[\w.-]*/.exec(spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout ?? '')?.[0];
  const base = await mkdtemp(join(tmpdir(), 'record-harness-'));
  const record = async (name, options) => {
    const output = await run(program, { ...options, plan, base });
    const file = join(fixtures, `${product}-${version}-${name}.ndjson`);
    await writeFile(file, output);
    console.log(`wrote ${file} (${output.length} characters)`);
    return output;
  };
  try {
    await mkdir(fixtures, { recursive: true });
    if (product !== 'claude-subscription') {
      const first = await record('done', { limited: false, session: null });
      const session = /"(?:session_id|thread_id|sessionID)":"([\w-]+)"/.exec(first)?.[1];
      if (session === undefined) throw new Error('it named no session');
      await record('resumed', { limited: false, session });
    }
    await record('limited', { limited: true, session: null });
  } finally {
    await rm(base, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function run(program, { plan, base, limited, session }) {
  const upstream = await startUpstream({ limited, resetsAt });
  const url = `http://127.0.0.1:${upstream.port}`;
  const { args, env, files = {} } = plan(url, session);
  const home = join(base, 'home');
  const cwd = join(base, 'worktree');
  await mkdir(cwd, { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(home, name)), { recursive: true });
    await writeFile(join(home, name), text);
  }
  await mkdir(home, { recursive: true });
  const child = spawn(program, args, {
    cwd,
    env: { PATH: process.env.PATH, HOME: home, TZ: 'UTC', TERM: 'xterm-256color', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  const end = () => {
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  };
  const timer = setTimeout(end, timeoutMs);
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
      // It would wait for the provider for an hour.
      if (limited && /level=ERROR .*small=false/.test(output)) end();
    });
  }
  await new Promise((done) => child.on('close', done));
  clearTimeout(timer);
  end();
  await upstream.close();
  for (const { method, path } of upstream.seen) console.log(`  ${method} ${path}`);
  return scrub(output, { base, program, port: upstream.port });
}

/** Takes out what tells of the machine that it ran on, and long lists that no reader looks at. */
function scrub(output, { base, program, port }) {
  const install = resolve(program, '../../..');
  return output
    .replaceAll(base, '/srv/run')
    .replaceAll(base.replaceAll('/', '-'), '-srv-run')
    .replaceAll(install, '/opt/agent')
    .replaceAll(`127.0.0.1:${port}`, '127.0.0.1:8080')
    .replaceAll(new RegExp(`\\b${RegExp.escape(hostname())}\\b`, 'g'), 'host')
    .replaceAll(/\/tmp\/[\w./:-]+/g, '/tmp/file')
    .split('\n')
    .map((line) => shorten(line))
    .join('\n');
}

function shorten(line) {
  if (!line.startsWith('{')) return line;
  const event = JSON.parse(line);
  for (const [key, value] of Object.entries(event)) {
    if (Array.isArray(value) && JSON.stringify(value).length > 300) event[key] = value.slice(0, 2);
  }
  return JSON.stringify(event);
}

await main(process.argv.slice(2));
