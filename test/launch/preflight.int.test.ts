import { copyFileSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasCode, type KraftError } from '../../src/base/index.ts';
import type { LimitName, ThrowawayResult } from '../../src/runtime/index.ts';
import { FakeEngine } from '../support/fake-engine.ts';
import { answerVerification, openHome } from './home.ts';
import { plainRepo, plainSandbox } from './sample-launch.ts';

const need = (program: string, startsWith: readonly string[] | null = null) => ({
  program,
  neededBy: `the ${program} of this test`,
  startsWith,
});
const nothing: ThrowawayResult = { exitCode: 1, stdout: '', stderr: 'no such shell', timedOut: false };

async function failure(promise: Promise<unknown>): Promise<KraftError> {
  return promise.then(
    () => expect.unreachable('nothing was refused'),
    (error: unknown) => error as KraftError,
  );
}

describe('preflight', () => {
  it('pulls a missing image with progress, and says so', async () => {
    const home = openHome();
    const image = await home.engine.inspectImage(plainSandbox.image);
    home.engine.images.clear();
    home.engine.registry.set(plainSandbox.image, { ...(image ?? expect.unreachable()), tags: [] });
    const lines: string[] = [];
    const done = await home.launcher.preflight(home.preflight({ onProgress: (line) => lines.push(line) }));
    expect(done).toMatchObject({ pulled: true, imageId: image?.id });
    expect(lines[0]).toContain(plainSandbox.image);
    expect(home.engine.pulled).toEqual([plainSandbox.image]);
  });

  it('refuses an image that is neither here nor to be had', async () => {
    const home = openHome();
    home.engine.images.clear();
    const error = await failure(home.launcher.preflight(home.preflight()));
    expect(error.code).toBe('KRAFT_IMAGE_PULL_FAILED');
  });

  // PF-U10
  it('tells everything that is wrong at once, and pulls nothing then', async () => {
    const home = openHome(new FakeEngine({ facts: { enforceable: new Set() } }));
    home.engine.images.clear();
    home.settings.diskFloorBytes = Number.MAX_SAFE_INTEGER;
    home.settings.caBundle = '/nonexistent.pem';
    const sandbox = {
      ...plainSandbox,
      resources: { cpu: null, memoryBytes: 4 * 1024 ** 3, pids: null },
      credentials: [{ env: 'K', service: null, sentinel: null, inject: [], phases: [], source: null }],
    };
    const error = await failure(home.launcher.preflight(home.preflight({ sandbox })));
    expect([error.report, ...error.report.others].map((report) => report.code)).toEqual([
      'KRAFT_FEATURE_NOT_BUILT',
      'KRAFT_DISK_FLOOR',
      'KRAFT_LIMIT_UNENFORCEABLE',
      'KRAFT_CA_BUNDLE_UNUSABLE',
      'KRAFT_IMAGE_MISSING',
    ]);
    expect(home.engine.pulled).toEqual([]);
  });

  it('lets the engine refuse before anything else is looked at', async () => {
    const home = openHome(new FakeEngine({ facts: { remote: { endpoint: 'tcp://far', why: 'it is far' } } }));
    home.settings.caBundle = '/nonexistent.pem';
    const error = await failure(home.launcher.preflight(home.preflight()));
    expect(error.code).toBe('KRAFT_ENGINE_REMOTE');
  });

  // SI-9.2 B2, B3
  it('asks an engine that does not know itself once more, and refuses then', async () => {
    const home = openHome();
    let asked = 0;
    const { onProbe } = home.engine;
    home.engine.onProbe = async (timeoutMs) => {
      asked += 1;
      return { ...(await onProbe(timeoutMs)), rootless: 'unknown' };
    };
    const error = await failure(home.launcher.preflight(home.preflight()));
    expect(error.code).toBe('KRAFT_ENGINE_IDENTITY_UNKNOWN');
    expect(asked).toBe(2);
  });
});

