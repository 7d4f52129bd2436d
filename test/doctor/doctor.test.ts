import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createDoctor, type HostProbe } from '../../src/doctor/index.ts';
import { launchErrors, type DoctorRowName } from '../../src/launch/index.ts';
import type { ContainerSpec, Engine } from '../../src/runtime/index.ts';
import { answer, diagnose, facts, image, inside, options, probed, repo, rowOf, sandbox } from './ground.ts';
import { hostCases, rejects, repositoryCases, sandboxCases, unreachable } from './rows.ts';

describe('a host in order', () => {
  it('gives every row, in order, and nothing but the open egress to warn of', async () => {
    const report = await diagnose();
    expect(report.ok).toBe(true);
    expect(report.rows.map((row) => `${row.name}: ${row.outcome}`)).toEqual([
      'home: ok',
      'daemon: ok',
      'config: ok',
      'engine: ok',
      'disk: ok',
      'worktrees: ok',
      'repo shop: ok',
      'setup shop: ok',
      'tests shop: ok',
      'keys shop: ok',
      'sandbox shop: ok',
      'egress shop: warn',
      'ca shop: ok',
      'proxy shop: ok',
    ]);
    expect(report.rows.filter((row) => row.detail === '')).toEqual([]);
  });

  it('says which engine, endpoint, limits and image a launch would use (PF-D04, PF-F04)', async () => {
    const row = await rowOf('sandbox shop');
    expect(row.detail).toContain('image agent:1 on docker 27.0.1 (/usr/bin/docker) at unix:///var/run/docker.sock');
    expect(row.detail).toContain('limits: cpu, memory, pids');
    expect((await rowOf('config')).detail).toContain('repositories: 1; max_concurrent 3; disk floor 2g');
  });

  it('is told that nothing is connected', async () => {
    const report = await diagnose({ repos: [] });
    expect(report.rows.at(-1)).toMatchObject({ name: 'repos', outcome: 'ok' });
    expect(report.rows.at(-1)?.detail).toContain('kraft repo connect');
  });

  it('skips a repository that is disabled', async () => {
    const report = await diagnose({ repos: [repo({ enabled: false })] });
    expect(report.rows.slice(6)).toMatchObject([{ name: 'repo shop', outcome: 'skipped' }]);
  });
});

describe('a row', () => {
  it.each([...hostCases, ...repositoryCases, ...sandboxCases])(
    '$row $sentence',
    async ({ row, ground, outcome, code, says, remedy }) => {
      const found = await rowOf(row, ground);
      expect(found.outcome).toBe(outcome);
      if (code !== null) expect(found.codes).toContain(`KRAFT_${code}`);
      expect(found.detail).toContain(says);
      if (remedy === null) expect(found.remedy).toBeNull();
      else expect(found.remedy).toContain(remedy);
    },
  );

  it('that is not ok always has a remedy', async () => {
    for (const { ground } of [...hostCases, ...repositoryCases, ...sandboxCases]) {
      const { rows } = await diagnose(ground);
      expect(rows.filter((row) => row.outcome !== 'ok' && row.remedy === null)).toEqual([]);
    }
  });

  it('of the sandbox fails when a container cannot read the extra CA, and mounts a copy of it', async () => {
    const specs: ContainerSpec[] = [];
    const runThrowaway: Engine['runThrowaway'] = (spec) => {
      specs.push(spec);
      return Promise.resolve(answer(spec, { ...inside, ca: 'no' }));
    };
    const caBundle = join(import.meta.dirname, '../fixtures/ca/one.pem');
    const row = await rowOf('sandbox shop', { settings: { caBundle }, engine: { runThrowaway } });
    expect(row.codes).toEqual(['KRAFT_CA_NOT_SEEN']);
    expect(row.detail).toContain(caBundle);
    expect(specs[0]?.mounts.map((mount) => mount.source)).not.toContain(caBundle);
    const seen = await rowOf('sandbox shop', { settings: { caBundle }, inside: { ca: 'yes' } });
    expect(seen).toMatchObject({ outcome: 'ok' });
    expect(seen.detail).toContain(`extra CA from ${caBundle}`);
  });

  it('never shows what a proxy variable holds', async () => {
    const report = await diagnose({ env: { HTTPS_PROXY: 'http://user:pass-4711@127.0.0.1:3128' } });
    expect(JSON.stringify(report)).not.toContain('pass-4711');
  });

  it('escapes control characters of a repository’s commands', async () => {
    const row = await rowOf('setup shop', { repos: [repo({ setupCommand: 'echo \u001b[2J' })] });
    expect(row.detail).not.toContain('\u001b');
  });
});

