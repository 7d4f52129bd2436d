import { describe, expect, it } from 'vitest';

interface HostFacts {
  systemd: boolean;
  unifiedCgroups: boolean;
  mayRaiseLimits: boolean;
  openFilesMax: number | null;
  processesMax: number | null;
  pidMax: number;
}

interface Lockfile {
  packages: Record<string, { version?: string; optional?: boolean }>;
}

interface Report {
  testResults: { status: string; assertionResults: unknown[] }[];
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
}

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/** The scripts run before npm has installed anything, so they are plain JavaScript without types. */
async function load<T>(path: string): Promise<T> {
  return (await import(new URL(`../../scripts/${path}`, import.meta.url).href)) as T;
}

const { decideContainersConf } = await load<{ decideContainersConf: (facts: HostFacts) => string | null }>(
  'setup/podman.mjs',
);
const { isNewEnough } = await load<{ isNewEnough: (version: string) => boolean }>('setup/node.mjs');
const { matchesLockfile } = await load<{
  matchesLockfile: (lockfile: Lockfile | null, installed: Lockfile | null) => boolean;
}>('setup/dependencies.mjs');
const { countReport } = await load<{ countReport: (report: Report | null, exitCode: number) => Counts }>(
  'test/tiers.mjs',
);

const usualHost: HostFacts = {
  systemd: true,
  unifiedCgroups: true,
  mayRaiseLimits: true,
  openFilesMax: 1_048_576,
  processesMax: null,
  pidMax: 4_194_304,
};

describe('the containers.conf of the set-up', () => {
  it('is not written where Podman’s own defaults can work', () => {
    expect(decideContainersConf(usualHost)).toBeNull();
  });

  it('replaces what needs systemd on a host without it', () => {
    const text = decideContainersConf({ ...usualHost, systemd: false });
    expect(text).toContain('cgroup_manager = "cgroupfs"');
    expect(text).toContain('events_logger = "file"');
    expect(text).not.toContain('runtime');
  });

  it('takes runc where the cgroup hierarchy is hybrid, which crun refuses', () => {
    expect(decideContainersConf({ ...usualHost, unifiedCgroups: false })).toContain('runtime = "runc"');
  });

  it('asks for no limit above the host’s when limits cannot be raised, nor for more processes than there are pids', () => {
    const host = { ...usualHost, mayRaiseLimits: false, openFilesMax: 20_000, processesMax: 96_364, pidMax: 32_768 };
    expect(decideContainersConf(host)).toContain('default_ulimits = ["nofile=20000:20000", "nproc=32768:32768"]');
  });
});

describe('the Node that the set-up accepts', () => {
  it.each([
    ['v24.12.0', true],
    ['v24.22.3', true],
    ['v25.0.0', true],
    ['v24.11.9', false],
    ['v20.20.2', false],
  ])('%s: %s', (version, accepted) => {
    expect(isNewEnough(version)).toBe(accepted);
  });
});

describe('whether npm ci has anything to do', () => {
  const lockfile = {
    packages: {
      '': {},
      'node_modules/a': { version: '1.0.0' },
      'node_modules/b': { version: '2.0.0', optional: true },
    },
  };

  it.each([
    ['nothing is installed', null, false],
    ['everything is there', { packages: { 'node_modules/a': { version: '1.0.0' } } }, true],
    ['a version differs', { packages: { 'node_modules/a': { version: '1.0.1' } } }, false],
    ['a package is missing', { packages: { 'node_modules/b': { version: '2.0.0' } } }, false],
    [
      'one is there that the lockfile does not name',
      { packages: { 'node_modules/a': { version: '1.0.0' }, 'node_modules/c': { version: '1.0.0' } } },
      false,
    ],
  ])('is decided when %s', (_, installed, upToDate) => {
    expect(matchesLockfile(lockfile, installed)).toBe(upToDate);
  });
});

describe('the counts of a tier', () => {
  const report = { testResults: [], numPassedTests: 5, numFailedTests: 0, numPendingTests: 1, numTodoTests: 1 };

  it('are the report’s own, with what was left out as skipped', () => {
    expect(countReport(report, 0)).toEqual({ passed: 5, failed: 0, skipped: 2 });
  });

  it('hold one failure for a file that did not load', () => {
    const broken = { ...report, testResults: [{ status: 'failed', assertionResults: [] }] };
    expect(countReport(broken, 1)).toEqual({ passed: 5, failed: 1, skipped: 2 });
  });

  it('hold one failure when no test failed and the run did', () => {
    expect(countReport(report, 1).failed).toBe(1);
  });

  it('hold one failure when there is no report at all', () => {
    expect(countReport(null, 0)).toEqual({ passed: 0, failed: 1, skipped: 0 });
  });
});
