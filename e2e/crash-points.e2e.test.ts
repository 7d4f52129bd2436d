import { expect, it } from 'vitest';
import { choosePoints, listPoints, spread } from './support/choose-points.ts';
import { CrashHome, type Outcome } from './support/crash-home.ts';
import { onHosts } from './support/hosts.ts';

const homesAtOnce = 2;
const leastPoints = 25;
/** Of about 35 acts; all of them with KRAFT_CRASH_POINTS=. */
const mostPoints = 28;
/** It is to take six minutes where nothing else runs. */
const story = 6 * 60_000;

/** What is wrong with how an item ended after a crash at `point`; empty when all is well. */
async function judge(home: CrashHome, point: string, reference: Reference): Promise<readonly string[]> {
  const first = await home.crash(point);
  const problems = [...judgeStop(first, point, reference), ...judgeTraces(first, reference.outcome)];
  // Before its row is written nothing was filed, and nobody was told so.
  if (first.filed === (point === 'store createItem before'))
    problems.push(first.filed ? 'it was filed' : 'it was lost');
  if (first.view.item.stop === null) return [...problems, ...judgeEnd(first, reference.outcome)];
  const last = await home.retry(first.view.item.id);
  return [...problems, ...judgeEnd(last, reference.outcome), ...judgeTraces(last, reference.outcome)];
}

/** The one thing that nobody can say after a crash is whether a session was started whose row still waited. */
function judgeStop({ view }: Outcome, point: string, { unconfirmed }: Reference): readonly string[] {
  const { stop } = view.item;
  if (stop === null) return unconfirmed.has(point) ? ['a session that may have run was run again'] : [];
  const rightly = unconfirmed.has(point) && stop.kind === 'infra' && stop.reason.includes('never confirmed');
  return rightly ? [] : [`it stopped (${stop.kind}): ${stop.reason}`];
}

function judgeEnd({ view, events, tree }: Outcome, reference: Outcome): readonly string[] {
  const problems: string[] = [];
  const { status, stop } = view.item;
  if (status !== 'completed') problems.push(`in the end it is ${status}: ${stop?.reason ?? 'without a reason'}`);
  if (tree !== reference.tree) problems.push(`its branch holds ${tree ?? 'nothing'}`);
  if (!view.commits.some((commit) => commit.subject === 'Add one')) problems.push('the agent’s commit is lost');
  const open = view.sessions.filter((row) => ['pending', 'running'].includes(row.status));
  if (open.length > 0) problems.push(`${open.length} sessions have no end`);
  const ends = events.filter((event) => event.type === 'work_item_completed').length;
  if (ends !== 1) problems.push(`it was completed ${ends} times`);
  return problems;
}

function judgeTraces({ traces }: Outcome, reference: Outcome): readonly string[] {
  const known = new Set(reference.traces.files);
  return [
    ...traces.files.filter((name) => !known.has(name)).map((name) => `${name} is left`),
    ...traces.engine.map((name) => `${name} is left on the engine`),
    ...traces.repository.map((line) => `the person’s repository says ${line}`),
  ];
}

interface Reference {
  readonly outcome: Outcome;
  /** Points between the row of a session and the record of its start. */
  readonly unconfirmed: ReadonlySet<string>;
}

function findUnconfirmed(points: readonly string[]): ReadonlySet<string> {
  let waits = false;
  const found = points.filter((point) => {
    if (/^store apply worker_session_created(?: #\d+)? after$/.test(point)) waits = true;
    if (/^store apply worker_session_started(?: #\d+)? after$/.test(point)) waits = false;
    return waits;
  });
  return new Set(found);
}

// PF-X01, X03, X05, X07
onHosts(['docker'], 'a daemon that is killed at any point of an item’s life', (host) => {
  it(
    'takes the item to the end that it would have had, loses no commit and leaves nothing behind',
    { timeout: process.env['KRAFT_CRASH_POINTS'] === undefined ? 3 * story : 60 * story },
    async () => {
      await using first = await CrashHome.open(host);
      const { points, outcome } = await first.record();
      expect(outcome.view.item.status).toBe('completed');
      expect(outcome.traces.engine).toEqual([]);
      const reference = { outcome, unconfirmed: findUnconfirmed(points) };
      const only = process.env['KRAFT_CRASH_POINTS'] ?? '';
      const chosen =
        only === ''
          ? spread(choosePoints(points), mostPoints)
          : listPoints(points).filter((name) => name.match(only) !== null);
      if (only === '') expect(chosen.length).toBeGreaterThanOrEqual(leastPoints);
      await using others = new AsyncDisposableStack();
      const homes = [first];
      while (homes.length < homesAtOnce) homes.push(others.use(await CrashHome.open(host)));
      const waiting = [...chosen];
      const found: string[] = [];
      await Promise.all(
        homes.map(async (home) => {
          for (let point = waiting.shift(); point !== undefined; point = waiting.shift()) {
            const problems = await judge(home, point, reference).catch((error: unknown) => [String(error)]);
            if (process.env['KRAFT_CRASH_POINTS'] !== undefined) console.log(point, problems);
            found.push(...problems.map((problem) => `${point}: ${problem}`));
            await home.finish();
          }
        }),
      );
      expect(found).toEqual([]);
    },
  );
});
