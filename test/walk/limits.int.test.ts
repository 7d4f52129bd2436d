import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { PolicyLayer } from '../../src/config/index.ts';
import type { EventRow } from '../../src/events/index.ts';
import { Home } from './home.ts';

const layer = (numbers: Partial<PolicyLayer>): PolicyLayer => ({
  allowed_tools: null,
  deny_tools: null,
  grants: null,
  allowed_harnesses: null,
  timeout_minutes: null,
  max_attempts: null,
  time_cap_minutes: null,
  total_time_cap_minutes: null,
  token_budget: null,
  budget_usd: null,
  escalation_harness: null,
  ...numbers,
});

async function openHome(policy: Partial<PolicyLayer> | null = null): Promise<Home> {
  const home = await Home.open();
  home.addStreamHarnesses('alpha', 'beta');
  home.repo = {
    ...home.repo,
    tests: { kind: 'none' },
    policyLayer: policy === null ? null : layer(policy),
  };
  return home;
}

const alpha = { harness: 'alpha' };

async function payloads(home: Home, id: string, type: EventRow['type']): Promise<readonly object[]> {
  return (await home.events(id)).filter((row) => row.type === type).map((row) => row.payload);
}

describe('what a session uses', () => {
  test('is read from its log and written with its end', async () => {
    const home = await openHome();
    const item = await home.run('alpha: session s-1\nalpha: use 100 20 0.25', alpha);
    expect(item.status).toBe('completed');
    const used = { model: 'model-1', inputTokens: 100, cachedTokens: 1000, outputTokens: 20, costUsd: 0.25 };
    expect((await home.sessions(item.id))[0]).toMatchObject({ agentSession: 's-1', status: 'done', ...used });
    const [exited] = await payloads(home, item.id, 'worker_session_exited');
    expect(exited).toMatchObject({
      model: 'model-1',
      input_tokens: 100,
      cached_tokens: 1000,
      output_tokens: 20,
      cost_usd: 0.25,
    });
  });

  test('is on its row while it still runs', async () => {
    const home = await openHome();
    const { id } = await home.file('alpha: use 100 20\nalpha: hang', alpha);
    await home.walker.start(id);
    await expect.poll(async () => (await home.sessions(id))[0]?.inputTokens ?? null, { timeout: 30_000 }).toBe(100);
    expect((await home.sessions(id))[0]?.status).toBe('running');
    await home.walker.pause(id);
    await home.rest(id);
  });

  test('is said to be unpriced where a budget in dollars cannot see it', async () => {
    const home = await openHome({ budget_usd: 5 });
    const item = await home.run('alpha: use 100 20', alpha);
    expect(await payloads(home, item.id, 'spend_unpriced')).toMatchObject([{ model: 'model-1' }]);
    const free = await openHome();
    const { id } = await free.run('alpha: use 100 20', alpha);
    expect(await payloads(free, id, 'spend_unpriced')).toEqual([]);
  });

  test('a result file of a harness without a log reader says it too, with what it found', async () => {
    const home = await openHome();
    home.launcher.endings.set('demo/agent.mjs', {
      status: 'done',
      result: {
        status: 'done',
        concerns: null,
        question: null,
        summary: null,
        costUsd: 1.5,
        model: 'm',
        usage: { inputTokens: 5, outputTokens: 6, cacheReadTokens: 7, cacheWriteTokens: 8 },
        findings: [{ severity: 'minor', message: 'A slip', source: 'review', file: 'a.ts', line: 3, sameAs: 'x' }],
        droppedFindings: 0,
        verdict: null,
        suggestedAction: null,
      },
    });
    const item = await home.run('demo: write wanted.txt text');
    const [row] = await home.sessions(item.id);
    expect(row).toMatchObject({ inputTokens: 13, cachedTokens: 7, outputTokens: 6, costUsd: 1.5, model: 'm' });
    expect(row?.findings).toEqual([{ severity: 'minor', message: 'A slip', source: 'review', file: 'a.ts', line: 3 }]);
  });
});