describe('a host with several faults (PF-U10)', () => {
  it('gets all of them in one run', async () => {
    const report = await diagnose({
      host: { selinuxEnforcing: () => true, freeBytes: () => Promise.resolve(0) },
      facts: { appliesSelinuxLabels: true, enforceable: new Set(['pids'] as const) },
      settings: { caBundle: '/nowhere/extra.pem' },
      engine: { inspectImage: () => Promise.resolve(null) },
      repos: [repo({ setupCommand: null })],
      probed: { branchKraft: true, hasCommit: false },
    });
    const errors = report.rows.flatMap((row) => row.errors);
    expect(errors.map((error) => error.code.replace('KRAFT_', ''))).toEqual(
      expect.arrayContaining([
        'DISK_FLOOR',
        'SELINUX_CHOICE_NEEDED',
        'REPOSITORY_EMPTY',
        'BRANCH_KRAFT_EXISTS',
        'SETUP_PROPOSAL',
        'CA_BUNDLE_UNUSABLE',
        'LIMIT_UNENFORCEABLE',
        'IMAGE_MISSING',
      ]),
    );
    const limits = errors.filter((error) => error.code === 'KRAFT_LIMIT_UNENFORCEABLE');
    expect(limits.map((error) => error.details['limit'])).toEqual(['cpu', 'memory']);
    expect(report.ok).toBe(false);
  });

  it('gets a fault that the checks of a launch meet again only once', async () => {
    const again = launchErrors.create('IMAGE_MISSING', { image: 'agent:1', cli: '/usr/bin/docker' });
    const steps = { refusals: () => Promise.resolve([again]), preflight: rejects(again) };
    expect((await rowOf('sandbox shop', { steps })).codes).toEqual(['KRAFT_IMAGE_MISSING']);
  });

  it('still gets the other rows when one check breaks', async () => {
    const report = await diagnose({ host: { ownership: rejects(new TypeError('broken')) } });
    expect(report.rows[0]).toMatchObject({ name: 'home', outcome: 'fail' });
    expect(report.rows[0]?.detail).toContain('broken');
    expect(report.rows).toHaveLength(14);
  });
});

describe('one row', () => {
  // PF-D02: what a launch that failed is about.
  it.each<[DoctorRowName, string]>([
    ['home', 'home'],
    ['config', 'config'],
    ['engine', 'engine'],
    ['disk', 'disk'],
    ['repo', 'repo shop'],
    ['setup', 'setup shop'],
    ['tests', 'tests shop'],
    ['sandbox', 'sandbox shop'],
  ])('%s is looked at by itself, and is the same as in a whole run', async (row, name) => {
    const ground = { engine: { inspectImage: () => Promise.resolve(null) } };
    const whole = await diagnose(ground);
    const seen = await createDoctor(options(ground)).look(row, '/code/shop');
    expect(seen).toEqual(whole.rows.find((candidate) => candidate.name === name));
    expect(seen?.name).toBe(name);
  });

  it('of a repository that is not connected is none', async () => {
    expect(await createDoctor(options()).look('sandbox', '/code/other')).toBeNull();
    expect(
      await createDoctor(options({ config: { repos: rejects(unreachable) } })).look('repo', '/code/shop'),
    ).toBeNull();
  });
});

