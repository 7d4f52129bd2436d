import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { LaunchTrack } from '../../src/launch/index.ts';
import { Home } from './home.ts';

const good = 'demo: write wanted.txt text\ndemo: commit Add it';

/** Has the proxy of each session that `hosts` names some for refuse them before its process begins. */
function refuseHosts(home: Home, hosts: (track: LaunchTrack) => readonly string[]): void {
  const start = home.launcher.start.bind(home.launcher);
  home.launcher.start = async (plan, ...more) => {
    const { itemId, sessionId, role } = plan.track;
    const phase = role === 'setup' ? 'install' : 'runtime';
    const events = hosts(plan.track).map((host) => {
      const payload = { session_id: sessionId, host, port: 443, phase, reason: 'not on the allow list' } as const;
      return { event: { type: 'sandbox_egress_refused', payload } as const, nodeId: null };
    });
    await home.store.apply({ itemId, item: {}, events, sessions: [], expectStatus: null });
    return start(plan, ...more);
  };
}

const hostsOf = (facts: Readonly<Record<string, unknown>> | undefined): readonly string[] | undefined =>
  (facts?.['refused_hosts'] as readonly { host: string; allow: string }[] | undefined)?.map(({ allow }) => allow);

test('a setup command that failed is stopped with the hosts that it was refused, and goes on once they are allowed', async () => {
  const home = await Home.open();
  home.repo = { ...home.repo, setupCommand: 'exit 3' };
  refuseHosts(home, ({ role }) => (role === 'setup' ? ['registry.example', 'files.example'] : []));

  const { id, stop } = await home.run(good);

  expect(stop).toMatchObject({ kind: 'config', code: 'KRAFT_SETUP_FAILED' });
  expect(hostsOf(stop?.facts)).toEqual([
    `kraft repo allow registry.example:443 --phase install --repo ${home.repoDir}`,
    `kraft repo allow files.example:443 --phase install --repo ${home.repoDir}`,
  ]);
  expect(stop?.remedy).toContain('first run `kraft repo allow registry.example:443 --phase install');

  home.repo = { ...home.repo, setupCommand: 'true' };
  await home.walker.retry(id);
  expect((await home.rest(id)).status).toBe('completed');
});

test('tests that failed are stopped with the hosts of their own sessions alone', async () => {
  const home = await Home.open();
  let tests = 0;
  refuseHosts(home, ({ role }) => (role === 'agent' ? ['agent.example'] : [`tests${tests++}.example`]));

  const { id, stop } = await home.run('demo: write other.txt x\ndemo: commit Something else');

  expect(stop?.kind).toBe('failed');
  const [only, ...others] = hostsOf(stop?.facts) ?? [];
  expect(only).toMatch(/^kraft repo allow tests\d\.example:443 --repo /);
  expect(others).toEqual([]);
  const recorded = (await home.events(id)).filter((row) => row.type === 'work_item_needs_human').at(-1);
  expect(recorded?.payload).toMatchObject({ facts: { refused_hosts: stop?.facts['refused_hosts'] } });

  writeFileSync(home.worktree(id, 'wanted.txt'), 'by hand\n');
  await home.walker.retry(id);
  expect((await home.rest(id)).status).toBe('completed');
});

test('an agent that failed is stopped with the hosts that it was refused', async () => {
  const home = await Home.open();
  refuseHosts(home, ({ role }) => (role === 'agent' ? ['api.example'] : []));
  const { stop } = await home.run('demo: fail');
  expect(stop?.kind).toBe('failed');
  expect(hostsOf(stop?.facts)).toEqual([`kraft repo allow api.example:443 --repo ${home.repoDir}`]);
});

test('a refusal stops no item by itself', async () => {
  const home = await Home.open();
  refuseHosts(home, () => ['telemetry.example']);
  expect(await home.run(good)).toMatchObject({ status: 'completed', stop: null });
});
