// Kraft's relay against socat, in one container without a network, in turn: connections, throughput, what it adds to a
// request, and what it holds in memory. Needs Docker and Kraft's own images (`npm run setup`).
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

/** What `relay/measure.ts` prints of each relay. */
type Figures = Readonly<Record<string, number>>;

interface Row {
  readonly what: string;
  readonly kraft: number;
  readonly socat: number;
  readonly unit: string;
  readonly ratio: number;
  readonly target: string;
  readonly met: boolean;
}

const image = 'localhost/kraft-bench-relay:latest';
const { values } = parseArgs({
  options: { json: { type: 'boolean', default: false }, rounds: { type: 'string', default: '3' } },
});

function docker(...args: readonly string[]): string {
  return execFileSync('docker', [...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 800_000,
  });
}

docker('build', '--quiet', '-t', image, join(import.meta.dirname, 'relay'));
// An earlier run that was ended leaves its container running.
const container = 'kraft-bench-relay';
spawnSync('docker', ['rm', '--force', container], { stdio: 'ignore' });
const answer = docker(
  'run',
  '--rm',
  '--name',
  container,
  '--network=none',
  '--ulimit=nofile=4096:4096',
  '--init',
  image,
  values.rounds,
);
const relays = JSON.parse(answer) as Readonly<Record<string, Figures>>;

function compare(
  what: readonly [label: string, figure: string, unit: string],
  against: 'socat' | 'socat, large buffer, nodelay',
  target: { readonly least?: number; readonly most?: number },
): Row {
  const [label, figure, unit] = what;
  const kraft = relays['kraft']?.[figure] ?? Number.NaN;
  const socat = relays[against]?.[figure] ?? Number.NaN;
  const ratio = kraft / socat;
  const { least, most } = target;
  const bounds = [least === undefined ? '' : `>= ${least} x`, most === undefined ? '' : `<= ${most} x`].join('');
  const met = (least === undefined || ratio >= least) && (most === undefined || ratio <= most);
  const name = against === 'socat' ? 'socat' : 'socat at its best';
  return { what: label, kraft, socat, unit, ratio, target: bounds === '' ? '' : `${bounds} ${name}`, met };
}

const best = 'socat, large buffer, nodelay';
const idle = compare(['idle, resident', 'idleKibibytes', 'KiB'], 'socat', {});
const rows: readonly Row[] = [
  compare(['connections a second, 16 at once', 'connectionsPerSecond', ''], 'socat', { least: 4 }),
  compare(['CPU of a connection', 'cpuMicrosecondsPerConnection', 'us'], 'socat', {}),
  compare(['one stream', 'megabytesPerSecondOne', 'MB/s'], 'socat', { least: 2 }),
  compare(['one stream', 'megabytesPerSecondOne', 'MB/s'], best, { least: 1 }),
  compare(['16 streams', 'megabytesPerSecondSixteen', 'MB/s'], 'socat', { least: 2 }),
  compare(['16 streams', 'megabytesPerSecondSixteen', 'MB/s'], best, { least: 1 }),
  compare(['CPU of a gigabyte', 'cpuSecondsPerGigabyte', 's'], best, {}),
  compare(['added to a request, median', 'addedMicroseconds', 'us'], 'socat', { most: 0.3 }),
  { ...idle, target: '<= 1024 KiB', met: idle.kraft <= 1024 },
];

function render(): string {
  const number = (value: number): string => value.toFixed(value < 10 ? 2 : 0);
  const cells = rows.map((row) => [
    row.what,
    `${number(row.kraft)} ${row.unit}`.trim(),
    `${number(row.socat)} ${row.unit}`.trim(),
    `${row.ratio.toFixed(2)} x`,
    row.target,
    row.target === '' ? '' : row.met ? 'met' : 'MISSED',
  ]);
  const all = [['figure', 'Kraft', 'socat', 'ratio', 'target', ''], ...cells];
  const widths = [0, 1, 2, 3, 4, 5].map((at) => Math.max(...all.map((row) => (row[at] ?? '').length)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd();
  return all.map(line).join('\n');
}

console.log(values.json ? JSON.stringify({ rounds: Number(values.rounds), relays, rows }, null, 2) : render());
process.exitCode = rows.every((row) => row.met) ? 0 : 1;
