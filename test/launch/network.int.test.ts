import { describe, expect, it } from 'vitest';
import { launchErrors, type Launcher, type LaunchPlan, type RunningLaunch } from '../../src/launch/index.ts';
import type { ContainerSpec, ListedContainer } from '../../src/runtime/index.ts';
import { FakeEngine } from '../support/fake-engine.ts';
import { openHome, readLog, recordOf, startShell, until, type Home } from './home.ts';
import { plainSandbox } from './sample-launch.ts';

const lists = { allow: ['api.example.com'], deny: ['*.example.org'] };
const closed = {
  ...plainSandbox,
  network: { install: { allow: [], deny: [] }, runtime: lists },
};
/** Any error of a catalogue will do. */
const gone = launchErrors.create('ROUTE_NOT_SERVED', undefined);

function start(home: Home, script: string): Promise<{ readonly plan: LaunchPlan; readonly running: RunningLaunch }> {
  return startShell(home, script, { sandbox: closed, harnessHosts: ['model.example.net'] });
}

function worker(home: Home): ContainerSpec {
  return home.engine.specs.find((spec) => spec.name !== null) ?? expect.unreachable('nothing was started');
}

describe('a launch under a network policy', () => {
  it('joins the network of its own relay, and takes the route down when it is over', async () => {
    const home = openHome();
    const { plan, running } = await start(home, 'true');
    expect(running.relay).toBe('relay1');
    await running.finished;
    expect(worker(home).network).toBe('container:kraft-relay-relay1');
    expect(home.routes.opened).toMatchObject([
      {
        itemId: plan.track.itemId,
        sessionId: plan.track.sessionId,
        lists: { phase: 'runtime', allow: ['api.example.com', 'model.example.net'], deny: ['*.example.org'] },
        decisionLog: `${home.paths.run}/egress/${plan.track.sessionId}.jsonl`,
      },
    ]);
    expect(home.routes.ended).toEqual(['close relay1', 'release relay1']);
  });

  it('leaves one under open egress without any route', async () => {
    const home = openHome();
    const { plan, running } = await startShell(home, 'true');
    await running.finished;
    expect(plan.network).toBeNull();
    expect(running.relay).toBeNull();
    expect(home.routes.opened).toEqual([]);
    expect(worker(home).network).toBeNull();
  });

  it('sets proxy and PATH last, so that neither task nor repository leads around them (SI-9.5 E1, E2)', async () => {
    const home = openHome();
    const sandbox = closed;
    const env = { NO_PROXY: '*', http_proxy: 'http://elsewhere:1', PATH: '/evil' };
    const { running } = await startShell(home, 'true', { sandbox, env });
    await running.finished;
    const { envLiterals, mounts } = worker(home);
    expect(envLiterals).toMatchObject({
      HTTPS_PROXY: 'http://127.0.0.1:3128',
      http_proxy: 'http://127.0.0.1:3128',
      NO_PROXY: '',
      no_proxy: '',
      NODE_USE_ENV_PROXY: '1',
    });
    expect(envLiterals['PATH']).toMatch(/^\/opt\/kraft\/bin:\//);
    expect(mounts).toContainEqual({ source: '/shim', target: '/opt/kraft/bin', readOnly: true });
  });

  it('starts nothing when it gets no route (SI-9.5 E3)', async () => {
    const home = openHome();
    home.routes.refusal = gone;
    await expect(start(home, 'true')).rejects.toMatchObject({ code: gone.code });
    expect(home.engine.specs.filter((spec) => spec.name !== null)).toEqual([]);
  });

  it('takes the route back when its start is called off', async () => {
    const home = openHome();
    const plan = await home.launcher.plan(home.request({ sandbox: closed, command: ['true'] }));
    const hooks = { confirm: () => Promise.resolve(false), onProgress: null };
    expect(await home.launcher.start(plan, home.request().repo, hooks)).toBeNull();
    expect(home.routes.ended).toEqual(['close relay1', 'release relay1']);
  });

  it('is refused by what refuses every route, before anything is made', async () => {
    const home = openHome();
    home.routes.refusal = gone;
    await expect(home.launcher.preflight(home.preflight({ sandbox: closed }))).rejects.toMatchObject({
      code: gone.code,
    });
    await home.launcher.preflight(home.preflight());
  });

  it('ends as a configuration error when its relay dies (PF-R09)', async () => {
    const home = openHome();
    const { plan, running } = await start(home, 'echo up; while :; do sleep 0.05; done');
    await until(() => readLog(plan).includes('up'));
    home.routes.lose('relay1', gone);
    expect(await running.finished).toMatchObject({
      status: 'config_error',
      code: gone.code,
      reason: gone.message,
      remedy: gone.remedy,
    });
  });

  it('takes the relay down after the container that hangs on it, as Podman asks for', async () => {
    const home = openHome();
    const { plan, running } = await start(home, 'true');
    home.routes.onRelease = () => expect(home.engine.removed).toContain(plan.track.container);
    await running.finished;
    expect(home.routes.ended).toContain('release relay1');
  });

  it('says at the end of its log what was refused (PF-P20)', async () => {
    const home = openHome();
    home.routes.refused = ['evil.example.com:443 was refused twice'];
    const { plan, running } = await start(home, 'echo hello');
    await running.finished;
    expect(readLog(plan)).toBe('hello\n\nkraft: evil.example.com:443 was refused twice\n');
  });
});

describe('a session under a network policy when the daemon comes back', () => {
  async function leave(): Promise<{ home: Home; plan: LaunchPlan; running: RunningLaunch; launcher: Launcher }> {
    const home = openHome();
    const first = home.open();
    const script = 'echo up; while [ ! -e go ]; do sleep 0.02; done';
    const { plan, running } = await startShell(home, script, { sandbox: closed }, first);
    await until(() => readLog(plan).includes('up'));
    await first[Symbol.asyncDispose]();
    return { home, plan, running, launcher: home.open() };
  }

  it('is served again under the lists that it was launched with', async () => {
    const { home, plan, running, launcher } = await leave();
    const egress = { phase: 'runtime', allow: ['then.example.com'], deny: [] } as const;
    const adoption = await launcher.adopt(recordOf(plan, running, { relay: 'relay1', egress }));
    if (adoption.kind !== 'adopted') return expect.unreachable(`it is ${adoption.kind}`);
    expect(home.routes.adopted).toMatchObject([
      {
        relay: 'relay1',
        lists: egress,
        decisionLog: plan.network?.decisionLog,
        sessionId: plan.track.sessionId,
      },
    ]);
    adoption.running.stop('cancel');
    await adoption.running.finished;
    expect(home.routes.ended).toEqual(['close relay1', 'release relay1']);
  });

  it.each([
    ['whose relay is gone', 'relay1'],
    ['that never had one recorded', null],
  ])('ends as a configuration error, %s', async (_case, relay) => {
    const { home, plan, running, launcher } = await leave();
    home.routes.refusal = gone;
    const egress = { phase: 'runtime', allow: [], deny: [] } as const;
    const adoption = await launcher.adopt(recordOf(plan, running, { relay, egress }));
    if (adoption.kind !== 'adopted') return expect.unreachable(`it is ${adoption.kind}`);
    expect(await adoption.running.finished).toMatchObject({ status: 'config_error', code: gone.code });
  });

  it('leaves relays to those who know whose they are, when it sweeps', async () => {
    class WithRelay extends FakeEngine {
      override listContainers(): Promise<readonly ListedContainer[]> {
        return Promise.resolve([
          { name: 'kraft-relay-r', id: 'r'.repeat(64), labels: { 'kraft.role': 'relay' } },
          { name: 'kraft-old', id: 'o'.repeat(64), labels: { 'kraft.role': 'worker', 'kraft.session': 'old' } },
        ]);
      }
    }
    const home = openHome(new WithRelay());
    const report = await home.launcher.sweep({ sessionIds: [], itemIds: [] });
    expect(report).toEqual({ removed: ['kraft-old'], problems: [] });
    expect(home.routes.sweeps).toBe(1);
  });
});
