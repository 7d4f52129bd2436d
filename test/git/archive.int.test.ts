import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeFixture } from './fixture.ts';

describe('the commits of an item’s own', () => {
  it('are those that no other branch, tag or remote has, whatever Kraft keeps of them for itself', async () => {
    const f = makeFixture();
    const item = await f.item();
    const { store } = await item.open('s1');
    item.commit(store, 'a', 'one');
    item.commit(store, 'b', 'two');
    await item.publish('s1');
    const { branch } = item.worktree;
    const of = { branch, itemId: item.itemId };
    f.person('update-ref', 'refs/kraft/unsynced/x', branch);
    // Another item that began here and has done nothing yet.
    f.person('update-ref', 'refs/kraft/base/def23456', branch);

    expect(await f.git.countOwnCommits(item.repository, of)).toBe(2);
    const kept = await f.git.removeWorktree(item.repository, {
      ...of,
      path: item.worktree.path,
      removeBranch: true,
      removeBase: true,
    });
    expect(kept).toEqual({ branchRemoved: false });
    expect(await f.git.listItemBranches(item.repository)).toEqual([branch]);

    f.person('branch', 'mine', `${branch}~1`);
    expect(await f.git.countOwnCommits(item.repository, of)).toBe(1);
    f.person('update-ref', 'refs/remotes/origin/theirs', branch);
    expect(await f.git.countOwnCommits(item.repository, of)).toBe(0);
  });

  it('are none where nothing was committed, also when the base was fetched for the item alone', async () => {
    const f = makeFixture();
    const item = await f.item();
    const fetched = f.person('commit-tree', '-m', 'theirs', 'main^{tree}');
    f.person('update-ref', `refs/kraft/base/${item.itemId}`, fetched);
    f.person('update-ref', `refs/heads/${item.worktree.branch}`, fetched);

    const of = { branch: item.worktree.branch, itemId: item.itemId };
    expect(await f.git.countOwnCommits(item.repository, of)).toBe(0);
    expect(await f.git.countOwnCommits(item.repository, { ...of, branch: 'kraft/gone' })).toBe(0);
  });
});

it('uncommitted files are changed and untracked ones, and neither removed nor ignored ones nor what the branch changed', async () => {
  const f = makeFixture();
  const item = await f.item();
  const { store } = await item.open('s1');
  item.commit(store, 'committed', 'x');
  await item.publish('s1');
  const at = (path: string): string => join(item.worktree.path, path);
  writeFileSync(at('README'), 'changed\n');
  mkdirSync(at('new'));
  writeFileSync(at('new/file'), '');
  writeFileSync(at('.gitignore'), 'ignored\n');
  writeFileSync(at('ignored'), '');
  rmSync(at('src/a.txt'));

  expect(await f.git.listUncommitted(item)).toEqual(['.gitignore', 'README', 'new/file']);
});

it('ref stores are listed with their items, and one without a record with none', async () => {
  const f = makeFixture();
  const item = await f.item();
  const { store } = await item.open('s1');
  mkdirSync(join(f.runDir, 'sandbox-git', 'lost-0123456789abcdef'));

  const listed = await f.git.listRefStores();

  expect(listed.find(({ itemId }) => itemId === item.itemId)?.paths).toEqual(
    expect.arrayContaining([store.dir, store.sidecar, `${store.dir}.worktree`]),
  );
  expect(listed.filter(({ itemId }) => itemId === null)).toEqual([
    { itemId: null, paths: [join(f.runDir, 'sandbox-git', 'lost-0123456789abcdef')] },
  ]);
});

it('what an item holds goes without its repository too, and only inside Kraft’s own directories', async () => {
  const f = makeFixture();
  const item = await f.item();
  const { store } = await item.open('s1');
  rmSync(f.root, { recursive: true });

  await f.git.removeLostWorktree({ path: item.worktree.path, itemId: item.itemId });
  await f.git.removeLostWorktree({ path: item.worktree.path, itemId: item.itemId });

  expect(existsSync(item.worktree.path)).toBe(false);
  expect([store.dir, store.sidecar].filter((path) => existsSync(path))).toEqual([]);
  mkdirSync(join(f.base, 'elsewhere'));
  await f.git.removeLostWorktree({ path: join(f.base, 'elsewhere'), itemId: item.itemId });
  expect(existsSync(join(f.base, 'elsewhere'))).toBe(true);
});
