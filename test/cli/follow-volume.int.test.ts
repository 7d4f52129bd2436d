import { createHash } from 'node:crypto';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CliUser, until } from '../support/run-cli.ts';

const MiB = 1024 * 1024;
/** What a reader may ask for beyond what was taken from it: a chunk that it holds, one on its way, the pipe between. */
const heldMax = 4 * MiB;
/** Growth of a Node process that lets 100 MB through: its young heap and a few chunks. Held as a whole it were 100 and more. */
const growthMax = 90 * MiB;
/** For 100 MB on a machine that does other things besides. */
const patienceMs = 150_000;
const fromTheBeginning = ['-n', '100000000'];

let user: CliUser;
let logPath: string;
let daemon: ChildProcess;
let answers: Interface;

beforeEach(() => {
  user = new CliUser();
  mkdirSync(user.run, { recursive: true, mode: 0o700 });
  logPath = join(user.dir, 's1.log');
  writeFileSync(logPath, '');
});
afterEach(async () => {
  daemon.kill('SIGKILL');
  await once(daemon, 'close');
  await user[Symbol.asyncDispose]();
});

interface Cap {
  readonly headBytes: number;
  readonly tailBytes: number;
  readonly slackBytes: number;
}

async function startDaemon(cap: Cap | null): Promise<void> {
  daemon = spawn(
    process.execPath,
    [resolve(import.meta.dirname, '../support/log-daemon.ts'), user.home, logPath, JSON.stringify(cap)],
    { env: { PATH: '/usr/bin:/bin' }, stdio: ['pipe', 'pipe', 'ignore'] },
  );
  if (daemon.stdout === null) throw new TypeError('the daemon has no output');
  answers = createInterface({ input: daemon.stdout });
  await until(() => existsSync(join(user.run, 'kraft.sock')), 'the daemon serves', patienceMs);
}

/** Has the daemon do something; what it served until then. */
async function ask(line: string): Promise<{ readonly log: number; readonly events: number }> {
  const answer = once(answers, 'line') as Promise<[string]>;
  daemon.stdin?.write(`${line}\n`);
  return JSON.parse((await answer)[0]) as { log: number; events: number };
}

/** Until the daemon is asked no more: what it served then. */
async function servedWhenStill(kind: 'log' | 'events'): Promise<number> {
  let last = -1;
  await until(
    async () => {
      const { [kind]: now } = await ask('served');
      const isStill = now > 0 && now === last;
      last = now;
      await once(AbortSignal.timeout(400), 'abort');
      return isStill;
    },
    'the follower rests',
    patienceMs,
  );
  return last;
}

/** Appends what a command prints to the log, as a container's client does: by itself, at full speed. */
async function print(command: string): Promise<void> {
  const fd = openSync(logPath, 'a');
  const writer = spawn('/bin/sh', ['-c', command], { stdio: ['ignore', fd, 'inherit'] });
  closeSync(fd);
  await once(writer, 'close');
}

interface Follower {
  readonly child: ChildProcess;
  readonly hash: () => string;
  readonly bytes: () => number;
  readonly stderr: () => string;
  resume(): void;
  ended(): Promise<number | null>;
}

function follow(args: readonly string[], isStalled: boolean): Follower {
  const child = user.start(args);
  const hash = createHash('sha256');
  let bytes = 0;
  let stderr = '';
  const read = (): void => {
    child.stdout?.on('data', (chunk: Buffer) => {
      hash.update(chunk);
      bytes += chunk.length;
    });
  };
  if (!isStalled) read();
  child.stderr?.on('data', (chunk) => (stderr += String(chunk)));
  const ended = new Promise<number | null>((done) => child.once('close', done));
  return {
    child,
    hash: () => hash.digest('hex'),
    bytes: () => bytes,
    stderr: () => stderr,
    resume: read,
    ended: () => ended,
  };
}

/** The most that a process held so far. */
function peakBytes(child: ChildProcess): number {
  const status = readFileSync(`/proc/${String(child.pid)}/status`, 'utf8');
  return Number(/^VmHWM:\s*(\d+) kB$/m.exec(status)?.[1]) * 1024;
}

const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

// 100 MB, each line another.
const lines = 'seq 1 12500000';

