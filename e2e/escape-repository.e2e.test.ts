import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { onHosts } from './support/hosts.ts';
import { Person } from './support/person.ts';

/** One `demo: sh` line for each command; each may fail, which is the point of most of them. */
function attempts(commands: readonly string[]): string {
  return commands.map((command) => `demo: sh ${command} || true`).join('\n');
}

onHosts(['docker', 'podman', 'podman-rootless'], 'a worker that turns on the repository,', (host) => {
  it('loses nothing of the person’s: stashes, reflog-only commits and other worktrees survive its gc and its rm', async () => {
    await using person = new Person(host);
    const repository = await person.sampleRepository();
    const inRepository = (...args: readonly string[]): Promise<string> => person.git(repository, ...args);
    // An old second stash, a commit that only the reflog knows, and a detached second worktree with a commit of its own.
    person.write('sample/src/note.txt', 'first stash\n');
    await inRepository('stash', 'push', '--quiet', '--include-untracked', '-m', 'first');
    person.write('sample/src/note.txt', 'second stash\n');
    await inRepository('stash', 'push', '--quiet', '--include-untracked', '-m', 'second');
    const stashes = (await inRepository('rev-parse', 'stash@{0}', 'stash@{1}')).split('\n');
    await inRepository('commit', '--quiet', '--allow-empty', '-m', 'only the reflog knows');
    const reflogOnly = await inRepository('rev-parse', 'HEAD');
    await inRepository('reset', '--quiet', '--hard', 'HEAD~1');
    await inRepository('worktree', 'add', '--quiet', '--detach', join(person.dir, 'second'));
    await person.git(join(person.dir, 'second'), 'commit', '--quiet', '--allow-empty', '-m', 'detached');
    const detached = await person.git(join(person.dir, 'second'), 'rev-parse', 'HEAD');
    const refsBefore = await inRepository('for-each-ref');

    await person.connectUntested(repository);
    await person.startDaemon();
    const shown = await person.runItem(
      repository,
      [
        'demo: write src/new.txt something new',
        'demo: commit Add a file',
        attempts([
          'git checkout -q -b topic HEAD~1 && git commit -q --allow-empty -m topic && git checkout -q - && git merge -q --no-edit topic',
          'git branch -D main',
          'git update-ref -d refs/heads/main',
          'git stash drop',
          'git reflog expire --expire=now --all',
          'git gc -q --prune=now',
          'git worktree prune --expire=now',
          'rm -rf "$(git rev-parse --git-common-dir)"/objects/*',
          'rm -rf /kraft/alternate/objects/*',
          'chmod -R u+w /kraft/alternate/objects && rm -rf /kraft/alternate/objects/pack',
        ]),
        'demo: write src/later.txt after all that',
        'demo: sh git status >/dev/null 2>&1 || true',
      ].join('\n'),
    );

    // Whatever became of the item, the repository is whole.
    expect(['completed', 'needs_human']).toContain(shown.item.status);
    await inRepository('fsck', '--strict', '--no-dangling');
    for (const commit of [...stashes, reflogOnly, detached])
      expect(await inRepository('cat-file', '-t', commit)).toBe('commit');
    expect(await inRepository('show', `${stashes[1] ?? ''}^3:src/note.txt`)).toBe('first stash');
    expect(await inRepository('reflog', 'show', '--format=%H', 'HEAD')).toContain(reflogOnly);
    expect(await person.git(join(person.dir, 'second'), 'status', '--porcelain')).toBe('');
    const refsAfter = await inRepository('for-each-ref');
    for (const line of refsBefore.split('\n')) expect(refsAfter).toContain(line);
    expect(refsAfter).not.toContain('refs/heads/topic');
  });

  it('commits and merges on its own branch while moving nothing else, and plants nothing that the host runs', async () => {
    await using person = new Person(host);
    const repository = await person.sampleRepository();
    await person.connectUntested(repository);
    await person.startDaemon();
    const configBefore = readFileSync(join(repository, '.git', 'config'), 'utf8');
    const proof = '/kraft/home/ran-in-container';
    const planted = join(person.dir, 'planted');
    const shown = await person.runItem(
      repository,
      [
        'demo: write src/new.txt something new',
        'demo: commit Add a file',
        attempts([
          'git config core.fsmonitor "touch PLANTED"'.replace('PLANTED', planted),
          `git config --worktree core.hooksPath /tmp/hooks`,
          `printf "#!/bin/sh\\ntouch ${planted}\\n" > "$(git rev-parse --git-common-dir)/hooks/post-checkout"`,
          `mkdir -p "$(git rev-parse --git-common-dir)/hooks" && printf "#!/bin/sh\\ntouch ${planted}\\n" > "$(git rev-parse --git-common-dir)/hooks/reference-transaction" && chmod +x "$(git rev-parse --git-common-dir)/hooks/reference-transaction"`,
          `printf "../elsewhere\\n" > "$(git rev-parse --git-dir)/commondir"`,
          `printf "gitdir: /tmp/mine\\n" > .git`,
          `mv .git .git-was`,
          `printf "/etc\\n" > "$(git rev-parse --git-common-dir)/objects/info/alternates"`,
          `git update-ref refs/heads/main HEAD`,
          `git update-ref refs/tags/v9 HEAD`,
          `touch ${proof}`,
        ]),
      ].join('\n'),
    );
    expect(shown.item.stop).toBeNull();
    expect(shown.item.status).toBe('completed');
    expect(existsSync(planted)).toBe(false);
    // The control: the same commands really ran, in the container.
    expect(existsSync(join(person.kraftHome, 'run', 'sandbox-home', shown.item.id, 'ran-in-container'))).toBe(true);
    expect(readFileSync(join(repository, '.git', 'config'), 'utf8')).toBe(configBefore);
    const heads = await person.git(repository, 'for-each-ref', '--format', '%(refname)');
    expect(
      heads
        .split('\n')
        .filter((name) => !name.startsWith('refs/kraft/'))
        .sort(),
    ).toEqual([`refs/heads/${shown.item.branch}`, 'refs/heads/main'].sort());
    expect(await person.git(repository, 'log', '-1', '--format=%s', 'main')).toBe('Start');
    expect(await person.git(repository, 'log', '--format=%s', `main..${shown.item.branch}`)).toContain('Add a file');
  });
});
