import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type LaunchPlan,
  type LaunchRequest,
  type PlanFacts,
  planLaunch,
  shellCommand,
} from '../../src/launch/index.ts';
import { renderRunArgs } from '../../src/runtime/index.ts';
import { plainRepo, plainSandbox, sampleFacts, sampleRequest } from './sample-launch.ts';

const secrets = { API_TOKEN: 'tok-5up3r', PIP_CERT: '/opt/ca.pem' };
const withSecrets = { ...plainRepo, env: secrets, envPassthrough: ['NPM_TOKEN'] };
const names = [...sampleFacts().forwardedNames, 'HTTPS_PROXY', 'NPM_TOKEN', 'API_TOKEN', 'PIP_CERT'];
const keepId = { user: '1000:1000', userNamespace: 'keep-id', uid: 1000, gid: 1000 };
const limits = { cpu: 1.5, memoryBytes: 4 * 1024 ** 3, closeSwap: true, pids: 512 };

const closed = {
  ...plainSandbox,
  network: {
    install: { allow: ['packages.example.org:443'], deny: [] },
    runtime: { allow: ['api.github.com'], deny: ['*.github.com'] },
  },
};
const settingsDir = { variable: 'MY_SETTINGS', names: 'own.json', files: { 'own.json': '{}\n', 'b.json': '[]\n' } };

/** Each case is a golden file: what a reviewer reads, and what SI 1.4 to 1.7 ask of an argv. */
const cases: Readonly<Record<string, readonly [LaunchRequest, PlanFacts]>> = {
  'agent-docker-rootful': [sampleRequest(), sampleFacts()],
  'agent-docker-rootless': [
    sampleRequest(),
    sampleFacts({ user: { user: '0:0', userNamespace: null, uid: 0, gid: 0 }, passwd: null, group: null }),
  ],
  'agent-podman-rootful-limits': [sampleRequest({ timeCapMs: 60_000 }), sampleFacts({ kind: 'podman', limits })],
  'agent-podman-rootless': [sampleRequest(), sampleFacts({ kind: 'podman', user: keepId })],
  'agent-extra-ca-and-secrets': [
    sampleRequest({ repo: withSecrets, envNames: ['GEMINI_API_KEY'] }),
    sampleFacts({ caBundle: '/home/p/.kraft/run/sandbox-ca/ff.pem', forwardedNames: names }),
  ],
  'subprocess-selinux-relabel': [
    sampleRequest({ role: 'subprocess', command: ['npm', 'test'] }),
    sampleFacts({ selinux: 'relabel', forwardedNames: [] }),
  ],
  'subprocess-selinux-disable': [
    sampleRequest({ role: 'subprocess', command: ['npm', 'test'] }),
    sampleFacts({ selinux: 'disable', forwardedNames: [] }),
  ],
  'agent-network': [
    sampleRequest({ sandbox: closed, harnessHosts: ['api.openai.com'], env: { NO_PROXY: '*' } }),
    sampleFacts({ forwardedNames: [] }),
  ],
  'setup-network': [
    sampleRequest({ role: 'setup', phase: 'install', sandbox: closed, command: shellCommand('npm ci') }),
    sampleFacts({ forwardedNames: [] }),
  ],
  'agent-config-files': [sampleRequest({ configDir: settingsDir }), sampleFacts()],
  'setup-docker': [
    sampleRequest({ role: 'setup', phase: 'install', command: shellCommand('npm ci && make') }),
    sampleFacts({ forwardedNames: [] }),
  ],
};

const plans = Object.entries(cases).map(([name, [request, facts]]) => ({
  name,
  request,
  facts,
  plan: planLaunch(request, facts),
}));