// PF-D09, PF-K11, SI 1.8, SI-9.1 A26
describe('the limits of a sandbox', () => {
  const resources = { cpu: 0.5, memoryBytes: 64 * 1024 ** 2, pids: null };
  const sandbox = { ...plainSandbox, resources };

  it.each([
    ['would be ignored', new Set<LimitName>(['pids']), 'KRAFT_LIMIT_UNENFORCEABLE', ['cpu', 'memory']],
    ['nobody can tell of', 'unknown', 'KRAFT_LIMIT_UNKNOWN', ['cpu', 'memory']],
  ] as const)('that %s stop it before a container is started (SI-9.3 C3, C6, PF-L07, L11)', async (...row) => {
    const [, enforceable, code, limits] = row;
    const home = openHome(new FakeEngine({ facts: { enforceable } }));
    const { report } = await failure(home.launcher.preflight(home.preflight({ sandbox })));
    const all = [report, ...report.others];
    expect(all.map((error) => error.code)).toEqual([code, code]);
    expect(all.map((error) => error.details['limit'])).toEqual(limits);
    expect(home.engine.specs).toEqual([]);
  });

  it('bind the containers that only look into the image too (SI 6.2)', async () => {
    const home = openHome(new FakeEngine({ facts: { enforceable: new Set(['cpu', 'memory', 'swap', 'pids']) } }));
    await home.launcher.preflight(home.preflight({ sandbox, programs: [need('sh', ['-c', 'true'])] }));
    const limits = { cpu: 0.5, memoryBytes: 64 * 1024 ** 2, closeSwap: true, pids: 4096 };
    expect(home.engine.specs.map((spec) => spec.limits)).toEqual([limits, limits, limits]);
  });

  it.each([
    ['the reader', () => true],
    ['the search for programs', (command: string) => command.includes('command -v')],
    ['the start of a program', (command: string) => command.includes('"$@"') && !command.includes('command -v')],
  ])('may have killed %s, which is not taken for a fault of the image', async (_, isMeant) => {
    const home = openHome(new FakeEngine({ facts: { enforceable: new Set(['cpu', 'memory', 'swap', 'pids']) } }));
    const killed: ThrowawayResult = { exitCode: 137, stdout: '', stderr: '', timedOut: false };
    home.engine.onThrowaway = (spec) => (isMeant(spec.command.join(' ')) ? killed : null);
    const request = home.preflight({ sandbox, programs: [need('sh', ['-c', 'true'])] });
    const error = await failure(home.launcher.preflight(request));
    expect(error).toMatchObject({ code: 'KRAFT_MEMORY_LIMIT_REACHED', kind: 'limit' });
    expect(error.message).toContain('64m');
    expect(error.message).toContain('did not confirm');
    expect(error.remedy).toContain('128m');
  });

  it('are not blamed for a look that ended with 137 where there is none', async () => {
    const home = openHome();
    home.engine.onThrowaway = () => ({ exitCode: 137, stdout: '', stderr: '', timedOut: false });
    expect((await failure(home.launcher.preflight(home.preflight()))).code).toBe('KRAFT_IMAGE_UNREADABLE');
  });
});

describe('the programs of an image', () => {
  it('that are missing are named, each with who needs it', async () => {
    const home = openHome();
    const programs = [need('sh'), need('no-such-program'), need('nor-this-one')];
    const error = await failure(home.launcher.preflight(home.preflight({ programs })));
    expect(error.code).toBe('KRAFT_PROGRAMS_MISSING');
    expect(error.message).toContain('no-such-program (needed by the no-such-program of this test)');
    expect(error.message).toContain('nor-this-one');
    expect(error.message).not.toContain('sh (');
  });

  it('must start, and being on PATH is not enough', async () => {
    const home = openHome();
    const error = await failure(home.launcher.preflight(home.preflight({ programs: [need('false', ['--version'])] })));
    expect(error.code).toBe('KRAFT_PROGRAM_BROKEN');
    expect(error.message).toContain('ended with code 1');
  });

  it('that were found are not asked for again by this process', async () => {
    const home = openHome();
    const request = home.preflight({ programs: [need('sh'), need('git', ['--version'])] });
    await home.launcher.preflight(request);
    const before = home.engine.specs.length;
    await home.launcher.preflight(request);
    expect(home.engine.specs.length).toBe(before);
  });

  it('that could not be asked for only warn, and are asked for anew', async () => {
    const home = openHome();
    await home.launcher.preflight(home.preflight());
    home.engine.onThrowaway = () => nothing;
    const first = await home.launcher.preflight(home.preflight({ programs: [need('sh')] }));
    expect(first.warnings.join()).toContain('no such shell');
    home.engine.onThrowaway = answerVerification;
    const second = await home.launcher.preflight(home.preflight({ programs: [need('sh')] }));
    expect(second.warnings.join()).not.toContain('could not be asked');
  });

  it('are looked for through the entrypoint of the image and with the repository’s variables, by name', async () => {
    const home = openHome();
    const repo = { ...plainRepo, env: { TOOL_HOME: '/opt/s3cret' } };
    await home.launcher.preflight(home.preflight({ repo, programs: [need('sh')] }));
    const spec = home.engine.specs.find((run) => run.envNames.includes('TOOL_HOME'));
    expect(spec).toMatchObject({ entrypoint: null, network: 'none', mounts: [] });
    expect(JSON.stringify(home.engine.specs)).not.toContain('s3cret');
  });
});

