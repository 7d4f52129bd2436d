import { copyFileSync, chmodSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, inject, it } from 'vitest';
import { workerImage } from '../src/images/index.ts';
import { onHosts, type EngineHost } from './support/hosts.ts';
import { Person } from './support/person.ts';

interface Carried {
  /** How many connections ended how. */
  readonly tally: Readonly<Record<string, number>>;
  readonly interfaces: readonly string[];
}

/** What `fixtures/relay-story.mjs` tells. */
interface Story {
  readonly selfTest: string;
  readonly large: Carried;
  readonly many: Carried;
  readonly stuck: Readonly<Record<string, number>>;
  readonly afterStuck: Carried;
  readonly held: Carried;
  readonly sameRelay: boolean;
  readonly idleKibibytes: number;
  readonly usedKibibytes: number;
  readonly lost: string;
  readonly lostMs: number;
  readonly after: Carried;
  readonly left: readonly string[];
}

async function tell(host: EngineHost): Promise<Story> {
  await using person = new Person(host);
  const script = join(person.dir, 'relay-story.mjs');
  copyFileSync(resolve(import.meta.dirname, 'fixtures/relay-story.mjs'), script);
  chmodSync(script, 0o644);
  person.write('run/client/.keep', '');
  const dist = join(inject('installed'), 'node_modules/kraft/dist');
  const settings = { dist, dir: join(person.dir, 'run'), cli: host.cli, workerImage };
  const ended = await person.run('node', [script, JSON.stringify(settings)], { timeoutMs: 180_000 });
  expect(ended.exitCode, ended.stderr).toBe(0);
  return JSON.parse(ended.stdout) as Story;
}

onHosts(['docker', 'podman', 'podman-rootless'], 'a relay', (host) => {
  it('carries a worker that has loopback alone, through a daemon that goes and comes back, until it dies', async () => {
    const story = await tell(host);
    expect(story.selfTest).toBe('refused as it must be');
    // 20 MB each way, of which the sender ended its half before the receiver began.
    expect(story.large).toEqual({ tally: { whole: 1 }, interfaces: ['lo'] });
    expect(story.many.tally).toEqual({ whole: 200 });
    expect(story.idleKibibytes).toBeLessThanOrEqual(1024);
    expect(story.usedKibibytes).toBeLessThanOrEqual(1024);
    // 512 uploads that nobody takes fit into the memory that a relay may have.
    expect(story.stuck).toEqual({});
    expect(story.afterStuck.tally).toEqual({ whole: 1 });
    expect(story.held.tally).toEqual({ whole: 1 });
    expect(story.sameRelay).toBe(true);
    expect(story.lost).toBe('its exit code is 137');
    expect(story.lostMs).toBeLessThan(5_000);
    expect(story.after.tally).toEqual({ ECONNREFUSED: 1 });
    expect(story.left).toEqual([]);
  });
});