describe('a launch plan', () => {
  it.each(plans)('reads as the golden file says: $name', async ({ name, plan, facts }) => {
    const golden = { ...plan, argv: renderRunArgs(plan.container, facts.kind) };
    const file = resolve(import.meta.dirname, `../fixtures/plans/${name}.plan`);
    await expect(`${JSON.stringify(golden, null, 2)}\n`).toMatchFileSnapshot(file);
  });

  it.each(plans)(
    'lets a worker write its worktree, store, results and HOME, and nothing else: $name',
    ({ plan, request }) => {
      const writable = plan.container.mounts.filter((mount) => !mount.readOnly).map((mount) => mount.target);
      const results = request.role === 'setup' ? [] : ['/kraft/results'];
      expect(writable).toEqual([request.worktree.path, request.store.commonDir, ...results, '/kraft/home']);
    },
  );

  it.each(plans)(
    'never mounts an engine socket, KRAFT_HOME, or anything of the run directory as a whole: $name',
    ({ plan }) => {
      const sources = plan.container.mounts.map((mount) => mount.source);
      expect(sources.filter((path) => path.endsWith('.sock'))).toEqual([]);
      for (const whole of ['', '/config', '/run', '/run/results', '/run/logs', '/run/sandbox-home'])
        expect(sources).not.toContain(`/home/p/.kraft${whole}`);
    },
  );

  // SI-9.1 A14, 1.6: secrets cross by name.
  it.each(plans)('holds no value that may be a secret, and passes no name twice: $name', ({ plan, facts }) => {
    const argv = renderRunArgs(plan.container, facts.kind);
    for (const [name, value] of Object.entries(secrets)) {
      expect(JSON.stringify(plan)).not.toContain(value);
      expect(argv.filter((word) => word.startsWith(`${name}=${value}`))).toEqual([]);
    }
    const { envLiterals, envNames } = plan.container;
    expect(envNames.filter((name) => Object.hasOwn(envLiterals, name))).toEqual([]);
    for (const name of envNames) expect(argv[argv.indexOf(name) - 1]).toBe('-e');
  });

  it.each(plans)('pins git inside the container as on the host: $name', ({ plan }) => {
    const { envLiterals: env } = plan.container;
    const count = Number(env['GIT_CONFIG_COUNT']);
    const pins = Array.from({ length: count }, (_, i) => [env[`GIT_CONFIG_KEY_${i}`], env[`GIT_CONFIG_VALUE_${i}`]]);
    expect(pins).toContainEqual(['core.hooksPath', '/dev/null']);
    expect(pins.filter(([key]) => key === 'safe.directory').map(([, path]) => path)).toEqual([
      '/home/p/.kraft/run/worktrees/abc',
      '/home/p/shop/.git',
      '/home/p/shop/.git/worktrees/abc',
    ]);
    expect(pins.map(([, value]) => value)).not.toContain('*');
  });
});

