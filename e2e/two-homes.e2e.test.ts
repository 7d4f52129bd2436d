import { expect, it } from 'vitest';
import { onHosts } from './support/hosts.ts';
import { Person } from './support/person.ts';

onHosts(['docker'], 'two Krafts with homes of their own on one engine', (host) => {
  it('never touch what is the other’s: neither when they start and sweep nor when they stop', async () => {
    await using one = new Person(host);
    await using other = new Person(host);
    const repository = await one.sampleRepository();
    await one.connectUntested(repository, { allow: [] });
    await one.startDaemon();
    const id = await one.fileItem(repository, 'demo: wait-for go\ndemo: write made.txt text\ndemo: commit Make it');
    await one.kraft('item', 'start', id);
    await one.untilEvent(id, ({ type }) => type === 'worker_session_started');
    const session = (await one.show(id)).sessions[0];
    const relay = await one.must(host.cli, [
      'inspect',
      '--format',
      '{{.HostConfig.NetworkMode}}',
      session?.container ?? '',
    ]);

    const its = await other.sampleRepository();
    await other.connectUntested(its, { allow: [] });
    await other.startDaemon();
    expect((await other.runItem(its, 'demo: write made.txt text\ndemo: commit Make it')).item.status).toBe('completed');
    // Killed with an item on its way, so that the next start has something to sweep.
    const left = await other.fileItem(its, 'demo: wait-for never');
    await other.kraft('item', 'start', left);
    await other.untilEvent(left, ({ type }) => type === 'worker_session_started');
    process.kill((await other.kraftJson<{ pid: number }>('admin', 'health')).pid, 'SIGKILL');
    await other.startDaemon();
    await other.kraft('item', 'abandon', left, '--yes');
    await other.kraft('admin', 'stop');
    expect(await other.containers()).toEqual([]);

    const names = await one.containers();
    expect(names).toContain(session?.container);
    const [, relayId = ''] = relay.split(':');
    expect(await one.must(host.cli, ['inspect', '--format', '{{.State.Running}}', relayId])).toBe('true');
    one.write(`${(await one.show(id)).item.worktree ?? ''}/go`, '');
    await one.untilItemRests(id);
    expect((await one.show(id)).item.status).toBe('completed');
  });
});
