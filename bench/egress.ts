// Kraft's egress proxy beside squid, tinyproxy and the plainest proxy of Node: the same client, the same origin, in turn in
// one run. Each round measures every proxy once; medians count, and of them the ratio.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { bulkRate, connectsPerSecond, exchangesPerSecond, openTunnel, requestsPerSecond } from './egress/load.ts';
import { readUse, startNode, startProxy, type ProxyName, type RunningProxy } from './egress/proxies.ts';

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '5' },
    /** Of each measurement. */
    ms: { type: 'string', default: '1500' },
    /** The built package: an installed one may be measured too. */
    dist: { type: 'string', default: resolve(import.meta.dirname, '../dist') },
  },
});
const rounds = Number(values.rounds);
const ms = Number(values.ms);
const gibibyte = 1024 ** 3;
const idleTunnels = 500;
const turnover = 10_000;
const warmUpMs = 4_000;
const freshStarts = 3;
const names: readonly ProxyName[] = ['kraft', 'squid', 'tinyproxy', 'pipes'];

type Target =
  | { readonly against: ProxyName; readonly least: number }
  | { readonly against: ProxyName; readonly most: number }
  | { readonly mostItself: number };

interface Figure {
  readonly what: string;
  readonly unit: string;
  readonly measure: (proxy: RunningProxy) => Promise<number>;
  /** What Kraft is held to: a ratio to another, or a figure of its own; null for what is only shown. */
  readonly target: Target | null;
  /** Of a process that was started for it, in each round, or at the end. */
  readonly when: 'fresh' | 'each round' | 'last';
}

/** Kilobytes that idle tunnels add to the process, each. */
async function idleTunnelKib(proxy: RunningProxy): Promise<number> {
  // As many before, so that what a first tunnel costs once is not counted to each.
  const warm = await Promise.all(Array.from({ length: idleTunnels }, () => openTunnel(proxy)));
  for (const socket of warm) socket.destroy();
  await settle();
  const before = readUse(proxy).residentKib;
  const open = await Promise.all(Array.from({ length: idleTunnels }, () => openTunnel(proxy)));
  await settle();
  const after = readUse(proxy).residentKib;
  for (const socket of open) socket.destroy();
  await settle();
  return Math.max(0, after - before) / idleTunnels;
}

/** MiB that thousands of tunnels leave behind, after twice as many that warmed up. */
async function growthMib(proxy: RunningProxy): Promise<number> {
  const turn = async (): Promise<number> => {
    for (let opened = 0; opened < turnover; opened += 50) {
      const sockets = await Promise.all(Array.from({ length: 50 }, () => openTunnel(proxy)));
      for (const socket of sockets) socket.destroy();
    }
    await settle();
    return readUse(proxy).residentKib;
  };
  await turn();
  const before = await turn();
  return ((await turn()) - before) / 1024;
}

async function residentAfterBulk(proxy: RunningProxy): Promise<number> {
  await bulkRate(proxy, gibibyte);
  return readUse(proxy).residentKib / 1024;
}

/** Processor time of the proxy for a gibibyte. */
async function cpuPerGibibyte(proxy: RunningProxy): Promise<number> {
  const before = readUse(proxy).cpuSeconds;
  await bulkRate(proxy, gibibyte);
  return readUse(proxy).cpuSeconds - before;
}

function settle(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1_000));
}

const figures: readonly Figure[] = [
  { what: 'an idle tunnel', unit: 'KiB', measure: idleTunnelKib, target: { mostItself: 20 }, when: 'fresh' },
  {
    what: 'resident after 1 GiB',
    unit: 'MiB',
    measure: residentAfterBulk,
    target: { against: 'pipes', most: 0.6 },
    when: 'fresh',
  },
  {
    what: 'CONNECT a second, one at a time',
    unit: '/s',
    measure: (p) => connectsPerSecond(p, 1, ms),
    target: null,
    when: 'each round',
  },
  {
    what: 'CONNECT a second, 64 at once',
    unit: '/s',
    measure: (p) => connectsPerSecond(p, 64, ms),
    target: { against: 'squid', least: 1.0 },
    when: 'each round',
  },
  {
    what: 'plain requests a second, one at a time',
    unit: '/s',
    measure: (p) => requestsPerSecond(p, 1, ms),
    target: null,
    when: 'each round',
  },
  {
    what: 'plain requests a second, 64 at once',
    unit: '/s',
    measure: (p) => requestsPerSecond(p, 64, ms),
    target: { against: 'squid', least: 0.9 },
    when: 'each round',
  },
  {
    what: 'exchanges a second in a tunnel',
    unit: '/s',
    measure: (p) => exchangesPerSecond(p, ms),
    target: { against: 'squid', least: 1.0 },
    when: 'each round',
  },
  {
    what: '1 GiB through a tunnel',
    unit: 'MB/s',
    measure: (p) => bulkRate(p, gibibyte),
    target: { against: 'squid', least: 1.0 },
    when: 'each round',
  },
  { what: 'processor time of a GiB', unit: 's', measure: cpuPerGibibyte, target: null, when: 'last' },
  { what: 'growth over 10,000 tunnels', unit: 'MiB', measure: growthMib, target: null, when: 'last' },
];

