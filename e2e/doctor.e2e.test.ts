import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { allHosts, onHosts } from './support/hosts.ts';
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

onHosts(allHosts, 'doctor', (host) => {
  it('passes a repository by the code of a launch, and beside it fails an image that is not here without fetching it', async () => {
    await using person = new Person(host);
    await person.connect(await person.sampleRepository());
    await person.connect(await person.sampleRepository('other'), '--image', 'localhost/kraft-absent:1');
    const { exitCode, report } = await diagnose(person);
    const troubled = report.rows.filter((row) => row.outcome === 'fail' || row.outcome === 'unknown');
    expect(troubled.map((row) => `${row.name}: ${row.detail}`)).toEqual([
      expect.stringMatching(/^sandbox other: The image localhost\/kraft-absent:1 is not/),
    ]);
    expect([exitCode, report.ok]).toEqual([1, false]);
    const [missing] = troubled;
    expect(missing?.errors.map((error) => error.code)).toEqual(['KRAFT_IMAGE_MISSING']);
    expect(missing?.remedy).toContain('kraft admin images build');
    // Where the engine cannot count processes, that is remarked.
    const remarks = rowOf(report, 'sandbox sample').errors.map((error) => error.code);
    expect(remarks.filter((code) => code !== 'KRAFT_LAUNCH_NOTE')).toEqual([]);
    const engine = rowOf(report, 'engine');
    expect(engine.detail).toContain(host.cli);
    expect(engine.detail.includes(', rootless')).toBe(host.name.endsWith('-rootless'));
    // A store that copies images is remarked beside that (PF-U01).
    expect(engine.errors.map((error) => error.code)).toEqual(engine.outcome === 'ok' ? [] : ['KRAFT_STORAGE_COPIES']);
    expect(rowOf(report, 'daemon').outcome).toBe('warn');
    expect(rowOf(report, 'egress').errors.map((error) => error.code)).toEqual(['KRAFT_EGRESS_OPEN']);
    expect(await person.containers()).toEqual([]);
  });
});

// Both engines that enforce limits here, and one that may not.
onHosts(['docker', 'podman', 'podman-rootless'], 'limits', (host) => {
  it('are believed when a container shows them from inside, and failed when the engine cannot enforce them', async () => {
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
    if (host.name !== 'podman-rootless') expect(sandbox.outcome).toBe('ok');
    else if (!enforced) expect(sandbox.remedy).toContain('Delegate=');
  });
});
