import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { onHosts } from './support/hosts.ts';
import { Person } from './support/person.ts';

onHosts(['docker', 'podman'], 'a daemon that is killed in the middle of an item,', (host) => {
  it('loses no output, no commit and no container: the next start adopts the session and the item completes', async () => {
    await using person = new Person(host);
    const repository = await person.sampleRepository();
    await person.connectUntested(repository);
    await person.startDaemon();
    const health = await person.kraftJson<{ pid: number }>('admin', 'health');
    const id = await person.fileItem(
      repository,
      [
        'demo: sh echo before-the-crash',
        'demo: write src/one.txt one',
        'demo: commit First commit',
        'demo: write ready yes',
        'demo: wait-for go',
        'demo: sh echo after-the-crash; rm -f ready go',
        'demo: write src/two.txt two',
        'demo: commit Second commit',
      ].join('\n'),
    );
    await person.kraft('item', 'start', id);
    const started = await person.untilEvent(id, (event) => event.type === 'worker_session_started');
    const session = String(started.payload['session_id']);
    const worktree = `${person.kraftHome}/run/worktrees/${id}`;
    await person.untilFile(`${worktree}/ready`);
    process.kill(health.pid, 'SIGKILL');
    await untilGone(health.pid);
    expect(await person.containers()).toEqual([`kraft-${session}`]);

    // While nobody watches, the agent goes on and writes.
    person.write(`${worktree}/go`, '');
    await person.startDaemon();
    await person.untilItemRests(id);
    const shown = await person.show(id);
    expect(shown.item.stop).toBeNull();
    expect(shown.item.status).toBe('completed');
    const agent = shown.sessions.find((candidate) => candidate.id === session);
    expect(agent?.status).toBe('done');
    const log = readFileSync(agent?.logPath ?? '', 'utf8');
    expect(log).toContain('before-the-crash');
    expect(log).toContain('after-the-crash');
    expect(await person.git(repository, 'log', '--format=%s', `main..${shown.item.branch}`)).toMatch(
      /Second commit\n(.*\n)*First commit/,
    );
    expect(await person.containers()).toEqual([]);
  });
});

/** Until the process is gone; it is no child of this one, so the kernel has to be asked. */
async function untilGone(pid: number): Promise<void> {
  const deadline = AbortSignal.timeout(10_000);
  for (;;) {
    try {
      process.kill(pid, 0);
    } catch {
      return;
    }
    if (deadline.aborted) throw new Error(`process ${pid} is still there`);
    await once(AbortSignal.timeout(20), 'abort');
  }
}
