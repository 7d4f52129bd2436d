import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Item } from '../../src/items/index.ts';
import { findStrayWorktrees } from '../../src/walk/index.ts';
import { Home } from './home.ts';

const good = 'demo: write wanted.txt yes\ndemo: commit Add what was wanted';
const plainly = { yes: false, logs: false };

/** Files that sessions of the item leave where a real launcher puts them. */
function leaveTraces(home: Home, item: Item): void {
  for (const [dir, name] of [
    ['sandbox-home', `${item.id}/.cache`],
    ['results', 's1'],
    ['logs', `setup-${item.id}-x`],
  ] as const) {
    mkdirSync(join(home.base, 'run', dir, name), { recursive: true });
    writeFileSync(join(home.base, 'run', dir, name, 'file'), Buffer.alloc(100_000, 1));
  }
}

async function archived(home: Home, id: string): Promise<readonly unknown[]> {
  const events = await home.events(id);
  return events.filter(({ type }) => type === 'work_item_archived').map(({ payload }) => payload);
}

describe('archiving', () => {
  test('frees what a completed item holds and keeps its branch while nothing else has its commits', async () => {
    const home = await Home.open();
    const done = await home.run(good);
    expect(done.status).toBe('completed');
    leaveTraces(home, done);

    const [first, second] = await Promise.all([
      home.walker.archive(done.id, plainly),
      home.walker.archive(done.id, plainly),
    ]);

    expect(first).toMatchObject({ status: 'completed', worktree: null, adminDir: null });
    expect(first.archivedAt).not.toBeNull();
    expect(second).toEqual(first);
    expect(existsSync(home.worktree(done.id))).toBe(false);
    expect(readdirSync(join(home.base, 'run', 'sandbox-git'))).toEqual([]);
    expect(home.person('for-each-ref', '--format=%(refname)')).toBe(`refs/heads/${done.branch}\nrefs/heads/main`);
    expect(home.launcher.calls.filter((call) => call.startsWith('release'))).toEqual([
      `release ${done.id}`,
      `release ${(await home.sessions(done.id)).length} sessions`,
    ]);
    expect(await archived(home, done.id)).toEqual([
      { by: 'human', kept_branch: true, unpushed_commits: 1, freed_bytes: expect.any(Number) as number },
    ]);
    await expect(home.walker.abandon(done.id)).rejects.toMatchObject({ code: 'KRAFT_ITEM_ENDED' });
    await expect(home.walker.retry(done.id)).rejects.toMatchObject({ code: 'KRAFT_ITEM_ENDED' });
  });

  test('lets a branch go that was merged, and one that was given up with nothing on it', async () => {
    const home = await Home.open();
    const done = await home.run(good);
    home.person('merge', '-q', done.branch);

    await home.walker.archive(done.id, { yes: false, logs: true });

    expect(home.person('for-each-ref', '--format=%(refname)')).toBe('refs/heads/main');
    expect(await archived(home, done.id)).toMatchObject([{ kept_branch: false, unpushed_commits: 0 }]);
    expect(home.launcher.calls.at(-1)).toMatch(/sessions and logs$/u);
    const filed = await home.file(good);
    await home.walker.abandon(filed.id);
    expect((await home.walker.archive(filed.id, plainly)).archivedAt).not.toBeNull();
  });

  test('says what lies uncommitted in the worktree before it removes anything, and needs a yes for it', async () => {
    const home = await Home.open();
    const done = await home.run(good);
    writeFileSync(home.worktree(done.id, 'notes'), 'mine');

    await expect(home.walker.archive(done.id, plainly)).rejects.toMatchObject({
      code: 'KRAFT_ARCHIVE_LOSES',
      message: expect.stringContaining('in its worktree: notes.') as string,
    });
    expect(existsSync(home.worktree(done.id, 'notes'))).toBe(true);
    expect(await home.item(done.id)).toEqual(done);
    await home.walker.archive(done.id, { yes: true, logs: false });
    expect(existsSync(home.worktree(done.id))).toBe(false);
  });

  test('is for items that have ended, and names abandon to the others', async () => {
    const home = await Home.open();
    const { id } = await home.file(good);

    await expect(home.walker.archive(id, plainly)).rejects.toMatchObject({
      code: 'KRAFT_ITEM_OPEN',
      report: { remedy: expect.stringContaining(`kraft item abandon ${id}`) as string },
    });
  });

  test('of which not everything could be removed is not recorded, and can be asked again (PF-X07)', async () => {
    const home = await Home.open();
    const done = await home.run(good);
    home.launcher.releaseError = new Error('device busy');

    await expect(home.walker.archive(done.id, plainly)).rejects.toMatchObject({ code: 'KRAFT_ARCHIVE_FAILED' });
    expect(await home.item(done.id)).toEqual(done);

    home.launcher.releaseError = null;
    expect((await home.walker.archive(done.id, plainly)).archivedAt).not.toBeNull();
  });

  test('and giving up do not need the repository, once nobody has it any more', async () => {
    const home = await Home.open();
    const [done, stopped] = [await home.run(good), await home.run('demo: fail')];
    expect(stopped.status).toBe('needs_human');
    rmSync(home.repoDir, { recursive: true });

    await expect(home.walker.archive(done.id, plainly)).rejects.toMatchObject({
      code: 'KRAFT_ARCHIVE_LOSES',
      message: expect.stringContaining('is gone') as string,
    });
    await home.walker.archive(done.id, { yes: true, logs: false });
    expect(await archived(home, done.id)).toMatchObject([{ kept_branch: false, unpushed_commits: null }]);
    expect((await home.walker.abandon(stopped.id)).status).toBe('abandoned');
    expect(readdirSync(join(home.base, 'run', 'worktrees'))).toEqual([]);
  });
});

test('storage tells what each item holds, and what belongs to none', async () => {
  const home = await Home.open();
  const done = await home.run(good);
  leaveTraces(home, done);
  const stray = join(home.base, 'run', 'worktrees', 'zzzz2345');
  mkdirSync(stray);
  writeFileSync(join(stray, 'file'), Buffer.alloc(50_000, 1));

  const report = await home.walker.storage();

  expect(await findStrayWorktrees({ store: home.store, paths: home.ports().paths })).toEqual([stray]);
  expect(report.isPartial).toBe(false);
  expect(report.items).toMatchObject([{ id: done.id, status: 'completed', archived: false, hasBranch: true }]);
  const [row] = report.items;
  for (const bytes of [row?.worktreeBytes, row?.refStoreBytes]) expect(bytes).toBeGreaterThan(0);
  for (const bytes of [row?.homeBytes, row?.logBytes]) expect(bytes).toBeGreaterThanOrEqual(100_000);
  expect(report.strays.map(({ path }) => path)).toEqual([stray, join(home.base, 'run', 'results', 's1')]);
  expect(report.totalBytes).toBeGreaterThanOrEqual((row?.totalBytes ?? 0) + 50_000);
});
