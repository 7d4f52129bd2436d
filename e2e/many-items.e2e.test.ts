import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { onHosts } from './support/hosts.ts';
import { Person, type EventLine } from './support/person.ts';

const count = 12;
const atOnce = 8;

/** How often each type of event was recorded. */
function tally(events: readonly EventLine[]): Readonly<Record<string, number>> {
  const byType = Map.groupBy(events, ({ type }) => type);
  return Object.fromEntries([...byType].map(([type, found]) => [type, found.length]));
}

/** The most sessions that ran at the same time, from the order in which starts and ends were recorded. */
function mostAtOnce(events: readonly EventLine[]): number {
  let running = 0;
  let most = 0;
  for (const { type } of events.toSorted((a, b) => a.seq - b.seq)) {
    if (type === 'worker_session_started') running += 1;
    if (type === 'worker_session_exited') running -= 1;
    most = Math.max(most, running);
  }
  return most;
}

function residentMebibytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024;
}

onHosts(['docker'], 'many items', (host) => {
  it(
    'filed at once all end, as many at a time as may, each with its own events, and leave nothing',
    { timeout: 6 * 60_000 },
    async () => {
      await using person = new Person(host);
      person.write('kraft/config/policy.yaml', `max_concurrent: ${atOnce}\n`);
      const repository = await person.sampleRepository();
      await person.connectUntested(repository);
      await person.startDaemon();
      const file = (index: number): Promise<string> =>
        person.fileItem(
          repository,
          `demo: print 1000000\ndemo: write item-${index}.txt ${index}\ndemo: commit Add item ${index}`,
          ...['--chain', 'quick-task', '--autostart'],
        );
      const wave = async (from: number, until: number): Promise<readonly string[]> => {
        const ids = await Promise.all(Array.from({ length: until - from }, (_, index) => file(from + index)));
        for (const id of ids) await person.untilItemRests(id);
        return ids;
      };
      // The base line is that of as many at once: what their work needs at its height is not what they leave behind.
      const first = await wave(0, atOnce);
      const { pid } = await person.kraftJson<{ pid: number }>('admin', 'health');
      const base = residentMebibytes(pid);
      const ids = await wave(atOnce, count);

      const events = await Promise.all([...first, ...ids].map((id) => person.events(id)));
      const [expected, ...others] = events.map(tally);
      expect(expected).toMatchObject({ work_item_completed: 1, worker_session_exited: 2, sandbox_branch_synced: 1 });
      expect(others).toEqual(Array.from({ length: count - 1 }, () => expected));
      const most = mostAtOnce(events.flat());
      expect(most).toBeGreaterThan(1);
      expect(most).toBeLessThanOrEqual(atOnce);
      expect(residentMebibytes(pid)).toBeLessThan(base * 1.5);
      expect(await person.containers()).toEqual([]);
      const branches = await person.git(repository, 'for-each-ref', '--format=%(refname)', 'refs/heads/kraft');
      expect(branches.split('\n')).toHaveLength(count);
    },
  );
});
