import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { onHosts } from './support/hosts.ts';
import { sharePerson } from './support/share-person.ts';

onHosts(['docker', 'podman'], 'the life of an item', (host) => {
  const share = sharePerson(host);

  it('goes on when the daemon is told to stop, pauses in the middle of the agent’s work, resumes, and completes', async () => {
    const person = share();
    const repository = await person.sampleRepository('stopped');
    await person.connectUntested(repository);
    const id = await person.fileItem(
      repository,
      'demo: wait-for go\ndemo: sh rm -f go\ndemo: write src/new.txt x\ndemo: commit Done',
    );
    await person.kraft('item', 'start', id);
    await person.untilEvent(id, (event) => event.type === 'worker_session_started');
    // A daemon that is told to stop leaves running sessions alone and says how many; the next one adopts them.
    expect(await person.kraft('admin', 'stop')).toMatch(/1 session/);
    expect(await person.containers()).toHaveLength(1);
    await person.startDaemon();
    await person.kraft('item', 'pause', id);
    await person.untilEvent(
      id,
      (event) => event.type === 'worker_session_exited' && event.payload['status'] === 'paused',
    );
    expect((await person.show(id)).item.status).toBe('paused');
    expect(await person.containers()).toEqual([]);
    // `start` is for what was filed: it says which verb is meant.
    const wrong = await person.tryKraft('item', 'start', id);
    expect(wrong.exitCode).toBe(1);
    expect(wrong.stderr).toContain(`kraft item resume`);
    person.write(join(person.kraftHome, 'run', 'worktrees', id, 'go'), '');
    await person.kraft('item', 'resume', id);
    await person.untilItemRests(id);
    expect((await person.show(id)).item.status).toBe('completed');
  });

  it('removes worktree, ref store and branch when the setup command fails, and says why', async () => {
    const person = share();
    const repository = await person.sampleRepository('failing-setup');
    await person.kraft(
      'repo',
      'connect',
      repository,
      '--setup-command',
      'echo no such thing >&2; exit 3',
      '--test-command',
      'npm test',
      '--open-network',
    );
    const shown = await person.runItem(repository, 'demo: write src/new.txt x');
    expect(shown.item.status).toBe('needs_human');
    expect(shown.item.stop?.reason).toContain('setup command');
    expect(shown.item.stop?.reason).toContain('3');
    expect(await person.git(repository, 'for-each-ref', '--format', '%(refname)', 'refs/heads')).toBe(
      'refs/heads/main',
    );
    expect(existsSync(join(person.kraftHome, 'run', 'worktrees', shown.item.id))).toBe(false);
    expect(await person.git(repository, 'worktree', 'list', '--porcelain')).not.toContain('kraft/');
    expect(await person.containers()).toEqual([]);
  });

  it('stops for a person when the repository’s tests fail, with the failing command, and retry runs them again', async () => {
    const person = share();
    const repository = await person.sampleRepository('failing-tests');
    await person.connect(repository);
    const shown = await person.runItem(repository, 'demo: write src/new.txt x\ndemo: commit Change something else');
    expect(shown.item.status).toBe('needs_human');
    expect(shown.item.stop?.kind).toBe('failed');
    expect(shown.item.stop?.reason).toContain('npm test');
    await person.kraft('item', 'retry', shown.item.id);
    await person.untilEvent(shown.item.id, (event) => event.type === 'work_item_retried');
    // Abandon is allowed at any moment, twice. It leaves the event log, and the branch, which holds a commit that is
    // nowhere else (CC 6.2): deleting that is the person's own to do.
    await person.kraft('item', 'abandon', shown.item.id, '--yes');
    await person.kraft('item', 'abandon', shown.item.id, '--yes');
    expect((await person.show(shown.item.id)).item.status).toBe('abandoned');
    expect((await person.git(repository, 'for-each-ref', '--format', '%(refname)')).split('\n')).toEqual([
      `refs/heads/${shown.item.branch}`,
      'refs/heads/main',
    ]);
    expect(await person.git(repository, 'log', '-1', '--format=%s', shown.item.branch)).toBe('Change something else');
    expect(existsSync(join(person.kraftHome, 'run', 'worktrees', shown.item.id))).toBe(false);
    expect(existsSync(join(person.kraftHome, 'run', 'sandbox-home', shown.item.id))).toBe(false);
    expect(await person.containers()).toEqual([]);
  });
});

// What does not depend on the engine is shown once.
onHosts(['docker'], 'a launch', (host) => {
  const share = sharePerson(host);

  it('names every program that the image lacks before a worktree is made', async () => {
    const person = share();
    const repository = await person.sampleRepository('lacking');
    await person.kraft(
      'repo',
      'connect',
      repository,
      '--open-network',
      '--setup-command',
      '',
      '--test-command',
      'no-such-tester --all',
    );
    const shown = await person.runItem(repository, 'demo: write src/new.txt x');
    expect(shown.item.status).toBe('needs_human');
    expect(shown.item.stop?.kind).toBe('config');
    expect(shown.item.stop?.reason).toContain('no-such-tester');
    expect(existsSync(join(person.kraftHome, 'run', 'worktrees', shown.item.id))).toBe(false);
    expect(await person.git(repository, 'for-each-ref', '--format', '%(refname)')).toBe('refs/heads/main');
  });

  it('keeps every byte of a hundred megabytes on one line', async () => {
    const person = share();
    const repository = await person.sampleRepository('large-output');
    await person.connectUntested(repository);
    const bytes = 100 * 1024 * 1024;
    const shown = await person.runItem(
      repository,
      `demo: print ${bytes}\ndemo: write src/new.txt x\ndemo: commit Done\ndemo: sh echo the-end`,
    );
    const agent = shown.sessions.find((session) => session.task.includes('implementation'));
    const log = agent?.logPath ?? '';
    expect(statSync(log).size).toBeGreaterThan(bytes);
    expect(readFileSync(log).subarray(-4096).toString('utf8')).toContain('the-end');
    expect((await person.events(shown.item.id)).map((event) => event.type)).not.toContain('session_output_incomplete');
  });
});
