import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { allHosts, onHosts } from './support/hosts.ts';
import { Person } from './support/person.ts';

/** Every path under `dir` that another account owns. */
function foreignPaths(dir: string, uid: number): string[] {
  const found: string[] = [];
  for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (lstatSync(path).uid !== uid) found.push(path);
  }
  return found;
}

function refsOutsideKraft(text: string): string[] {
  return text.split('\n').filter((line) => !line.includes(' refs/kraft/'));
}

onHosts(allHosts, 'the main job', (host) => {
  it('ends with exactly the item’s own branch moved, the tests passed and every file the person’s', async () => {
    await using person = new Person(host);
    const repository = await person.sampleRepository();
    await person.git(repository, 'tag', 'v1');
    await person.git(repository, 'branch', 'side');
    const listRefs = ['for-each-ref', '--format', '%(objectname) %(refname)'];
    const before = await person.git(repository, ...listRefs);
    const headBefore = await person.git(repository, 'rev-parse', 'HEAD');

    const connected = await person.connect(repository);
    expect(connected).toContain('npm test');
    await person.startDaemon();
    const shown = await person.runItem(repository, 'The total of the basket is wrong: find out why and mend it.');

    expect(shown.item.stop).toBeNull();
    expect(shown.item.status).toBe('completed');
    expect(shown.sessions.every((session) => session.status === 'done')).toBe(true);
    expect(shown.sessions.some((session) => session.task.includes('verif'))).toBe(true);

    const after = refsOutsideKraft(await person.git(repository, ...listRefs));
    const branchLine = after.filter((line) => !before.includes(line));
    expect(branchLine).toHaveLength(1);
    expect(branchLine[0]).toMatch(new RegExp(` refs/heads/${shown.item.branch}$`));
    expect(after.filter((line) => line !== branchLine[0]).join('\n')).toBe(before);

    // The commits are the person's by name, on top of the base, and pass git's own check.
    expect(await person.git(repository, 'log', '--format=%an <%ae>', `${headBefore}..${shown.item.branch}`)).toContain(
      'Ada Person <ada@example.org>',
    );
    expect(await person.git(repository, 'merge-base', headBefore, shown.item.branch)).toBe(headBefore);
    await person.git(repository, 'fsck', '--strict', '--no-dangling');
    expect(await person.git(repository, 'status', '--porcelain')).toBe('');
    expect(await person.git(repository, 'rev-parse', 'HEAD')).toBe(headBefore);

    expect(foreignPaths(person.dir, host.uid)).toEqual([]);
    expect(await person.containers()).toEqual([]);

    // What `completed` promises: the printed command merges the branch, and the mended tests pass there.
    const text = await person.kraft('view', 'show', shown.item.id);
    expect(text).toContain(`git -C ${repository} merge ${shown.item.branch}`);
    await person.git(repository, 'merge', '--quiet', shown.item.branch);
    await person.must('node', ['--test'], { cwd: repository });
  });
});
