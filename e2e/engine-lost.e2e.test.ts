import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { onHosts } from './support/hosts.ts';
import { Person, type ShownItem } from './support/person.ts';
import { PrivateDocker, findDockerd } from './support/private-docker.ts';

const waits = ['demo: write one.txt one', 'demo: commit Add one', 'demo: write ready yes', 'demo: wait-for go'];
const again = 'demo: sh rm -f ready go; true';

/** An item whose agent has committed and waits. */
async function waiting(
  person: Person,
  repository: string,
): Promise<{ readonly id: string; readonly worktree: string }> {
  // A second run of the agent finds its commit made.
  const commit = 'demo: sh git add one.txt && { git diff --cached --quiet || git commit --quiet -m "Add one"; }';
  const script = waits.map((line) => (line.startsWith('demo: commit') ? commit : line));
  const id = await person.fileItem(repository, [...script, again].join('\n'), '--chain', 'quick-task', '--autostart');
  const worktree = `${person.kraftHome}/run/worktrees/${id}`;
  await person.untilFile(`${worktree}/ready`);
  return { id, worktree };
}

async function stopped(person: Person, id: string): Promise<ShownItem> {
  await person.untilItemRests(id);
  return person.show(id);
}

/** The retried item, its agent let go, to its end. */
async function retried(person: Person, { id, worktree }: { id: string; worktree: string }): Promise<ShownItem> {
  person.write(`${worktree}/go`, '');
  await person.kraft('item', 'retry', id);
  await person.untilEvent(id, (event) => event.type === 'work_item_completed');
  return person.show(id);
}

const dockerd = findDockerd();

// PF-X03, X08
onHosts(['docker'], 'an engine that is lost in the middle of a session', (source) => {
  describe.skipIf(dockerd === null)('(needs root and dockerd)', () => {
    it('by a restart, by a reset or by a pruned image stops the item as infra, keeps its work, and a retry goes on', async () => {
      await using engine = new PrivateDocker(dockerd ?? '', source);
      await engine.start();
      await engine.loadImage();
      await using person = new Person(engine.host);
      const repository = await person.sampleRepository();
      await person.connectUntested(repository);
      await person.startDaemon();

      const restarted = await waiting(person, repository);
      await engine.stop('SIGKILL');
      await engine.start();
      const first = await stopped(person, restarted.id);
      expect(first.item.stop).toMatchObject({ kind: 'infra', code: 'KRAFT_ENGINE_LOST' });
      expect(first.sessions.map(({ status }) => status)).toEqual(['unknown']);
      expect(existsSync(`${restarted.worktree}/one.txt`)).toBe(true);
      expect(await person.git(repository, 'log', '-1', '--format=%s', first.item.branch)).toBe('Add one');
      expect((await retried(person, restarted)).item.status).toBe('completed');

      const pruned = await waiting(person, repository);
      await engine.docker('rmi', '-f', 'localhost/kraft-worker:latest');
      person.write(`${pruned.worktree}/go`, '');
      const second = await stopped(person, pruned.id);
      expect(second.item.stop).toMatchObject({ kind: 'infra', code: 'KRAFT_IMAGE_MISSING' });
      await engine.loadImage();
      expect((await retried(person, pruned)).item.status).toBe('completed');

      const reset = await waiting(person, repository);
      await engine.stop('SIGTERM');
      engine.empty();
      await engine.start();
      const third = await stopped(person, reset.id);
      expect(third.item.stop).toMatchObject({ kind: 'infra', code: 'KRAFT_ENGINE_LOST' });
      expect(existsSync(`${reset.worktree}/one.txt`)).toBe(true);
      await engine.loadImage();
      expect((await retried(person, reset)).item.status).toBe('completed');
      expect(await person.containers()).toEqual([]);
    });
  });
});