describe('planLaunch', () => {
  function container(request: Partial<LaunchRequest>, facts: Partial<PlanFacts> = {}): LaunchPlan['container'] {
    return planLaunch(sampleRequest(request), sampleFacts(facts)).container;
  }

  // SI-9.1 A12
  it('mounts and enters a worktree at its real path', () => {
    const spec = container({}, { worktree: '/real/abc' });
    expect(spec.workingDir).toBe('/real/abc');
    expect(spec.mounts[0]).toEqual({ source: '/real/abc', target: '/real/abc', readOnly: false });
  });

  // SI-9.1 A16, PF-U07, PF-R03
  it('sets a short HOME, which nothing of the request or the repository can move', () => {
    const repo = { ...plainRepo, env: { HOME: '/root' } };
    const spec = container({ repo, env: { HOME: '/x' } }, { forwardedNames: ['HOME'] });
    expect(spec.envLiterals['HOME']).toBe('/kraft/home');
    expect(spec.envNames).toEqual([]);
  });

  // SI-9.4 D7, D9 as settled: the repository's certificates join the bundle, and every variable points at it.
  it('points every CA variable at the bundle, the one that the repository names too', () => {
    const spec = container({ repo: withSecrets }, { caBundle: '/b.pem', forwardedNames: names });
    expect(spec.envLiterals['PIP_CERT']).toBe('/etc/kraft/ca-bundle.pem');
    expect(spec.envNames).not.toContain('PIP_CERT');
    expect(Object.values(spec.envLiterals)).not.toContain('/b.pem');
  });

  // SI-9.4 D1
  it('without an extra CA neither mounts nor names one, and lets the variable of the repository through', () => {
    const spec = container({ repo: withSecrets }, { forwardedNames: names });
    expect(spec.mounts.map((mount) => mount.target)).not.toContain('/etc/kraft/ca-bundle.pem');
    expect(Object.keys(spec.envLiterals)).not.toContain('SSL_CERT_FILE');
    expect(spec.envNames).toContain('PIP_CERT');
  });

  // CC 12
  it('tells an agent its item, session and result path, a test the last alone, and a setup command none', () => {
    const told = (role: LaunchRequest['role']): string[] =>
      Object.keys(container({ role }).envLiterals).filter((name) => name.startsWith('KRAFT_'));
    expect(told('agent')).toEqual(['KRAFT_RESULT_PATH', 'KRAFT_WORK_ITEM_ID', 'KRAFT_SESSION_ID']);
    expect(told('subprocess')).toEqual(['KRAFT_RESULT_PATH']);
    expect(told('setup')).toEqual([]);
  });

  // CC 4.2: what a worker writes is not there for the next launch.
  it('mounts each config file of an agent read-only, from outside HOME, into a folder that goes with the container', () => {
    const request = sampleRequest({ configDir: settingsDir });
    const { container: spec, files, track } = planLaunch(request, sampleFacts());
    expect(files.map(({ path, content }) => [path, content])).toEqual([
      [`${track.clientDir}/agent-config/own.json`, '{}\n'],
      [`${track.clientDir}/agent-config/b.json`, '[]\n'],
    ]);
    expect(spec.mounts.slice(-2)).toEqual([
      { source: files[0]?.path, target: '/kraft/agent-config/own.json', readOnly: true },
      { source: files[1]?.path, target: '/kraft/agent-config/b.json', readOnly: true },
    ]);
    expect(Object.keys(spec.tmpfs)).toEqual(['/kraft/agent-config']);
  });

  it('points the variable of the config files at the folder, or at the file that it names', () => {
    const at = (names: string | null): string | undefined =>
      container({ configDir: { ...settingsDir, names } }).envLiterals['MY_SETTINGS'];
    expect(at(null)).toBe('/kraft/agent-config');
    expect(at('own.json')).toBe('/kraft/agent-config/own.json');
  });

  it('lets neither the repository nor the harness’s own variables take the place of that variable, and none move HOME', () => {
    const repo = { ...plainRepo, env: { MY_SETTINGS: '/mine' } };
    const spec = container(
      { repo, configDir: settingsDir, env: { MY_SETTINGS: '/x' } },
      { forwardedNames: ['MY_SETTINGS'] },
    );
    expect(spec.envLiterals['MY_SETTINGS']).toBe('/kraft/agent-config/own.json');
    expect(spec.envNames).toEqual([]);
    const moved = container({ configDir: { ...settingsDir, variable: 'HOME' } });
    expect(moved.envLiterals['HOME']).toBe('/kraft/home');
  });

  it('says where the value of each bare name comes from', () => {
    const plan = planLaunch(
      sampleRequest({ repo: withSecrets }),
      sampleFacts({ forwardedNames: ['NPM_TOKEN', 'API_TOKEN'] }),
    );
    expect(plan.secretNames).toEqual([
      { name: 'NPM_TOKEN', source: 'daemon' },
      { name: 'API_TOKEN', source: 'repository' },
    ]);
  });

  it('never lets a missing image be pulled inside the time of a task', () => {
    expect(container({}).pull).toBe('never');
  });

  it('keeps the exit code out of the directory that the worker writes', () => {
    const { track, resultDir } = planLaunch(sampleRequest(), sampleFacts());
    expect(track.exitPath.startsWith(`${String(resultDir)}/`)).toBe(false);
  });

  it('refuses an argument that no system takes', () => {
    const longest = 'x'.repeat(128 * 1024 - 1);
    expect(() => container({ command: ['agent', longest] })).not.toThrow();
    expect(() => container({ command: ['agent', `${longest}y`] })).toThrow(
      expect.objectContaining({ code: 'KRAFT_COMMAND_TOO_LONG' }),
    );
  });
});
