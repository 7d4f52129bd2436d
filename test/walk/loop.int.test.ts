import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Item } from '../../src/items/index.ts';
import { Home } from './home.ts';

const note = 'demo: append notes.txt one\ndemo: commit Note it';
const mend = '"demo: write wanted.txt yes\\ndemo: commit Mend it"';
const nothing = '"demo: append notes.txt more\\ndemo: commit Try"';

/** A home whose repository runs the chain of this text. */
async function homeWith(chain: string, testCommand = 'test -f wanted.txt'): Promise<Home> {
  const home = await Home.open();
  mkdirSync(join(home.base, 'config', 'chains'));
  writeFileSync(join(home.base, 'config', 'chains', 'own.yaml'), chain);
  home.repo = {
    ...home.repo,
    defaultChain: 'own',
    tests: { kind: 'scopes', scopes: [{ paths: ['**'], command: testCommand }] },
  };
  return home;
}

const looped = (repair: string, more = ''): string => `
nodes:
  - id: implementation
    tasks: [{ id: agent, kind: agent }]
  - id: verification
    tasks: [{ id: tests, kind: builtin, ref: kraft.verify_changed_test_scopes }]
    fix_loop:
      tasks: [{ id: repair, kind: agent, prompt: ${repair} }]${more}
`;

/** Task, run and status of each session, without those that commit leftovers. */
async function runs(home: Home, item: Item): Promise<readonly string[]> {
  const rows = await home.sessions(item.id);
  return rows
    .filter(({ task }) => !task.endsWith('.commit_leftovers'))
    .map(({ task, run, status }) => `${task} ${run} ${status}`);
}

test('failing tests are mended by the fix loop, and the node runs again until it passes', async () => {
  const home = await homeWith(looped(mend));

  const item = await home.run(note);

  expect(item).toMatchObject({ status: 'completed', fixLoop: null });
  expect(await runs(home, item)).toEqual([
    'implementation.main.agent 0 done',
    'verification.main.tests.1 0 failed',
    'verification.fix_loop.repair 1 done',
    'verification.main.tests.1 1 done',
  ]);
  const events = await home.events(item.id);
  expect(events.find(({ type }) => type === 'findings_measured')?.payload).toMatchObject({
    cycle: 0,
    findings: [{ severity: 'critical', source: 'verification.main.tests.1' }],
  });
  expect(events.filter(({ type }) => type === 'fix_cycle_started').map(({ payload }) => payload)).toEqual([
    { node_id: 'verification', cycle: 1, failed_tasks: ['verification.main.tests.1'] },
  ]);
});

test('three equal failures in a row are stuck and stop for a person', async () => {
  const home = await homeWith(looped(nothing));

  const item = await home.run(note);

  expect(item).toMatchObject({ status: 'needs_human', stop: { kind: 'stuck', facts: { repairs: 2 } } });
  expect((await runs(home, item)).filter((line) => line.includes('tests'))).toEqual([
    'verification.main.tests.1 0 failed',
    'verification.main.tests.1 1 failed',
    'verification.main.tests.1 2 failed',
  ]);
});

test('three repairs are all there are when each run fails in another way', async () => {
  // What it prints grows with each repair, so that no two failures are equal.
  const home = await homeWith(looped(nothing), 'cat notes.txt wanted.txt');

  const item = await home.run(note);

  expect(item).toMatchObject({ status: 'needs_human', stop: { kind: 'cap', facts: { repairs: 3, max_attempts: 3 } } });
  const capped = (await home.events(item.id)).find(({ type }) => type === 'scope_budget_reached');
  expect(capped?.payload).toEqual({ scope: 'verification.fix_loop', field: 'max_attempts', limit: 3, used: 3 });
});

test('a node’s own bound and a policy’s hold where they are tighter than the usual ones', async () => {
  const home = await homeWith(looped(nothing, '\n      max_attempts: 1'), 'cat notes.txt wanted.txt');

  const item = await home.run(note);

  expect(item.stop?.facts).toMatchObject({ repairs: 1, max_attempts: 1 });
});

test('repairs that have taken their time are not begun again, and the cap is told', async () => {
  const home = await homeWith(looped(nothing), 'cat notes.txt wanted.txt');
  home.policy = { ...home.policy, loop: { maxAttempts: 3, wallClockMs: 1 } };

  const item = await home.run(note);

  expect(item).toMatchObject({ status: 'needs_human', stop: { kind: 'cap' } });
  expect((await home.eventTypes(item.id)).filter((type) => type === 'time_cap_reached')).toHaveLength(1);
});

test('a repair that is paused goes on as the same attempt', async () => {
  const home = await homeWith(looped('"demo: wait-for go.txt\\ndemo: write wanted.txt yes\\ndemo: commit Mend it"'));
  const { id } = await home.file(note);
  await home.walker.start(id);
  await home.until(id, 'fix_cycle_started');

  await home.walker.pause(id);
  expect(await home.rest(id)).toMatchObject({ status: 'paused', fixLoop: { cycle: 1, phase: 'repair' } });
  writeFileSync(home.worktree(id, 'go.txt'), '');
  await home.walker.resume(id);
  const item = await home.rest(id);

  expect(item.status).toBe('completed');
  expect((await home.eventTypes(id)).filter((type) => type === 'fix_cycle_started')).toHaveLength(1);
});

test('a repair is told what failed, with the end of the output', async () => {
  const home = await homeWith(looped('"demo: no-result"'), 'cat wanted.txt');

  const item = await home.run(note);

  expect(item.stop?.kind).toBe('stuck');
  const prompt = await home.walker.prompt(item.id);
  expect(prompt).toContain('`cat wanted.txt` failed with exit code 1.');
  expect(prompt).toContain('    cat: wanted.txt: No such file or directory');
});

