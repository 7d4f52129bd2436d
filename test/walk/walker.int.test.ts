import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Home } from './home.ts';

const good = 'demo: write wanted.txt yes\ndemo: commit Add what was wanted';

test('an item goes from its base over agent and tests to completed, and only its own branch has moved', async () => {
  const home = await Home.open();
  const before = home.person('for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads');

  const item = await home.run(good);

  expect(item).toMatchObject({ status: 'completed', stop: null, prepared: true, nextNode: null });
  expect(home.person('log', '--format=%s', `main..${item.branch}`)).toBe('Add what was wanted');
  expect(
    home
      .person('for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads')
      .split('\n')
      .filter((line) => !line.includes('refs/heads/kraft/'))
      .join('\n'),
  ).toBe(before);
  expect(await home.eventTypes(item.id)).toEqual([
    'work_item_created',
    'work_item_resumed',
    'worktree_prepared',
    'node_started',
    'worker_session_created',
    'worker_session_started',
    'sandbox_branch_synced',
    'worker_session_exited',
    'worker_session_created',
    'worker_session_started',
    'worker_session_exited',
    'node_completed',
    'node_started',
    'worker_session_created',
    'worker_session_started',
    'worker_session_exited',
    'node_completed',
    'work_item_completed',
  ]);
  const completed = (await home.events(item.id)).at(-1);
  expect(completed?.payload).toEqual({
    branch: item.branch,
    commit: home.person('rev-parse', item.branch),
    merge_command: `git -C ${home.repoDir} merge ${item.branch}`,
  });
  expect((await home.sessions(item.id)).map((row) => [row.task, row.status, row.harness])).toEqual([
    ['implementation.main.agent', 'done', 'demo'],
    ['implementation.main.agent.commit_leftovers', 'done', null],
    ['verification.main.tests.1', 'done', null],
  ]);
});

test('what the agent leaves uncommitted is committed on its branch', async () => {
  const home = await Home.open();

  const item = await home.run('demo: write wanted.txt yes\ndemo: write sub/other.txt more');

  expect(item.status).toBe('completed');
  expect(home.person('show', '--name-only', '--format=%an: %s', item.branch)).toBe(
    'Ann: Add what the agent left uncommitted\n\nsub/other.txt\nwanted.txt',
  );
});

test('preflight is asked for every program of the item before a worktree is made (PF-G05)', async () => {
  const home = await Home.open();
  home.repo = { ...home.repo, setupCommand: 'make deps' };
  home.launcher.preflightError = new Error('no image');

  const item = await home.run(good);

  expect(item).toMatchObject({ status: 'needs_human', worktree: null, stop: { kind: 'infra', code: 'KRAFT_BUG' } });
  expect(home.launcher.programs).toEqual(expect.arrayContaining(['sh', 'git', 'make', 'test', process.execPath]));
  expect(home.launcher.calls).toEqual(['preflight']);
  expect(existsSync(home.worktree(item.id))).toBe(false);
  expect(home.person('for-each-ref', '--format=%(refname)')).toBe('refs/heads/main');
});

test('the setup command runs before the first node, and local files lie in the worktree by then', async () => {
  const home = await Home.open();
  writeFileSync(`${home.repoDir}/.env`, 'A=1\n');
  home.repo = { ...home.repo, localFiles: ['.env', 'absent.txt'], setupCommand: 'cp .env wanted.txt' };

  const item = await home.run('demo: print 1');

  expect(item.status).toBe('completed');
  expect(home.person('show', `${item.branch}:wanted.txt`)).toBe('A=1');
  const prepared = (await home.events(item.id)).find((event) => event.type === 'worktree_prepared');
  expect(prepared?.payload).toMatchObject({
    local_files: [
      { path: '.env', outcome: 'copied' },
      { path: 'absent.txt', outcome: 'missing' },
    ],
    setup_ms: expect.any(Number) as number,
  });
});

