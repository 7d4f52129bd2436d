import { describe, expect, test } from 'vitest';
import {
  dailyCap,
  explainTimeCap,
  findReached,
  meetCaps,
  renderReached,
  sessionTimeMs,
  type CapLayer,
  type CapNumbers,
  type CapScope,
  type SessionUse,
  type Use,
} from '../../src/items/index.ts';

const none: CapNumbers = { time_cap_minutes: null, total_time_cap_minutes: null, token_budget: null, budget_usd: null };
const layer = (source: string, numbers: Partial<CapNumbers>, key: string | null = null): CapLayer => ({
  source,
  key,
  numbers: { ...none, ...numbers },
});
const scope = (path: string | null, ...layers: CapLayer[]): CapScope => ({ path, layers });
const meet = (...scopes: CapScope[]): ReturnType<typeof meetCaps> =>
  meetCaps(scopes, { defaults: null, dailyUsd: null });
const session = (task: string, more: Partial<SessionUse> = {}): SessionUse => ({
  task,
  ms: 0,
  tokens: 0,
  usd: 0,
  ...more,
});
const use = (...sessions: SessionUse[]): Use => ({ sessions, todayUsd: 0 });
const agent = { spends: true };
const minute = 60_000;

describe('meetCaps', () => {
  test('one session gets the smallest time cap of all levels (CC 6.6)', () => {
    const caps = meet(
      scope(null, layer('policy.yaml', { time_cap_minutes: 90 }), layer('repos.yaml', { time_cap_minutes: 60 })),
      scope('build', layer('build', { time_cap_minutes: 30 })),
      scope('build.main.agent', layer('agent', { time_cap_minutes: 45 })),
    );
    expect(caps.session).toMatchObject({ scope: 'build', limit: 30, source: 'time_cap_minutes in build' });
    expect(sessionTimeMs(caps, use())).toBe(30 * minute);
  });

  test('a default holds where no scope says anything, and for the item as a whole', () => {
    const defaults = layer('policy.yaml', { time_cap_minutes: 10, token_budget: 500 });
    const scopes = [scope('build', layer('build', { time_cap_minutes: 120, token_budget: 9000 }))];
    const caps = meetCaps(scopes, { defaults, dailyUsd: null });
    expect(caps.session).toMatchObject({ limit: 120 });
    expect(caps.totals.map(({ scope: name, limit }) => [name, limit])).toEqual([
      ['the item', 500],
      ['build', 9000],
    ]);
    expect(meetCaps([], { defaults, dailyUsd: null }).session).toMatchObject({ scope: 'the item', limit: 10 });
  });

  test('a number that stands under another name says so', () => {
    const caps = meet(scope(null, layer('policy.yaml', { budget_usd: 5 }, 'budgets.work_item_usd')));
    expect(caps.totals).toMatchObject([{ field: 'budget_usd', source: 'budgets.work_item_usd in policy.yaml' }]);
  });
});

describe('findReached', () => {
  const caps = meet(
    scope(null, layer('repos.yaml', { token_budget: 1000, budget_usd: 2 })),
    scope('build', layer('build', { token_budget: 300, total_time_cap_minutes: 20 })),
  );

  test.each<{ name: string; use: Use; reached: object | null }>([
    { name: 'nothing used', use: use(), reached: null },
    { name: 'one below', use: use(session('build.main.agent', { tokens: 299 })), reached: null },
    {
      name: 'the budget of a node, by its own sessions',
      use: use(session('build.main.agent', { tokens: 200 }), session('build.fix_loop.repair', { tokens: 100 })),
      reached: { scope: 'build', field: 'token_budget', limit: 300, used: 300 },
    },
    {
      name: 'not by a node whose name begins alike',
      use: use(session('build2.main.agent', { tokens: 900 })),
      reached: null,
    },
    {
      name: 'the budget of the item, by all of them',
      use: use(session('plan.main.agent', { tokens: 900 }), session('build.main.agent', { tokens: 150 })),
      reached: { scope: 'the item', field: 'token_budget', used: 1050 },
    },
    {
      name: 'dollars whose sum is not exact in binary',
      use: use(session('a.b.c', { usd: 0.7 }), session('a.b.c', { usd: 0.1 }), session('a.b.c', { usd: 1.2 })),
      reached: { scope: 'the item', field: 'budget_usd', used: 2 },
    },
    {
      name: 'time',
      use: use(session('build.main.agent', { ms: 20 * minute })),
      reached: { scope: 'build', field: 'total_time_cap_minutes', used: 20 },
    },
  ])('tells $name', ({ use: used, reached }) => {
    const found = findReached(caps, used, agent);
    if (reached === null) expect(found).toBeNull();
    else expect(found).toMatchObject(reached);
  });

  test('tokens and dollars stop agents alone, and time stops everything', () => {
    const spent = use(session('build.main.agent', { tokens: 5000, usd: 9 }));
    expect(findReached(caps, spent, { spends: false })).toBeNull();
    const late = use(session('build.main.agent', { ms: 21 * minute }));
    expect(findReached(caps, late, { spends: false })).toMatchObject({ field: 'total_time_cap_minutes' });
  });

  test('the day is counted over all items', () => {
    const daily = meetCaps([], { defaults: null, dailyUsd: dailyCap(50) });
    expect(findReached(daily, { sessions: [], todayUsd: 49.99 }, agent)).toBeNull();
    const reached = findReached(daily, { sessions: [], todayUsd: 50 }, agent);
    expect(reached).toMatchObject({ scope: 'the day', field: 'daily_usd', source: 'budgets.daily_usd in policy.yaml' });
    expect(reached === null ? '' : renderReached(reached)).toContain('today (UTC)');
    expect(dailyCap(null)).toBeNull();
  });
});

describe('sessionTimeMs', () => {
  const caps = meet(
    scope(null, layer('repos.yaml', { time_cap_minutes: 30, total_time_cap_minutes: 60 })),
    scope('build', layer('build', { total_time_cap_minutes: 40 })),
  );

  test.each<[string, number, number]>([
    ['its own cap while there is more left', 5, 30],
    ['what its node has left', 25, 15],
    ['nothing once it is used up', 70, 0],
  ])('leaves %s', (_, usedMinutes, leftMinutes) => {
    expect(sessionTimeMs(caps, use(session('build.main.agent', { ms: usedMinutes * minute })))).toBe(
      leftMinutes * minute,
    );
  });

  test('is unbounded where nobody says anything', () => {
    expect(sessionTimeMs(meet(), use())).toBeNull();
  });
});

describe('explainTimeCap', () => {
  const caps = meet(scope(null, layer('repos.yaml', { time_cap_minutes: 10, total_time_cap_minutes: 15 })));

  test('names the total that was used up before the own cap', () => {
    const used = use(session('a.b.c', { ms: 9 * minute }), session('a.b.c', { ms: 6 * minute - 500 }));
    expect(explainTimeCap(caps, used, 6 * minute)).toMatchObject({ field: 'total_time_cap_minutes', limit: 15 });
  });

  test('names the own cap, although its clock began a moment later', () => {
    const ran = 10 * minute - 400;
    expect(explainTimeCap(caps, use(session('a.b.c', { ms: ran })), ran)).toMatchObject({ field: 'time_cap_minutes' });
  });

  test('names neither for a session that something else ended', () => {
    expect(explainTimeCap(caps, use(session('a.b.c', { ms: minute })), minute)).toBeNull();
  });
});