describe('caps', () => {
  test('a token budget ends the session that uses it up, and the item stops naming what to raise', async () => {
    const home = await openHome({ token_budget: 100 });
    const item = await home.run('alpha: use 100 20\nalpha: hang', alpha);
    expect(item).toMatchObject({ status: 'needs_human', stop: { kind: 'budget', code: 'KRAFT_BUDGET_REACHED' } });
    expect(item.stop?.facts).toMatchObject({ scope: 'the item', field: 'token_budget', limit: 100, used: 120 });
    expect(item.stop?.remedy).toContain('token_budget in `policy` of the entry in repos.yaml');
    expect((await home.sessions(item.id))[0]).toMatchObject({ status: 'capped_out', inputTokens: 100 });
    expect(await payloads(home, item.id, 'scope_budget_reached')).toEqual([
      { scope: 'the item', field: 'token_budget', limit: 100, used: 120 },
    ]);

    // Not raised: nothing is launched again.
    await home.walker.retry(item.id);
    expect((await home.rest(item.id)).stop?.kind).toBe('budget');
    expect(await home.sessions(item.id)).toHaveLength(1);

    home.repo = { ...home.repo, policyLayer: layer({ token_budget: 100_000 }) };
    writeFileSync(join(home.base, 'worker-home', 'runs-alpha'), '0');
    await home.walker.retry(item.id);
    await home.until(item.id, 'work_item_retried');
    await expect.poll(async () => (await home.sessions(item.id)).length, { timeout: 30_000 }).toBe(2);
    await home.walker.pause(item.id);
    await home.rest(item.id);
  });

  test('dollars of policy.yaml bind an item, and those of the day all of them together', async () => {
    const home = await openHome();
    home.policy = { ...home.policy, workItemUsd: 1 };
    const item = await home.run('alpha: use 1 1 1.25\nalpha: hang', alpha);
    expect(item.stop).toMatchObject({ kind: 'budget', facts: { field: 'budget_usd', limit: 1, used: 1.25 } });
    expect(item.stop?.remedy).toContain('budgets.work_item_usd in policy.yaml');

    home.policy = { ...home.policy, workItemUsd: null, dailyUsd: 1.2 };
    const other = await home.run('alpha: use 1 1 0.5', alpha);
    expect(other.stop).toMatchObject({ kind: 'budget', facts: { scope: 'the day', field: 'daily_usd', used: 1.25 } });
    expect(await home.sessions(other.id)).toEqual([]);
    expect(await payloads(home, other.id, 'scope_budget_reached')).toMatchObject([{ field: 'daily_usd' }]);

    // The next day everything is free again.
    home.aheadMs = 24 * 3600_000;
    await home.walker.retry(other.id);
    expect((await home.rest(other.id)).status).toBe('completed');
  });

  test('the time of all sessions lowers the cap of the next one, and stops it once it is used up', async () => {
    const home = await openHome({ time_cap_minutes: 30, total_time_cap_minutes: 40 });
    const { id } = await home.file('alpha.1: session s-1\nalpha.1: hang', alpha);
    await home.walker.start(id);
    await expect.poll(async () => (await home.sessions(id))[0]?.agentSession ?? null, { timeout: 30_000 }).toBe('s-1');
    await home.walker.pause(id);
    await home.rest(id);
    const [row] = await home.sessions(id);
    expect(row?.timeCapMs).toBe(30 * 60_000);
    const change = { itemId: id, item: {}, events: [], expectStatus: null };
    await home.store.apply({ ...change, sessions: [{ id: row?.id ?? '', wallMs: 25 * 60_000 }] });
    await home.walker.resume(id);
    expect((await home.rest(id)).status).toBe('completed');
    const caps = (await home.sessions(id)).map((each) => each.timeCapMs ?? 0);
    expect(caps[1]).toBe(15 * 60_000);

    const late = await home.file('alpha: use 1 1', alpha);
    await home.walker.start(late.id);
    await home.rest(late.id);
    const [first] = await home.sessions(late.id);
    await home.store.apply({
      itemId: late.id,
      item: { status: 'needs_human', nextNode: 'verification' },
      events: [],
      sessions: [{ id: first?.id ?? '', wallMs: 41 * 60_000 }],
      expectStatus: null,
    });
    home.repo = { ...home.repo, tests: { kind: 'scopes', scopes: [{ paths: ['**'], command: 'true' }] } };
    writeFileSync(join(home.worktree(late.id), 'new.txt'), 'x');
    await home.walker.retry(late.id);
    const stopped = await home.rest(late.id);
    expect(stopped.stop).toMatchObject({
      kind: 'cap',
      code: 'KRAFT_TIME_CAP_REACHED',
      facts: { scope: 'the item', field: 'total_time_cap_minutes', limit: 40 },
    });
    expect(await payloads(home, late.id, 'time_cap_reached')).toMatchObject([{ minutes: 40 }]);
  });

  test('a session that reached its own time cap stops its item and is neither repaired nor run again', async () => {
    const home = await openHome({ time_cap_minutes: 0.001 });
    home.launcher.endings.set('alpha', { status: 'capped_out', exitCode: 143 });
    const { id } = await home.file('alpha: use 1 1', alpha);
    await home.walker.start(id);
    const item = await home.rest(id);
    expect(item.stop?.kind).toBe('cap');
    expect((await home.sessions(id)).map((row) => row.status)).toEqual(['capped_out']);
    expect(await payloads(home, id, 'time_cap_reached')).toMatchObject([
      { scope: 'the item', field: 'time_cap_minutes', minutes: 0.001 },
    ]);
  });
});