test('a setup command that fails removes worktree, ref store and branch, and a retry runs the mended one', async () => {
  const home = await Home.open();
  home.repo = { ...home.repo, setupCommand: 'echo no such thing >&2; exit 3' };

  const failed = await home.run(good);

  expect(failed).toMatchObject({ status: 'needs_human', worktree: null, adminDir: null, prepared: false });
  expect(failed.stop).toMatchObject({ kind: 'config', code: 'KRAFT_SETUP_FAILED', facts: { exit_code: 3 } });
  expect(failed.stop?.reason).toMatch(/setup command .* failed with exit code 3/);
  expect(failed.stop?.facts['output_tail']).toContain('no such thing');
  expect(existsSync(home.worktree(failed.id))).toBe(false);
  expect(home.person('for-each-ref', '--format=%(refname)')).toBe('refs/heads/main');
  expect(home.person('worktree', 'list')).not.toContain('kraft/');
  expect(await home.sessions(failed.id)).toEqual([]);

  home.repo = { ...home.repo, setupCommand: 'true' };
  await home.walker.retry(failed.id);

  expect(await home.rest(failed.id)).toMatchObject({ status: 'completed', attempt: 2 });
});

test('a setup command that nobody decided on stops the item, and an empty one is skipped', async () => {
  const home = await Home.open();
  home.repo = { ...home.repo, setupCommand: null };
  const stopped = await home.run(good);
  expect(stopped.stop).toMatchObject({ kind: 'config', code: 'KRAFT_SETUP_UNDECIDED' });
  expect(stopped.stop?.remedy).toContain('--setup-command');

  home.repo = { ...home.repo, setupCommand: '' };
  await home.walker.retry(stopped.id);
  expect((await home.rest(stopped.id)).status).toBe('completed');
  expect(home.launcher.calls).not.toContain('start setup');
});

test('an agent that fails, asks, or writes no result stops its item with what it said', async () => {
  const home = await Home.open();
  const nothing = {
    ...{ summary: null, costUsd: null, model: null, concerns: null, question: null },
    ...{ usage: null, findings: [], droppedFindings: 0, verdict: null, suggestedAction: null },
  } as const;
  home.launcher.endings.set('says no', {
    status: 'failed',
    result: { ...nothing, status: 'failed', concerns: 'I cannot do it.' },
  });
  home.launcher.endings.set('asks back', {
    status: 'needs_context',
    result: { ...nothing, status: 'needs_context', question: 'Which colour?' },
  });
  const filed = await Promise.all(
    ['says no', 'asks back', 'demo: no-result'].map((description) => home.file(description, { autostart: true })),
  );
  await home.walker.idle();
  const [failed, asked, silent] = await Promise.all(filed.map(({ id }) => home.item(id)));

  expect(failed?.stop).toMatchObject({ kind: 'failed', reason: 'I cannot do it.' });
  expect(asked?.stop).toMatchObject({ kind: 'question', reason: 'The agent asks: Which colour?' });
  expect(silent?.stop).toMatchObject({ kind: 'failed', reason: 'The task failed.' });
  expect(existsSync(home.worktree(filed[0]!.id))).toBe(true);
});

test('tests that fail stop the item with the commands and sessions, and a retry runs only them again', async () => {
  const home = await Home.open();
  home.repo = {
    ...home.repo,
    tests: {
      kind: 'scopes',
      scopes: [
        { paths: ['**'], command: 'test -f wanted.txt' },
        { paths: ['**'], command: 'true' },
        { paths: ['none/**'], command: 'false' },
      ],
    },
  };
  const item = await home.run('demo: write other.txt x\ndemo: commit Something else');

  expect(item.stop).toMatchObject({
    kind: 'failed',
    reason: expect.stringContaining('`test -f wanted.txt`') as string,
  });
  expect(item.stop?.facts['failed_scopes']).toEqual([
    { command: 'test -f wanted.txt', scope: ['**'], exit_code: 1, session_id: item.stop?.sessionId },
  ]);
  expect((await home.sessions(item.id)).filter((row) => row.nodeId === 'verification')).toHaveLength(2);

  writeFileSync(home.worktree(item.id, 'wanted.txt'), 'by hand\n');
  await home.walker.retry(item.id);
  expect((await home.rest(item.id)).status).toBe('completed');
  expect((await home.sessions(item.id)).map((row) => [row.nodeId, row.attempt])).toEqual([
    ['implementation', 1],
    ['implementation', 1],
    ['verification', 1],
    ['verification', 1],
    ['verification', 2],
    ['verification', 2],
  ]);
});