describe('view logs -f of an agent that prints 100 MB (PF-R20, PF-Q06)', { timeout: patienceMs }, () => {
  it('gives every byte in order, and neither it nor the daemon grows by what went through', async () => {
    await startDaemon(null);
    await print('echo begin');
    const follower = follow(['view', 'logs', 'abcd', '-f', ...fromTheBeginning], false);
    await until(() => follower.bytes() > 0, 'the beginning', patienceMs);
    const before = { follower: peakBytes(follower.child), daemon: peakBytes(daemon) };
    await print(lines);
    const { size } = statSync(logPath);
    expect(size).toBeGreaterThan(100_000_000);
    await until(() => follower.bytes() === size, 'all of it', patienceMs);
    expect(peakBytes(follower.child) - before.follower).toBeLessThan(growthMax);
    expect(peakBytes(daemon) - before.daemon).toBeLessThan(growthMax);
    await ask('end');
    expect(await follower.ended()).toBe(0);
    expect(follower.hash()).toBe(hashOf(readFileSync(logPath)));
    expect(follower.stderr()).toBe('session s1\n');
  });

  it('asks for no more while its reader takes nothing, also of one endless line, and then gives all of it', async () => {
    await startDaemon(null);
    const follower = follow(['view', 'logs', 'abcd', '-f', '--json', ...fromTheBeginning], true);
    await print('head -c 30000000 /dev/zero | tr "\\0" x');
    expect(await servedWhenStill('log')).toBeLessThan(heldMax);
    const rows = createInterface({ input: follower.child.stdout as NonNullable<typeof follower.child.stdout> });
    let chars = 0;
    let longest = 0;
    rows.on('line', (row) => {
      const { text } = JSON.parse(row) as { text: string };
      chars += text.length;
      longest = Math.max(longest, text.length);
    });
    await ask('end');
    expect(await follower.ended()).toBe(0);
    expect(chars).toBe(30_000_000);
    expect(longest).toBeLessThan(heldMax);
  });

  it('says once how many bytes the cap took from it while its reader took nothing, and gives the rest in order', async () => {
    const cap = { headBytes: 4 * MiB, tailBytes: 4 * MiB, slackBytes: MiB };
    await startDaemon(cap);
    await print('echo begin');
    const follower = follow(['view', 'logs', 'abcd', '-f', ...fromTheBeginning], true);
    await servedWhenStill('log');
    const whole = Buffer.concat([Buffer.from('begin\n')]);
    await print('seq 1 3000000');
    await ask('cap');
    follower.resume();
    await ask('end');
    expect(await follower.ended()).toBe(0);
    const lost = Number(/(\d+) bytes in the middle of this log were dropped by its cap/.exec(follower.stderr())?.[1]);
    expect(follower.stderr().match(/dropped|incomplete/g)).toHaveLength(1);
    const { from, to } = JSON.parse(readFileSync(`${logPath}.cap.json`, 'utf8')) as { from: number; to: number };
    expect(lost).toBe(to - from);
    const kept = readFileSync(logPath);
    expect(kept.subarray(0, whole.length)).toEqual(whole);
    // The head ends in the middle of a line, which is closed before what was lost is said.
    expect(follower.hash()).toBe(hashOf(Buffer.concat([kept.subarray(0, from), Buffer.from('\n'), kept.subarray(to)])));
  });
});

describe('view events -f of many events', { timeout: patienceMs }, () => {
  it('asks for no more while its reader takes nothing, and then gives every one in order', async () => {
    await startDaemon(null);
    const follower = follow(['view', 'events', 'abcd2345', '-f', '--json'], true);
    await ask('events 10000');
    expect(await servedWhenStill('events')).toBeLessThan(6_000);
    const rows = createInterface({ input: follower.child.stdout as NonNullable<typeof follower.child.stdout> });
    const seqs: number[] = [];
    rows.on('line', (row) => seqs.push((JSON.parse(row) as { seq: number }).seq));
    await until(() => seqs.length === 10_000, 'every event', patienceMs);
    expect(seqs).toEqual(Array.from({ length: 10_000 }, (_, at) => at + 1));
    expect(peakBytes(follower.child)).toBeLessThan(256 * MiB);
  });
});
