import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { engineHosts } from './support/hosts.ts';
import { Person } from './support/person.ts';

interface Report {
  readonly ok: boolean;
  readonly rows: readonly {
    readonly name: string;
    readonly outcome: string;
    readonly detail: string;
    readonly remedy: string | null;
    readonly errors: readonly { readonly code: string }[];
  }[];
}

async function diagnose(person: Person): Promise<{ readonly exitCode: number; readonly report: Report }> {
  const ended = await person.tryKraft('admin', 'doctor', '--json');
  return { exitCode: ended.exitCode, report: JSON.parse(ended.stdout) as Report };
}

function rowOf(report: Report, start: string): Report['rows'][number] {
  const row = report.rows.find((candidate) => candidate.name.startsWith(start));
  if (row === undefined) throw new Error(`no row ${start}: ${JSON.stringify(report.rows.map((r) => r.name))}`);
  return row;
}

/** Adds limits to the one entry of repos.yaml. */
function limit(person: Person, resources: string): void {
  const file = join(person.kraftHome, 'config/repos.yaml');
  const text = readFileSync(file, 'utf8');
  person.write(file, text.replace(/^( *)(image: .*)$/m, `$1$2\n$1resources: ${resources}`));
}

describe.each(engineHosts())('doctor on $name', (host) => {
  it('passes a connected repository without a daemon, and warns of its open egress', async () => {
    await using person = new Person(host);
    await person.connect(await person.sampleRepository());
    const { exitCode, report } = await diagnose(person);
    expect(report.rows.filter((row) => row.outcome === 'fail' || row.outcome === 'unknown')).toEqual([]);
    expect([exitCode, report.ok]).toEqual([0, true]);
    expect(rowOf(report, 'engine').detail).toContain(host.cli);
    expect(rowOf(report, 'engine').detail.includes('rootless')).toBe(host.name.endsWith('-rootless'));
    expect(rowOf(report, 'daemon').outcome).toBe('warn');
    expect(rowOf(report, 'egress').errors.map((error) => error.code)).toEqual(['KRAFT_EGRESS_OPEN']);
    expect(await person.containers()).toEqual([]);
  });

  it('believes limits that a container shows from inside, and fails those that the engine cannot enforce', async () => {
    await using person = new Person(host);
    await person.connect(await person.sampleRepository());
    limit(person, '{cpu: 1.5, memory: 256m, pids: 200}');
    const { exitCode, report } = await diagnose(person);
    const sandbox = rowOf(report, 'sandbox');
    const enforced = sandbox.outcome === 'ok';
    // What the machine can do differs; what must not happen is a limit that is neither in force nor refused.
    const codes = new Set(sandbox.errors.map((error) => error.code));
    expect([...codes]).toEqual(enforced ? [] : ['KRAFT_LIMIT_UNENFORCEABLE']);
    expect(exitCode).toBe(enforced ? 0 : 1);
    if (!host.name.endsWith('-rootless')) expect(sandbox.outcome).toBe('ok');
    else if (!enforced) expect(sandbox.remedy).toContain('Delegate=');
  });

  it('fails an image that is not here, and fetches nothing', async () => {
    await using person = new Person(host);
    await person.kraft(
      'repo',
      'connect',
      await person.sampleRepository(),
      '--test-command',
      'npm test',
      '--image',
      'localhost/kraft-absent:1',
    );
    const { exitCode, report } = await diagnose(person);
    expect([exitCode, report.ok]).toEqual([1, false]);
    const sandbox = rowOf(report, 'sandbox');
    expect(sandbox.errors.map((error) => error.code)).toEqual(['KRAFT_IMAGE_MISSING']);
    expect(sandbox.remedy).toContain('kraft admin images build');
  });
});