test('findings of an agent open the loop as a failed task does, minor ones do not', async () => {
  const finding = (severity: string): string =>
    `{"severity":"${severity}","message":"off by one","source_plugin":"review","file":"a.c","line":3}`;
  const report = (severity: string): string =>
    `demo: sh test -f wanted.txt || printf '{"status":"done","findings":[%s]}' '${finding(severity)}' > "$KRAFT_RESULT_PATH"\ndemo: sh test ! -f wanted.txt || echo '{"status":"done"}' > "$KRAFT_RESULT_PATH"\ndemo: no-result`;
  const chain = (severity: string): string => `
nodes:
  - id: review
    tasks: [{ id: reviewer, kind: agent, prompt: ${JSON.stringify(report(severity))} }]
    fix_loop:
      tasks: [{ id: repair, kind: agent, prompt: ${mend} }]
`;
  const home = await homeWith(chain('important'));
  const item = await home.run('');

  expect(item.status).toBe('completed');
  expect(await runs(home, item)).toEqual([
    'review.main.reviewer 0 done',
    'review.fix_loop.repair 1 done',
    'review.main.reviewer 1 done',
  ]);

  const other = await homeWith(chain('minor'));
  expect(await runs(other, await other.run(''))).toEqual(['review.main.reviewer 0 done']);
});

test('a judge that says stop ends the loop before its second repair', async () => {
  const verdict = `demo: sh printf '{"status":"done","verdict":"stop_needs_human","concerns":"it goes in circles"}' > "$KRAFT_RESULT_PATH"\ndemo: no-result`;
  const home = await homeWith(
    looped(nothing, `\n      judge: { id: judge, kind: agent, prompt: ${JSON.stringify(verdict)} }`),
    'cat notes.txt wanted.txt',
  );

  const item = await home.run(note);

  expect(item).toMatchObject({ status: 'needs_human', stop: { kind: 'stuck', code: 'KRAFT_JUDGE_STOPS' } });
  expect(item.stop?.reason).toContain('it goes in circles');
  expect((await runs(home, item)).at(-1)).toBe('verification.fix_loop.judge 1 done');
});

test('a failed task, step and node each run once more after their own recovery, once for an entry', async () => {
  const chain = (at: 'task' | 'step' | 'node', recovery: string): string => {
    const on = (level: string): string =>
      level === at ? `on_failure: { tasks: [{ id: recovery, kind: subprocess, command: ${recovery} }] }` : '';
    return `
nodes:
  - id: work
    ${on('node')}
    steps:
      - id: check
        ${on('step')}
        tasks:
          - id: look
            kind: subprocess
            command: test -f wanted.txt
            ${on('task')}
`;
  };
  const paths = { task: 'work.check.look', step: 'work.check', node: 'work' } as const;
  for (const at of ['task', 'step', 'node'] as const) {
    const home = await homeWith(chain(at, 'touch wanted.txt'));
    const item = await home.run('');
    expect(item.status).toBe('completed');
    expect(await runs(home, item)).toEqual([
      'work.check.look 0 failed',
      `${paths[at]}.on_failure.recovery 1 done`,
      'work.check.look 1 done',
    ]);
  }
  const home = await homeWith(chain('node', '"true"'));
  const item = await home.run('');
  expect(item).toMatchObject({ status: 'needs_human', stop: { kind: 'failed' } });
  expect(await runs(home, item)).toEqual([
    'work.check.look 0 failed',
    'work.on_failure.recovery 1 done',
    'work.check.look 1 failed',
  ]);
});

test('the tasks of a step run side by side, and what both agents leave is committed once', async () => {
  const home = await homeWith(`
nodes:
  - id: work
    tasks:
      - { id: left, kind: agent, prompt: "demo: write left.txt l\\ndemo: wait-for right.txt" }
      - { id: right, kind: agent, prompt: "demo: write right.txt r\\ndemo: wait-for left.txt" }
`);

  const item = await home.run('');

  expect(item.status).toBe('completed');
  const tasks = (await home.sessions(item.id)).map(({ task }) => task);
  expect(tasks.sort()).toEqual(['work.main.commit_leftovers', 'work.main.left', 'work.main.right']);
  expect(home.person('show', '--name-only', '--format=%s', item.branch).split('\n').sort()).toEqual([
    '',
    'Add what the agent left uncommitted',
    'left.txt',
    'right.txt',
  ]);
});

test('a pause ends every session that runs side by side', async () => {
  const home = await homeWith(`
nodes:
  - id: work
    tasks:
      - { id: left, kind: agent, prompt: "demo: wait-for never.txt" }
      - { id: right, kind: agent, prompt: "demo: wait-for never.txt" }
`);
  const { id } = await home.file('');
  let started = 0;
  const both = new Promise<void>((resolve) => {
    home.store.onEvents((rows) => {
      started += rows.filter(({ type }) => type === 'worker_session_started').length;
      if (started === 2) resolve();
    });
  });
  await home.walker.start(id);
  await both;

  await home.walker.pause(id);
  const item = await home.rest(id);

  expect(item.status).toBe('paused');
  expect((await home.sessions(id)).map(({ status }) => status)).toEqual(['paused', 'paused']);
});

test('the first stop that no repair can mend is told although a neighbour merely failed', async () => {
  const home = await homeWith(`
nodes:
  - id: work
    tasks:
      - { id: fails, kind: subprocess, command: "false" }
      - { id: asks, kind: agent, prompt: "demo: result needs_context" }
    fix_loop:
      tasks: [{ id: repair, kind: agent, prompt: ${mend} }]
`);

  const item = await home.run('');

  expect(item).toMatchObject({ status: 'needs_human', stop: { kind: 'question' } });
  expect((await runs(home, item)).some((line) => line.includes('repair'))).toBe(false);
});