test('tests that are declared away are skipped with a note, and undeclared ones stop the item', async () => {
  const home = await Home.open();
  home.repo = { ...home.repo, tests: { kind: 'none' } };
  const none = await home.run(good);
  home.repo = { ...home.repo, tests: { kind: 'undeclared' } };
  const undeclared = await home.run(good);

  expect(none.status).toBe('completed');
  expect(await home.eventTypes(none.id)).toContain('scope_skipped');
  expect(undeclared.stop).toMatchObject({ kind: 'config', code: 'KRAFT_TESTS_UNDECLARED' });
});

test('an OOM kill and a lost tail of output are told, and a configuration error carries code and remedy', async () => {
  const home = await Home.open();
  home.launcher.endings.set('agent.mjs', {
    status: 'config_error',
    reason: 'The memory limit was reached.',
    code: 'KRAFT_MEMORY_LIMIT_REACHED',
    remedy: 'Raise it.',
    oom: { memoryBytes: 4 * 1024 ** 3, confirmed: true, peakBytes: 5_000_000 },
    output: { reason: 'the stream ended early', droppedBytes: null },
  });

  const item = await home.run(good);

  expect(item.stop).toMatchObject({ kind: 'config', code: 'KRAFT_MEMORY_LIMIT_REACHED', remedy: 'Raise it.' });
  const events = await home.events(item.id);
  expect(events.find((event) => event.type === 'sandbox_oom_killed')?.payload).toMatchObject({
    memory: '4g',
    peak_bytes: 5_000_000,
  });
  expect(events.map((event) => event.type)).toContain('session_output_incomplete');
  // The result is judged, the commit is not lost.
  expect(home.person('log', '--format=%s', '-1', item.branch)).toBe('Add what was wanted');
});

test('a setup command that its memory limit killed is told by the event too, and its message names limit and key', async () => {
  const home = await Home.open();
  home.repo = { ...home.repo, setupCommand: 'make hog' };
  home.launcher.endings.set('make hog', {
    status: 'config_error',
    exitCode: 137,
    reason: 'The memory limit of 48m killed a process of the sandbox.',
    code: 'KRAFT_MEMORY_LIMIT_REACHED',
    remedy: 'Raise `sandbox.resources.memory` in repos.yaml, to 96m for a start.',
    oom: { memoryBytes: 48 * 1024 ** 2, confirmed: true, peakBytes: 50_331_648 },
  });

  const item = await home.run(good);

  expect(item.stop).toMatchObject({ kind: 'config', code: 'KRAFT_MEMORY_LIMIT_REACHED' });
  expect(item.stop?.reason).toMatch(/setup command `make hog` failed.*memory limit of 48m/);
  expect(item.stop?.remedy).toContain('sandbox.resources.memory');
  const killed = (await home.events(item.id)).filter((event) => event.type === 'sandbox_oom_killed');
  expect(killed.map((event) => event.payload)).toEqual([
    { session_id: expect.any(String) as string, memory: '48m', confirmed: true, peak_bytes: 50_331_648 },
  ]);
});

test('a machine that ran out of memory stops an item as infra, whether its agent or its setup ended then', async () => {
  const home = await Home.open();
  const short = {
    status: 'unknown',
    exitCode: 137,
    reason: 'The machine as a whole ran out of memory.',
    code: 'KRAFT_HOST_MEMORY_SHORT',
    remedy: 'Free memory.',
    result: null,
  } as const;
  home.launcher.endings.set('agent.mjs', short);
  home.lookAtRow = (row) => Promise.resolve({ name: row, outcome: 'warn', detail: '8 sessions may ask for more.' });
  await home.shutDown();
  await home.boot();

  const agent = await home.run(good);
  home.repo = { ...home.repo, setupCommand: 'make hog' };
  home.launcher.endings.set('make hog', short);
  const setup = await home.run(good);

  for (const item of [agent, setup]) {
    expect(item.stop).toMatchObject({ kind: 'infra', code: 'KRAFT_HOST_MEMORY_SHORT', remedy: 'Free memory.' });
    expect(item.stop?.facts['doctor_row']).toBe('config: warn: 8 sessions may ask for more.');
  }
});

test('a container that could not be removed publishes nothing and stops the item as infra', async () => {
  const home = await Home.open();
  home.launcher.endings.set('agent.mjs', { leftBehind: 'the engine does not answer' });

  const item = await home.run(good);

  expect(item.stop).toMatchObject({ kind: 'infra', code: 'KRAFT_CONTAINER_LEFT_BEHIND' });
  expect(home.person('rev-parse', item.branch)).toBe(home.person('rev-parse', 'main'));
});

