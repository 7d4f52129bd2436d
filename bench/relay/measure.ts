// Runs in a container without a network: `measure.ts ROUNDS`. Each round measures every relay in turn, each started anew;
// prints one JSON object, relay -> figures, medians of the rounds.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';

interface Figures {
  /** Requests each on a connection of its own, 16 at once. */
  readonly connectionsPerSecond: number;
  readonly cpuMicrosecondsPerConnection: number;
  readonly megabytesPerSecondOne: number;
  readonly megabytesPerSecondSixteen: number;
  readonly cpuSecondsPerGigabyte: number;
  /** Median of a request, one at a time, less the median of one that goes to the socket directly. */
  readonly addedMicroseconds: number;
  readonly idleKibibytes: number;
}

const connections = 1_000;
const single = 200;
const streamBytes = 1_000_000_000;
const port = 3128;
const ticksPerSecond = 100;

const dir = mkdtempSync('/tmp/bench-');
const socket = join(dir, 's.sock');
const listen = `TCP-LISTEN:${port},bind=127.0.0.1,fork,reuseaddr,backlog=1024`;
const relays: Readonly<Record<string, readonly [string, ...string[]]>> = {
  kraft: ['kraft-relay', String(port), dir],
  socat: ['socat', listen, `UNIX-CONNECT:${socket}`],
  'socat, large buffer, nodelay': ['socat', '-b', '262144', `${listen},nodelay`, `UNIX-CONNECT:${socket}`],
};

/** Seconds that the load took, and the median of its requests in microseconds. */
function load(target: string, ...args: readonly (string | number)[]): { seconds: number; medianUs: number } {
  const [seconds, medianUs] = execFileSync('load', ['client', target, ...args.map(String)], { encoding: 'utf8' }).split(
    ' ',
  );
  return { seconds: Number(seconds), medianUs: Number(medianUs) };
}

/** CPU that a process and its ended children have used. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /su, '')
    .split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / ticksPerSecond;
}

async function isListening(): Promise<boolean> {
  const client = connect(port, '127.0.0.1');
  return (await new Promise((resolve) => {
    client.once('connect', () => resolve(true)).once('error', () => resolve(false));
  }).finally(() => client.destroy())) as boolean;
}

async function start([file, ...args]: readonly [string, ...string[]]): Promise<
  ChildProcess & { readonly pid: number }
> {
  const child = spawn(file, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  while (!(await isListening())) await new Promise((resolve) => setTimeout(resolve, 5));
  return child as ChildProcess & { readonly pid: number };
}

async function measure(command: readonly [string, ...string[]]): Promise<Figures> {
  const relay = await start(command);
  try {
    const idleKibibytes = Number(/^VmRSS:\s*(\d+)/m.exec(readFileSync(`/proc/${relay.pid}/status`, 'utf8'))?.[1]);
    const target = String(port);
    const direct = load(socket, 'connections', 1, single);
    const one = load(target, 'connections', 1, single);
    const before = cpuSeconds(relay.pid);
    const many = load(target, 'connections', 16, connections);
    const between = cpuSeconds(relay.pid);
    const stream = load(target, 'stream', 1, streamBytes);
    const streams = load(target, 'stream', 16, streamBytes / 16);
    // A relay that forks is charged with its children once it has waited for them.
    while (command[0] === 'socat' && childrenOf(relay.pid) > 0) await new Promise((resolve) => setTimeout(resolve, 10));
    const after = cpuSeconds(relay.pid);
    return {
      connectionsPerSecond: connections / many.seconds,
      cpuMicrosecondsPerConnection: ((between - before) / connections) * 1e6,
      megabytesPerSecondOne: streamBytes / stream.seconds / 1e6,
      megabytesPerSecondSixteen: streamBytes / streams.seconds / 1e6,
      cpuSecondsPerGigabyte: ((after - between) / (2 * streamBytes)) * 1e9,
      addedMicroseconds: one.medianUs - direct.medianUs,
      idleKibibytes,
    };
  } finally {
    relay.kill();
    await once(relay, 'exit');
  }
}

function childrenOf(pid: number): number {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .filter((text) => text !== '').length;
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;
}

const server = spawn('load', ['serve', socket, '32'], { stdio: 'inherit' });
const rounds = Number(process.argv[2] ?? '3');
const measured = new Map<string, Figures[]>(Object.keys(relays).map((name) => [name, []]));
for (let round = 0; round < rounds; round++) {
  for (const [name, command] of Object.entries(relays)) measured.get(name)?.push(await measure(command));
}
server.kill();
const medians = [...measured].map(([name, all]) => [
  name,
  Object.fromEntries(
    Object.keys(all[0] ?? {}).map((key) => [key, median(all.map((each) => each[key as keyof Figures]))]),
  ),
]);
console.log(JSON.stringify(Object.fromEntries(medians)));