describe('one run', () => {
  it('asks each question once for ten repositories of one image, in well under two seconds', async () => {
    const asked = { engine: 0, inspect: 0, containers: 0 };
    const doctor = createDoctor(
      options({
        repos: Array.from({ length: 10 }, (_, n) => repo({ path: `/code/${n}`, label: `r${n}` })),
        engine: {
          probe: () => {
            asked.engine += 1;
            return Promise.resolve(facts);
          },
          inspectImage: () => {
            asked.inspect += 1;
            return Promise.resolve(image);
          },
          runThrowaway: (spec) => {
            asked.containers += 1;
            return Promise.resolve(answer(spec, inside));
          },
        },
      }),
    );
    const before = performance.now();
    const report = await doctor.run();
    expect(performance.now() - before).toBeLessThan(2_000);
    expect(report.rows).toHaveLength(6 + 10 * 8);
    // `openEngine` of the fakes does not ask, so that the one question is the refresh.
    expect(asked).toEqual({ engine: 1, inspect: 1, containers: 1 });
  });

  it('starts one container per image and limits, never two at a time', async () => {
    const specs: string[] = [];
    let running = 0;
    let most = 0;
    await diagnose({
      repos: [
        repo({ label: 'a', path: '/a' }),
        repo({ label: 'b', path: '/b', sandbox: sandbox({ image: 'agent:2' }) }),
        repo({ label: 'c', path: '/c', sandbox: sandbox({ resources: { cpu: 1, memoryBytes: null, pids: null } }) }),
      ],
      engine: {
        runThrowaway: async (spec) => {
          most = Math.max(most, (running += 1));
          specs.push(`${spec.image} ${String(spec.limits.cpu)}`);
          await new Promise((next) => setImmediate(next));
          running -= 1;
          return answer(spec, inside);
        },
      },
    });
    expect(specs.sort()).toEqual(['agent:1 1', 'agent:1 2', 'agent:2 2']);
    expect(most).toBe(1);
  });

  it('looks at a bounded number of repositories at once, and gives their rows in order', async () => {
    let looking = 0;
    let most = 0;
    const labels = Array.from({ length: 9 }, (_, n) => `r${n}`);
    const report = await diagnose({
      repos: labels.map((label) => repo({ path: `/code/${label}`, label })),
      options: {
        git: {
          probeRepository: async () => {
            most = Math.max(most, (looking += 1));
            await new Promise((next) => setImmediate(next));
            looking -= 1;
            return probed;
          },
        },
      },
    });
    const names = report.rows.map((row) => row.name).filter((name) => name.startsWith('repo '));
    expect(names).toEqual(labels.map((label) => `repo ${label}`));
    expect(most).toBe(2);
  });

  it('asks the engine anew each time', async () => {
    let asked = 0;
    const probe = (): Promise<typeof facts> => Promise.resolve({ ...facts, serverVersion: `27.${(asked += 1)}` });
    const doctor = createDoctor(options({ engine: { probe } }));
    await doctor.run();
    const second = await doctor.run();
    expect(second.rows.find((row) => row.name === 'engine')?.detail).toContain('docker 27.2 ');
  });

  it('removes the directory that it gave to a container, whatever happened', async () => {
    let removed = 0;
    const makeProbeDir: HostProbe['makeProbeDir'] = () =>
      Promise.resolve({
        path: '/d',
        addFile: () => Promise.resolve('/f'),
        ownerOf: () => Promise.resolve(null),
        remove: () => {
          removed += 1;
          return Promise.resolve();
        },
      });
    await diagnose({ host: { makeProbeDir } });
    await diagnose({ host: { makeProbeDir }, engine: { runThrowaway: rejects(unreachable) } });
    expect(removed).toBe(2);
  });
});