interface Row {
  readonly what: string;
  readonly unit: string;
  readonly measured: Readonly<Partial<Record<ProxyName, number>>>;
  /** Against the other side of the target; null where there is none, or it is not installed. */
  readonly ratio: number | null;
  readonly target: string;
  readonly met: boolean | null;
}

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}

function toRow(figure: Figure, samples: ReadonlyMap<string, number[]>): Row {
  const measured: Partial<Record<ProxyName, number>> = {};
  for (const name of names) {
    const all = samples.get(`${figure.what} ${name}`);
    if (all !== undefined) measured[name] = median(all);
  }
  const { what, unit, target } = figure;
  const own = measured.kraft ?? 0;
  if (target === null) return { what, unit, measured, ratio: null, target: '', met: null };
  if ('mostItself' in target) {
    const { mostItself } = target;
    return { what, unit, measured, ratio: null, target: `<= ${mostItself} ${unit}`, met: own <= mostItself };
  }
  const other = measured[target.against];
  const ratio = other === undefined ? null : own / other;
  const bound = 'least' in target ? `>= ${target.least}` : `<= ${target.most}`;
  const holds = (value: number): boolean => ('least' in target ? value >= target.least : value <= target.most);
  return {
    what,
    unit,
    measured,
    ratio,
    target: `${bound} x ${target.against}`,
    met: ratio === null ? null : holds(ratio),
  };
}

function render(rows: readonly Row[], missing: readonly ProxyName[]): string {
  const cell = (row: Row, name: ProxyName): string => {
    const value = row.measured[name];
    return value === undefined ? 'none' : value >= 100 ? value.toFixed(0) : value.toFixed(2);
  };
  const table = [
    ['figure', 'unit', ...names, 'ratio', 'target', ''],
    ...rows.map((row) => [
      row.what,
      row.unit,
      ...names.map((name) => cell(row, name)),
      row.ratio === null ? '' : row.ratio.toFixed(2),
      row.target,
      row.met === null ? '' : row.met ? 'met' : 'MISSED',
    ]),
  ];
  const widths = (table[0] ?? []).map((_, at) => Math.max(...table.map((row) => (row[at] ?? '').length)));
  const lines = table.map((row) =>
    row
      .map((text, at) => text.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return missing.length === 0
    ? lines.join('\n')
    : [...lines, `not installed: apt-get install ${missing.join(' ')}`].join('\n');
}

const dir = mkdtempSync(join(tmpdir(), 'kb-'));
const origin = await startNode('origin.ts', []);
const place = { dir, dist: values.dist, originPort: origin.port };
const samples = new Map<string, number[]>();
const proxies: RunningProxy[] = [];

async function take(figure: Figure, proxy: RunningProxy): Promise<void> {
  const key = `${figure.what} ${proxy.name}`;
  const measured = await figure.measure(proxy).catch((error: unknown) => {
    if (proxy.name === 'kraft') throw error;
    // Another one's failure is its own: the round goes on without that figure.
    console.error(`${proxy.name}, ${figure.what}: ${String(error)}`);
    return null;
  });
  if (measured !== null) samples.set(key, [...(samples.get(key) ?? []), measured]);
}

async function takeFresh(figure: Figure): Promise<void> {
  for (const name of names) {
    const proxy = await startProxy(name, place);
    if (proxy === null) continue;
    await take(figure, proxy);
    await proxy.stop();
  }
}

try {
  for (let start = 0; start < freshStarts; start++) {
    for (const figure of figures) if (figure.when === 'fresh') await takeFresh(figure);
  }
  for (const name of names) {
    const proxy = await startProxy(name, place);
    if (proxy !== null) proxies.push(proxy);
  }
  // A daemon runs for days: what compiling its code costs at first is not what is compared.
  for (const proxy of proxies) {
    await connectsPerSecond(proxy, 64, warmUpMs);
    await requestsPerSecond(proxy, 64, warmUpMs);
  }
  for (let round = 0; round < rounds; round++) {
    for (const figure of figures) {
      const isNow = figure.when === 'each round' || (figure.when === 'last' && round === rounds - 1);
      for (const proxy of isNow ? proxies : []) await take(figure, proxy);
    }
    // Nobody always comes first.
    proxies.push(...proxies.splice(0, 1));
  }
  const rows = figures.map((figure) => toRow(figure, samples));
  const missing = names.filter((name) => !proxies.some((proxy) => proxy.name === name));
  const report = { node: process.version, rounds, rows, missing };
  console.log(values.json ? JSON.stringify(report, null, 2) : render(rows, missing));
  process.exitCode = rows.every(({ met }) => met !== false) ? 0 : 1;
} finally {
  for (const proxy of proxies) await proxy.stop();
  origin.child.kill('SIGKILL');
  rmSync(dir, { recursive: true, force: true });
}