describe('rate limits', () => {
  const later = (home: Home, minutes: number): string =>
    new Date(Math.ceil((Date.now() + home.aheadMs + minutes * 60_000) / 1000) * 1000).toISOString();

  test('the item waits until the earliest reset and goes on by itself, by one alarm', async () => {
    const home = await openHome();
    const until = later(home, 30);
    const item = await home.run(`alpha.1: session s-1\nalpha.1: limited ${until}`, alpha);
    expect(item).toMatchObject({ status: 'rate_limited', resumesAt: until, stop: null });
    expect((await home.sessions(item.id)).map((row) => row.status)).toEqual(['rate_limited']);
    expect(await payloads(home, item.id, 'rate_limit_hit')).toMatchObject([{ harness: 'alpha', resets_at: until }]);
    expect(await payloads(home, item.id, 'work_item_rate_limited')).toEqual([
      { node_id: 'implementation', task: 'implementation.main.agent', resets_at: until },
    ]);
    expect(home.alarms.size).toBe(1);
    await home.passTime();
    expect((await home.item(item.id)).status).toBe('completed');
    expect(await payloads(home, item.id, 'work_item_resumed')).toContainEqual({ by: 'kraft', verb: 'reset' });
    expect(home.alarms.size).toBe(0);
  });

  test('a daemon that starts arms the alarm anew, and takes up at once what became due meanwhile', async () => {
    const home = await openHome();
    const item = await home.run(`alpha.1: limited ${later(home, 30)}`, alpha);
    await home.shutDown();
    home.alarms.clear();
    await home.boot();
    await home.walker.reattach();
    expect([...home.alarms].map(({ ms }) => Math.round(ms / 60_000))).toEqual([30]);
    await home.shutDown();
    home.alarms.clear();
    home.aheadMs = 31 * 60_000;
    await home.boot();
    await home.walker.reattach();
    expect((await home.rest(item.id)).status).toBe('completed');
  });

  test('without a word on until when it waits longer each time, and stops for a person in the end', async () => {
    const home = await openHome();
    home.policy = { ...home.policy, rateLimitRetries: 2 };
    const item = await home.run('alpha: limited', alpha);
    const waits: number[] = [];
    for (let times = 0; times < 2; times++) {
      waits.push(Math.round([...home.alarms][0]!.ms / 60_000));
      await home.passTime();
    }
    expect(waits).toEqual([5, 10]);
    const stopped = await home.item(item.id);
    expect(stopped.stop).toMatchObject({ kind: 'rate_limit', code: 'KRAFT_RATE_LIMITED', facts: { times: 3 } });
    expect(home.alarms.size).toBe(0);
    // A retry begins to count anew.
    await home.walker.retry(item.id);
    expect((await home.rest(item.id)).status).toBe('rate_limited');
  });

  test('a person can pause what waits, and resuming tries it at once', async () => {
    const home = await openHome();
    const item = await home.run(`alpha.1: limited ${later(home, 30)}`, alpha);
    expect((await home.walker.pause(item.id)).status).toBe('paused');
    await home.walker.resume(item.id);
    expect((await home.rest(item.id)).status).toBe('completed');
  });
});