test('a repository that the worker planted stops the item before anything is committed there', async () => {
  const home = await Home.open();

  const item = await home.run('demo: sh env -u GIT_DIR -u GIT_WORK_TREE git init -q inner\ndemo: write wanted.txt x');

  expect(item.stop).toMatchObject({ code: 'KRAFT_WORKTREE_PLANTED', facts: {} });
  expect(item.stop?.reason).toContain('inner');
  expect(home.person('rev-parse', item.branch)).toBe(home.person('rev-parse', 'main'));
});

test('a branch that somebody moved meanwhile is not overwritten: the commit is kept and the item stops', async () => {
  const home = await Home.open();
  const { id } = await home.file('demo: wait-for go\ndemo: write wanted.txt x\ndemo: commit Mine');
  await home.walker.start(id);
  await home.until(id, 'worker_session_started');
  const { branch } = await home.item(id);
  const theirs = home.person('commit-tree', '-p', 'main', '-m', 'theirs', 'main^{tree}');
  home.person('update-ref', `refs/heads/${branch}`, theirs);
  writeFileSync(home.worktree(id, 'go'), '');

  const item = await home.rest(id);

  expect(item.stop).toMatchObject({ kind: 'infra', code: 'KRAFT_BRANCH_NOT_PUBLISHED' });
  expect(home.person('rev-parse', branch)).toBe(theirs);
  expect(await home.eventTypes(id)).toContain('sandbox_branch_not_synced');
  expect(home.person('log', '-1', '--format=%s', `refs/kraft/unsynced/${branch}`)).toBe('Mine');
});

test('a worktree that the agent left on another branch stops the item and says where it stands', async () => {
  const home = await Home.open();

  const item = await home.run('demo: write wanted.txt x\ndemo: sh git checkout -q -b elsewhere');

  expect(item.stop).toMatchObject({ kind: 'infra', code: 'KRAFT_WORKTREE_OFF_BRANCH' });
  expect(item.stop?.reason).toContain('elsewhere');
  expect(item.stop?.remedy).toContain(home.worktree(item.id));
});

test('what the agent left and git does not take stops the item rather than complete it without', async () => {
  const home = await Home.open();
  home.launcher.endings.set('git add -A', { status: 'failed', exitCode: 128 });

  const item = await home.run('demo: write wanted.txt x');

  expect(item.stop).toMatchObject({ kind: 'infra', code: 'KRAFT_LEFTOVERS_NOT_COMMITTED' });
  expect(item.stop?.reason).toContain('exit code 128');
});

test('a retry after the node has gone from its chain says so', async () => {
  const home = await Home.open();
  const stopped = await home.run('demo: write other.txt x');
  mkdirSync(join(home.base, 'config', 'chains'));
  writeFileSync(
    join(home.base, 'config', 'chains', 'quick-task.yaml'),
    'nodes: [{id: only, tasks: [{id: agent, kind: agent}]}]',
  );

  await expect(home.walker.retry(stopped.id)).rejects.toMatchObject({
    code: 'KRAFT_CHAIN_PATH_UNKNOWN',
    message: expect.stringContaining('only.main.agent') as string,
    remedy: expect.stringContaining('--restart') as string,
  });

  expect(await home.item(stopped.id)).toMatchObject({ status: 'needs_human', attempt: 1, stop: stopped.stop });
});

test('a node that is in the row and not in the chain stops the item, whoever took it out', async () => {
  const home = await Home.open();
  const { id } = await home.file(good);
  await home.store.apply({ itemId: id, item: { nextNode: 'gone' }, events: [], sessions: [], expectStatus: null });

  await home.walker.start(id);

  expect((await home.rest(id)).stop).toMatchObject({ kind: 'config', code: 'KRAFT_NODE_UNKNOWN' });
});

test('a launch is planned over a worktree that is there, and without one the item says which verb makes it', async () => {
  const home = await Home.open();
  const filed = await home.file(good);
  await expect(home.walker.plan(filed.id)).rejects.toMatchObject({ code: 'KRAFT_ITEM_HAS_NO_WORKTREE' });

  const item = await home.run('demo: write other.txt x');
  const events = (await home.eventTypes(item.id)).length;

  expect((await home.walker.plan(item.id)).track).toMatchObject({ itemId: item.id, role: 'agent' });
  expect((await home.eventTypes(item.id)).length).toBe(events);
});
