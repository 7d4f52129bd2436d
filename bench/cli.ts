// The built command line against a bare Node: start-up, one call to the daemon, doctor on ten repositories, and what an
// idle daemon holds in memory. Ratios count, since they carry from machine to machine; rounds are interleaved so that
// whatever else the machine does falls on all of them alike.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

interface Row {
  readonly what: string;
  readonly measured: number;
  readonly unit: 'ms' | 'MiB';
  /** Against `node -e 0` of the same rounds; null where a ratio says nothing. */
  readonly ratio: number | null;
  readonly target: string;
  readonly met: boolean;
}

interface Subject {
  readonly name: string;
  readonly args: readonly string[];
}

const repositories = 10;
const idleSamples = 10;

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '31' },
    /** The built entry: an installed one may be measured too. */
    entry: { type: 'string', default: resolve(import.meta.dirname, '../dist/cli/main.js') },
  },
});
const { entry } = values;
const rounds = Number(values.rounds);
const dir = mkdtempSync(join(tmpdir(), 'kb-'));
const env = { HOME: dir, KRAFT_HOME: join(dir, 'kraft'), PATH: process.env['PATH'] ?? '' };
// The same without an engine: what doctor costs beside the engine's own answers.
const bare = { ...env, PATH: join(dir, 'bin') };

function timeMs(args: readonly string[], variables: Readonly<Record<string, string>> = env): number {
  const begin = performance.now();
  const { error, signal } = spawnSync(process.execPath, [...args], { cwd: dir, env: variables, stdio: 'ignore' });
  if (error !== undefined || signal !== null)
    throw new Error(`${args.join(' ')} did not run: ${String(error ?? signal)}`);
  return performance.now() - begin;
}

function kraft(...args: string[]): string {
  return execFileSync(process.execPath, [entry, ...args], { cwd: dir, env, encoding: 'utf8' });
}

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}

/** Medians of subjects that take turns, after one round that warms the caches of the file system. */
function interleave(subjects: readonly Subject[]): ReadonlyMap<string, number> {
  const times = new Map(subjects.map(({ name }) => [name, [] as number[]]));
  for (let round = 0; round <= rounds; round++) {
    for (const { name, args } of subjects) {
      const took = timeMs(args);
      if (round > 0) times.get(name)?.push(took);
    }
  }
  return new Map([...times].map(([name, all]) => [name, median(all)]));
}

function connectRepositories(): void {
  for (let number = 1; number <= repositories; number++) {
    const repository = join(dir, `repository-${number}`);
    mkdirSync(repository);
    writeFileSync(join(repository, 'package.json'), '{"scripts":{"test":"node --test"}}');
    const git = (...args: string[]): void => {
      execFileSync('git', ['-c', 'user.name=B', '-c', 'user.email=b@example.org', ...args], { cwd: repository, env });
    };
    git('init', '--quiet');
    git('config', 'user.name', 'B');
    git('config', 'user.email', 'b@example.org');
    git('add', '.');
    git('commit', '--quiet', '-m', 'Start');
    kraft('repo', 'connect', repository, '--open-network', '--setup-command', '');
  }
}

/** Resident memory of an idle daemon, the median of some seconds. */
function idleMebibytes(pid: number): number {
  const samples: number[] = [];
  for (let sample = 0; sample < idleSamples; sample++) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    samples.push(Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024);
  }
  return median(samples);
}

function compareToNode(): readonly Row[] {
  const node: Subject = { name: 'node -e 0', args: ['-e', '0'] };
  const version: Subject = { name: 'kraft --version', args: [entry, '--version'] };
  const list: Subject = { name: 'kraft view list', args: [entry, 'view', 'list'] };
  const medians = interleave([node, version, list]);
  const base = medians.get(node.name) ?? 0;
  const row = ({ name }: Subject, most: number | null): Row => {
    const measured = medians.get(name) ?? 0;
    const ratio = measured / base;
    const target = most === null ? '' : `<= ${most} x node`;
    return { what: name, measured, unit: 'ms', ratio, target, met: most === null || ratio <= most };
  };
  return [row(node, null), row(version, 1.5), row(list, 3)];
}

function measureDoctor(): readonly Row[] {
  mkdirSync(join(dir, 'bin'));
  const git = execFileSync('/bin/sh', ['-c', 'command -v git'], { env, encoding: 'utf8' }).trim();
  symlinkSync(git, join(dir, 'bin', 'git'));
  const own: number[] = [];
  for (let round = 0; round < 5; round++) own.push(timeMs([entry, 'admin', 'doctor'], bare));
  const whole = timeMs([entry, 'admin', 'doctor']);
  const ownMs = median(own);
  return [
    {
      what: `doctor, ${repositories} repositories, engine apart`,
      measured: ownMs,
      unit: 'ms',
      ratio: null,
      target: '<= 2000 ms',
      met: ownMs <= 2000,
    },
    {
      what: `doctor, ${repositories} repositories, with the engine here`,
      measured: whole,
      unit: 'ms',
      ratio: null,
      target: '',
      met: true,
    },
  ];
}

function render(rows: readonly Row[]): string {
  const cells = rows.map((row) => [
    row.what,
    `${row.measured.toFixed(1)} ${row.unit}`,
    row.ratio === null ? '' : `${row.ratio.toFixed(2)} x`,
    row.target,
    row.target === '' ? '' : row.met ? 'met' : 'MISSED',
  ]);
  const widths = [0, 1, 2, 3, 4].map((at) => Math.max(...cells.map((row) => (row[at] ?? '').length)));
  return cells
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

try {
  connectRepositories();
  const doctor = measureDoctor();
  kraft('admin', 'start', '--detach');
  const pid = Number(readFileSync(join(dir, 'kraft', 'run', 'kraft.pid'), 'utf8'));
  const memory = idleMebibytes(pid);
  const idle: Row = {
    what: 'idle daemon, resident',
    measured: memory,
    unit: 'MiB',
    ratio: null,
    target: '<= 80 MiB',
    met: memory <= 80,
  };
  const rows = [...compareToNode(), ...doctor, idle];
  console.log(values.json ? JSON.stringify({ node: process.version, rounds, rows }, null, 2) : render(rows));
  process.exitCode = rows.every((row) => row.met) ? 0 : 1;
} finally {
  kraft('admin', 'stop');
  rmSync(dir, { recursive: true, force: true });
}
