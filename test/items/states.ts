import type { ChainPlaces } from '../../src/items/places.ts';
import type { Item, ItemDecision, ItemStop } from '../../src/items/index.ts';
import { sampleItem } from '../support/sample-item.ts';

const stop: ItemStop = {
  kind: 'failed',
  code: null,
  reason: 'Tests fail.',
  remedy: 'Look.',
  sessionId: null,
  facts: {},
};
const started = { started: true, prepared: true, nextNode: 'checks' } as const;

/** An item at each moment of its life. */
export const states = {
  filed: sampleItem(),
  paused: sampleItem({ ...started, status: 'paused' }),
  queued: sampleItem({ ...started, status: 'queued' }),
  preparing: sampleItem({ status: 'active', started: true }),
  active: sampleItem({ ...started, status: 'active' }),
  pausing: sampleItem({ ...started, status: 'active', pauseRequested: true }),
  limited: sampleItem({ ...started, status: 'rate_limited', resumesAt: '2026-01-02T04:00:00.000Z' }),
  gate: sampleItem({ ...started, status: 'needs_human', nextNode: 'look', stop: { ...stop, kind: 'gate' } }),
  stopped: sampleItem({ ...started, status: 'needs_human', stop }),
  retried: sampleItem({ ...started, status: 'queued', attempt: 2 }),
  completed: sampleItem({ ...started, status: 'completed', nextNode: null }),
  abandoned: sampleItem({ ...started, status: 'abandoned' }),
  archived: sampleItem({ ...started, status: 'completed', nextNode: null, archivedAt: '2026-01-03T04:00:00.000Z' }),
} satisfies Record<string, Item>;

/** build (one step), checks (two steps), look (a gate), land. */
export const chain: ChainPlaces = {
  id: 'mine',
  nodes: [
    { kind: 'exec', id: 'build', path: 'build', steps: [step('build.main', 'agent')] },
    {
      kind: 'exec',
      id: 'checks',
      path: 'checks',
      steps: [step('checks.quick', 'lint', 'types'), step('checks.slow', 'tests')],
    },
    { kind: 'gate', id: 'look', path: 'look' },
    { kind: 'exec', id: 'land', path: 'land', steps: [step('land.main', 'push')] },
  ],
  unskippable: [],
};

function step(path: string, ...tasks: readonly string[]): { path: string; tasks: { path: string }[] } {
  return { path, tasks: tasks.map((task) => ({ path: `${path}.${task}` })) };
}

/** The same chain with a part that nobody may pass over. */
export function holding(part: string): ChainPlaces {
  return { ...chain, unskippable: [{ part, file: '/c/mine.yaml', line: 9 }] };
}

/** A decision in one word: the new status, what is left to the walk, `nothing`, or the code of the refusal. */
export function outcomeOf(decision: ItemDecision | null): string {
  if (decision === null) return 'goes on';
  if (decision.kind === 'refused') return decision.error.code.replace('KRAFT_', '');
  if (decision.kind !== 'change') return decision.kind;
  return decision.item.pauseRequested === true ? 'pausing' : (decision.item.status ?? 'stays');
}
