import { describe, expect, it } from 'vitest';
import { joinRelay, planRelay, type RelayPlan } from '../../src/relay/plan.ts';
import { randomRelayId } from '../../src/relay/relay-id.ts';
import { planUser, renderRunArgs } from '../../src/runtime/index.ts';

const directory = '/home/ada/.kraft/run/sn/k3m9x2p7w4qa';
const plan: RelayPlan = {
  home: '/home/ada/.kraft',
  relayId: 'k3m9x2p7w4qa',
  directory,
  image: 'localhost/kraft-relay:latest',
  program: 'kraft',
  user: { user: '1000:1000', userNamespace: null },
  selinux: null,
  enforceable: new Set(['cpu', 'memory', 'swap', 'pids']),
};

describe('the argv of a relay', () => {
  it('is this for Kraft’s own relay on rootful Docker (SI-9.5 E4, golden)', () => {
    expect(renderRunArgs(planRelay(plan), 'docker')).toEqual([
      'run',
      '--log-driver=none',
      '--label',
      'kraft.home=/home/ada/.kraft',
      '-u',
      '1000:1000',
      '--label',
      'kraft.role=relay',
      '--label',
      'kraft.relay=k3m9x2p7w4qa',
      '--label',
      'kraft.relay.protocol=1',
      '--security-opt=no-new-privileges',
      '--cap-drop=ALL',
      '--memory=64m',
      '--memory-swap=64m',
      '--pids-limit=256',
      '--network=none',
      '--read-only',
      '--pull=never',
      '-v',
      `${directory}:${directory}`,
      '--name',
      'kraft-relay-k3m9x2p7w4qa',
      'localhost/kraft-relay:latest',
      '3128',
      directory,
    ]);
  });

  it('is this for an image with socat on rootless Podman, which enforces nothing here (SI 3.1, golden)', () => {
    const { user, userNamespace } = planUser({ kind: 'podman', rootless: true }, 1000, 1000);
    const spec = planRelay({
      ...plan,
      image: 'docker.io/alpine/socat:1.8',
      program: 'socat',
      user: { user, userNamespace },
      selinux: 'relabel',
      enforceable: new Set(),
    });
    expect(renderRunArgs(spec, 'podman')).toEqual([
      'run',
      '--log-driver=none',
      '--label',
      'kraft.home=/home/ada/.kraft',
      '-u',
      '1000:1000',
      '--userns=keep-id',
      '--label',
      'kraft.role=relay',
      '--label',
      'kraft.relay=k3m9x2p7w4qa',
      '--security-opt=no-new-privileges',
      '--cap-drop=ALL',
      '--http-proxy=false',
      '--env-host=false',
      '--network=none',
      '--read-only',
      '--pull=never',
      '-v',
      `${directory}:${directory}:z`,
      '--name',
      'kraft-relay-k3m9x2p7w4qa',
      '--entrypoint=socat',
      'docker.io/alpine/socat:1.8',
      'TCP-LISTEN:3128,bind=127.0.0.1,fork,reuseaddr',
      `UNIX-CONNECT:${directory}/s.sock`,
    ]);
  });

  it('asks for no limit while the engine has not said what it enforces', () => {
    const args = renderRunArgs(planRelay({ ...plan, enforceable: 'unknown' }), 'docker');
    expect(args.filter((arg) => /memory|pids/u.test(arg))).toEqual([]);
  });

  it('keeps socat from reading more into a path than a path', () => {
    const { command } = planRelay({ ...plan, program: 'socat', directory: '/home/a,b!c/sn/x' });
    expect(command[1]).toBe('UNIX-CONNECT:/home/a\\,b\\!c/sn/x/s.sock');
  });

  it('never has a restart policy, which would leave a worker in the namespace of before (PF-R09, PF-R10)', () => {
    expect(renderRunArgs(planRelay(plan), 'docker').join(' ')).not.toMatch(/restart|--rm/u);
  });
});

describe('a worker', () => {
  it.each([
    ['rootful Docker', { kind: 'docker', rootless: false }, null],
    ['rootless Docker', { kind: 'docker', rootless: true }, null],
    ['rootful Podman', { kind: 'podman', rootless: false }, null],
    ['rootless Podman', { kind: 'podman', rootless: true }, 'container:kraft-relay-x'],
  ] as const)('joins the network of its relay on %s, and its user namespace where that owns it', (_, facts, userns) => {
    expect(joinRelay('kraft-relay-x', planUser(facts, 1000, 1000))).toEqual({
      network: 'container:kraft-relay-x',
      userNamespace: userns,
    });
  });
});

describe('the id of a relay', () => {
  it('is short, safe in names, and does not come twice', () => {
    const ids = Array.from({ length: 1_000 }, randomRelayId);
    for (const id of ids) expect(id).toMatch(/^[a-z2-9]{12}$/u);
    expect(new Set(ids).size).toBe(1_000);
  });
});