describe('fallback (CC 4.5)', () => {
  const chain = (task: object): object => ({
    id: 'with-fallback',
    nodes: [{ id: 'implementation', tasks: [{ id: 'agent', kind: 'agent', ...task }] }],
  });
  const until = new Date(Math.ceil((Date.now() + 3600_000) / 1000) * 1000).toISOString();

  async function openChain(task: object): Promise<Home> {
    const home = await openHome();
    home.writeChain('with-fallback', chain(task));
    home.repo = { ...home.repo, defaultChain: 'with-fallback' };
    return home;
  }

  test('the next harness takes over from a limited one, and gets the person’s words too', async () => {
    const home = await openChain({ harness: 'alpha', fallback: [{ harness: 'beta', model: 'b-1' }] });
    const { id } = await home.file(`alpha: limited ${until}`);
    const words = { steer: 'Mind the gap.' };
    await home.store.apply({ itemId: id, item: words, events: [], sessions: [], expectStatus: null });
    await home.walker.start(id);
    const item = await home.rest(id);
    expect(item.status).toBe('completed');
    expect(
      (await home.sessions(id)).filter((row) => row.harness !== null).map((row) => [row.harness, row.status]),
    ).toEqual([
      ['alpha', 'rate_limited'],
      ['beta', 'done'],
    ]);
    expect(await payloads(home, id, 'launch_fallback')).toMatchObject([{ from: 'alpha', to: 'beta (b-1)' }]);
    const prompts = await home.prompts(id);
    expect(prompts[1]?.args).toContain('b-1');
    expect(prompts.map(({ args }) => args.at(-1)?.includes('Mind the gap.'))).toEqual([true, true]);
  });

  test('all of them limited: the item waits for the first that resets, and skips what is still limited then', async () => {
    const home = await openChain({ harness: 'alpha', fallback: [{ harness: 'beta' }] });
    const soon = new Date(Math.ceil((Date.now() + 600_000) / 1000) * 1000).toISOString();
    const item = await home.run(`alpha.1: limited ${until}\nbeta.1: limited ${soon}`);
    expect(item).toMatchObject({ status: 'rate_limited', resumesAt: soon });
    expect(await payloads(home, item.id, 'launch_fallback_exhausted')).toHaveLength(1);
    await home.passTime();
    expect((await home.item(item.id)).status).toBe('completed');
    const agents = (await home.sessions(item.id)).filter((row) => row.harness !== null);
    expect(agents.map((row) => row.harness)).toEqual(['alpha', 'beta', 'beta']);
    expect((await payloads(home, item.id, 'launch_fallback')).at(-1)).toMatchObject({
      reason: expect.stringContaining('limited until') as string,
    });
  });

  test('a profile that is missing or switched off is passed over for a fallback, and stops a task without one', async () => {
    const home = await openChain({ harness: 'gone', fallback: [{ harness: 'off' }, { harness: 'beta' }] });
    const off = {
      provider: 'alpha',
      enabled: false,
      executable: null,
      model: null,
      effort: null,
      permissionMode: null,
    };
    home.harnessProfiles = { off };
    const item = await home.run('');
    expect(item.status).toBe('completed');
    expect((await home.sessions(item.id))[0]?.harness).toBe('beta');
    expect(await payloads(home, item.id, 'launch_fallback')).toMatchObject([{ from: 'off', to: 'beta' }]);

    home.writeChain('with-fallback', chain({ harness: 'off', fallback: [] }));
    const stopped = await home.run('');
    expect(stopped.stop).toMatchObject({ kind: 'config', code: 'KRAFT_HARNESS_PROFILE_DISABLED' });
  });

  test('a fallback onto a harness that the policy refuses is a configuration error, not a skip', async () => {
    const home = await openChain({ harness: 'alpha', fallback: [{ harness: 'beta' }] });
    home.repo = { ...home.repo, policy: { ...home.repo.policy, allowedHarnesses: ['alpha'] } };
    const item = await home.run(`alpha: limited ${until}`);
    expect(item.stop).toMatchObject({ kind: 'config', code: 'KRAFT_HARNESS_NOT_ALLOWED' });
  });

  test('an agent profile gives model, effort and fallback; the task’s own list takes its place', async () => {
    const home = await openChain({ harness: 'alpha', profile: 'strong' });
    home.agentProfiles = {
      strong: {
        models: { alpha: 'a-9', beta: 'b-9' },
        effort: 'high',
        fallback: [{ harness: 'beta', profile: null, model: null, effort: null }],
      },
    };
    const item = await home.run(`alpha: limited ${until}`);
    expect(item.status).toBe('completed');
    const prompts = await home.prompts(item.id);
    expect(prompts.map(({ args }) => args.slice(0, 4))).toEqual([
      ['--model', 'a-9', '--effort', 'high'],
      ['--model', 'b-9', '--effort', 'high'],
    ]);
    home.writeChain('with-fallback', chain({ harness: 'alpha', profile: 'strong', fallback: [] }));
    const alone = await home.run(`alpha: limited ${until}`);
    expect(alone.status).toBe('rate_limited');
  });

  test('a profile that is not there stops a task without a fallback', async () => {
    const home = await openChain({ harness: 'alpha', profile: 'gone' });
    const item = await home.run('');
    expect(item.stop).toMatchObject({ kind: 'config', code: 'KRAFT_AGENT_PROFILE_UNKNOWN' });
  });

  test('models of the repository stand before those of the harness profile (CC 1.3)', async () => {
    const home = await openHome();
    const mine = {
      provider: 'alpha',
      enabled: true,
      executable: null,
      model: 'a-1',
      effort: null,
      permissionMode: null,
    };
    home.harnessProfiles = { mine };
    const first = await home.run('', { harness: 'mine' });
    expect((await home.prompts(first.id))[0]?.args.slice(0, 2)).toEqual(['--model', 'a-1']);
    home.repo = { ...home.repo, models: { mine: 'a-2' } };
    const second = await home.run('', { harness: 'mine' });
    expect((await home.prompts(second.id))[0]?.args.slice(0, 2)).toEqual(['--model', 'a-2']);
  });
});
