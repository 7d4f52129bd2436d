import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../src/base/index.ts';
import { startServer, type RunningServer } from '../../src/daemon/index.ts';
import { walkErrors } from '../../src/walk/index.ts';
import { FakeKraft } from '../support/fake-kraft.ts';
import { CliUser } from '../support/run-cli.ts';

let user: CliUser;
let kraft: FakeKraft;
let server: RunningServer;

beforeEach(async () => {
  user = new CliUser();
  kraft = new FakeKraft();
  mkdirSync(user.run, { recursive: true, mode: 0o700 });
  const socketPath = join(user.run, 'kraft.sock');
  server = await startServer({ kraft, socketPath, stop: () => undefined, log: silentLog });
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
  await user[Symbol.asyncDispose]();
});

const said = (name: string): unknown[] => kraft.calls.filter(([each]) => each === name).map(([, said]) => said);

describe('kraft item retry and skip', () => {
  it('say where the item is to go on', async () => {
    await user.must(['item', 'retry', 'abcd', '--path', 'checks.slow']);
    await user.must(['item', 'retry', 'abcd', '--restart', '--steer', 'Mind the gap.']);
    expect(said('retryItem')).toEqual([
      { id: 'abcd', path: 'checks.slow', restart: false, steer: null },
      { id: 'abcd', path: null, restart: true, steer: 'Mind the gap.' },
    ]);
    await user.must(['item', 'resume', 'abcd', '--steer', 'Mind the gap.']);
    await user.must(['item', 'resume', 'abcd']);
    expect(said('resumeItem')).toEqual([
      { id: 'abcd', steer: 'Mind the gap.' },
      { id: 'abcd', steer: null },
    ]);
    const skipped = await user.must(['item', 'skip', 'abcd', '--note', 'Looked at.', '--path', 'checks.slow']);
    expect(skipped).toContain('Skipped ahead abcd2345; the item is now running.');
    expect(said('skipItem')).toEqual([{ id: 'abcd', path: 'checks.slow', note: 'Looked at.' }]);
  });

  it('ask nothing of the daemon when the command line does not say what is meant', async () => {
    const both = await user.kraft(['item', 'retry', 'abcd', '--path', 'checks', '--restart']);
    expect(both).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--restart') as unknown });
    const silent = await user.kraft(['item', 'skip', 'abcd']);
    expect(silent).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('needs `--note`') as unknown });
    expect(kraft.calls).toEqual([]);
  });
});

describe('kraft item archive', () => {
  it('says what was freed and why the branch is still there', async () => {
    kraft.rows = [
      {
        seq: 1,
        work_item_id: 'abcd2345',
        node_id: null,
        created_at: '2026-01-02T03:04:05.678Z',
        type: 'work_item_archived',
        payload: { by: 'human', kept_branch: true, unpushed_commits: 3, freed_bytes: 12_700_000 },
      },
    ];

    const out = await user.must(['item', 'archive', 'abcd']);

    expect(out).toContain('the item is now archived.');
    expect(out).toContain(
      'Freed 12 MiB. The branch kraft/abcd2345-mend-the-basket is kept: 3 commits of it are on no other branch, tag or remote.',
    );
    expect(said('archiveItem')).toEqual([{ id: 'abcd', yes: false, logs: false }]);
  });

  it('takes no yes for granted where nobody can be asked', async () => {
    const lost = { id: 'abcd2345', count: 1, paths: ['notes'], why: null, worktree: '/w' };
    kraft.archiveItem = (id, options) =>
      options.yes ? kraft.showItem(id) : Promise.reject(walkErrors.create('ARCHIVE_LOSES', lost));

    const end = await user.kraft(['item', 'archive', 'abcd']);

    expect(end).toMatchObject({ exitCode: 1, stdout: '' });
    expect(end.stderr).toContain('would remove what lies uncommitted in its worktree: notes.');
    expect(end.stderr).toContain('kraft item archive abcd2345 --yes');
    await user.must(['item', 'archive', 'abcd', '--yes', '--logs']);
  });
});

it('kraft view list shows archived items only when they are asked for', async () => {
  await user.must(['view', 'list']);
  await user.must(['view', 'list', '--all']);
  await user.must(['view', 'list', '--include-archived']);
  expect(said('listItems')).toMatchObject([
    { includeArchived: false },
    { includeArchived: true },
    { includeArchived: true },
  ]);
});

it('kraft admin storage shows what items hold, what belongs to none, and what can be freed', async () => {
  const row = { title: 'Mend it', branch: 'kraft/x', archived: false, homeBytes: 0, resultBytes: 0 } as const;
  const more = { refStoreBytes: 40_960, logBytes: 0 } as const;
  kraft.stored = {
    items: [
      { ...row, ...more, id: 'big22222', status: 'active', hasBranch: null, worktreeBytes: 3e9, totalBytes: 3e9 },
      { ...row, ...more, id: 'done2222', status: 'completed', hasBranch: true, worktreeBytes: 512, totalBytes: 41_472 },
    ],
    strays: [{ path: '/run/worktrees/lost', bytes: 2048 }],
    totalBytes: 3e9,
    isPartial: true,
  };

  const out = await user.must(['admin', 'storage']);

  expect(out).toMatch(/^ID +STATE +TITLE +WORKTREE +REFS +HOME +RESULTS +LOGS +TOTAL +BRANCH\n/u);
  expect(out).toMatch(/\nbig22222 +running +Mend it +2\.8 GiB +40 KiB +- +- +- +2\.8 GiB +unknown\n/u);
  expect(out).toMatch(/\ndone2222 +done +Mend it +512 B .*yes\n/u);
  expect(out).toContain('/run/worktrees/lost  2.0 KiB');
  expect(out).toContain('At least 2.8 GiB in all. Not everything could be looked at.');
  expect(out).toContain('kraft item archive done2222');
  expect(JSON.parse(await user.must(['admin', 'storage', '--json']))).toEqual(kraft.stored);
});