describe('what an image says of itself', () => {
  it('is read once per image id and kept for this user alone', async () => {
    const home = openHome();
    await home.launcher.preflight(home.preflight());
    const { length } = home.engine.specs;
    await home.open().preflight(home.preflight());
    expect(home.engine.specs.length).toBe(length);
    const dir = join(home.paths.run, 'sandbox-image');
    const [kept = ''] = readdirSync(dir).filter((name) => name.endsWith('.json'));
    expect(statSync(join(dir, kept)).mode & 0o777).toBe(0o600);
    expect(statSync(dir).mode & 0o777).toBe(0o700);
  });

  // SI-9.4 D3
  it('is kept nowhere when the answer is not whole, and stops the launch each time', async () => {
    const home = openHome();
    home.engine.onThrowaway = () => nothing;
    for (let i = 0; i < 2; i++) {
      const error = await failure(home.launcher.preflight(home.preflight()));
      expect(error.code).toBe('KRAFT_IMAGE_UNREADABLE');
      expect(error.message).toContain('no such shell');
    }
    expect(() => readdirSync(join(home.paths.run, 'sandbox-image'))).toThrow();
    home.engine.onThrowaway = null;
    expect((await home.launcher.preflight(home.preflight())).pulled).toBe(false);
  });

  // PF-U05, PF-U06
  it('is completed by an entry for a user whom the image does not know', async () => {
    const home = openHome();
    const plan = await home.open({ uid: 54_321, gid: 54_322 }).plan(home.request());
    const passwd = plan.container.mounts.find((mount) => mount.target === '/etc/passwd');
    const group = plan.container.mounts.find((mount) => mount.target === '/etc/group');
    expect(passwd?.readOnly).toBe(true);
    expect(readFileSync(String(passwd?.source), 'utf8')).toMatch(
      /^kraft:x:54321:54322:[^\n]*:\/kraft\/home:\/bin\/sh$/mu,
    );
    expect(readFileSync(String(passwd?.source), 'utf8')).toMatch(/^root:/mu);
    expect(readFileSync(String(group?.source), 'utf8')).toMatch(/^kraft:x:54322:$/mu);
    expect(statSync(String(passwd?.source)).mode & 0o777).toBe(0o644);
  });
});

describe('plan', () => {
  it('pulls nothing: an image that is gone is an answer', async () => {
    const home = openHome();
    home.engine.images.clear();
    const error = await failure(home.launcher.plan(home.request()));
    expect(hasCode(error, 'IMAGE_MISSING')).toBe(true);
    expect(home.engine.pulled).toEqual([]);
  });

  it('starts nothing and leaves no directory of a launch', async () => {
    const home = openHome();
    const plan = await home.launcher.plan(home.request());
    expect(readdirSync(home.paths.run).sort()).toEqual(['sandbox-image']);
    expect(home.engine.specs.filter((spec) => spec.name !== null)).toEqual([]);
    expect(plan.container.name).toBe(plan.track.container);
  });

  it('gives the keys of agents to agents, and to nothing else', async () => {
    const home = openHome();
    const names = async (role: 'agent' | 'subprocess' | 'setup'): Promise<readonly string[]> =>
      (await home.launcher.plan(home.request({ role }))).container.envNames;
    expect(await names('agent')).toEqual(['CLAUDE_CODE_OAUTH_TOKEN', 'ANTHROPIC_API_KEY']);
    expect(await names('subprocess')).toEqual([]);
    expect(await names('setup')).toEqual([]);
  });

  // SI-9.4 D11, D12
  it('passes proxies of this machine by name, but for those that a container cannot reach', async () => {
    const home = openHome();
    home.env['HTTPS_PROXY'] = 'http://user:pa55@proxy.example:3128';
    home.env['HTTP_PROXY'] = 'http://127.0.0.1:3128';
    const plan = await home.launcher.plan(home.request({ role: 'setup' }));
    expect(plan.container.envNames).toEqual(['HTTPS_PROXY']);
    expect(JSON.stringify(plan)).not.toContain('pa55');
  });

  // SI-9.4 D5, D10
  it('stops a setup command over a bad CA before anything runs', async () => {
    const home = openHome();
    home.settings.caBundle = join(home.paths.home, 'none.pem');
    await expect(home.launcher.plan(home.request({ role: 'setup' }))).rejects.toMatchObject({
      code: 'KRAFT_CA_BUNDLE_UNUSABLE',
    });
    expect(home.engine.specs).toEqual([]);
  });

  // SI-9.4 D2, D7, D8, D10
  it('mounts a bundle with the extra CA for as long as there is one', async () => {
    const home = openHome();
    const ca = join(home.paths.home, 'own.pem');
    copyFileSync(resolve(import.meta.dirname, '../fixtures/ca/one.pem'), ca);
    home.settings.caBundle = ca;
    const bundleOf = async (): Promise<string | undefined> => {
      const plan = await home.launcher.plan(home.request({ role: 'setup' }));
      return plan.container.mounts.find((mount) => mount.target === '/etc/kraft/ca-bundle.pem')?.source;
    };
    const bundle = String(await bundleOf());
    const body = /CERTIFICATE-----\n(.{64})/u.exec(readFileSync(ca, 'utf8'))?.[1];
    expect(readFileSync(bundle, 'utf8')).toContain(body);
    expect(statSync(bundle).mode & 0o777).toBe(0o644);
    const written = statSync(bundle).ino;
    expect(await bundleOf()).toBe(bundle);
    expect(statSync(bundle).ino).toBe(written);
    home.settings.caBundle = null;
    rmSync(ca);
    expect(await bundleOf()).toBeUndefined();
  });
});
