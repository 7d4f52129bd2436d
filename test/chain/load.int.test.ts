import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { KraftError } from '../../src/base/index.ts';
import { listTasks, loadChain } from '../../src/chain/index.ts';

let config: string;
beforeEach(() => {
  config = mkdtempSync(join(tmpdir(), 'kraft-chain-'));
  mkdirSync(join(config, 'chains'));
});
afterEach(() => rmSync(config, { recursive: true, force: true }));

const own = (id: string, text: string): void => writeFileSync(join(config, 'chains', `${id}.yaml`), text);

describe('loadChain', () => {
  test('gives the packaged quick-task', async () => {
    const chain = await loadChain(config, 'quick-task');

    expect(chain.unbuilt).toEqual([]);
    expect(chain.nodes.map((node) => node.id)).toEqual(['implementation', 'verification']);
    expect(listTasks(chain).map(({ task }) => task.path)).toEqual([
      'implementation.main.agent',
      'verification.main.tests',
    ]);
  });

  test('gives the packaged default: implementation, verification with a fix loop, and a gate', async () => {
    const chain = await loadChain(config, 'default');

    expect(chain.unbuilt).toEqual([]);
    expect(chain.nodes.map(({ id, kind }) => [id, kind])).toEqual([
      ['implementation', 'exec'],
      ['verification', 'exec'],
      ['local_review', 'gate'],
    ]);
    expect(listTasks(chain).map(({ task }) => task.path)).toContain('verification.fix_loop.repair');
    expect(chain.nodes[2]).toMatchObject({ rejectTo: 'implementation' });
  });

  test('tells where a part is written that nobody may pass over', async () => {
    own(
      'strict',
      'nodes:\n- id: checks\n  tasks:\n  - id: lint\n    kind: subprocess\n    command: lint\n    skippable: false\n',
    );

    const { unskippable } = await loadChain(config, 'strict');

    expect(unskippable).toEqual([{ part: 'checks.main.lint', file: join(config, 'chains', 'strict.yaml'), line: 7 }]);
    expect((await loadChain(config, 'default')).unskippable).toEqual([]);
  });

  test('prefers a file of the same stem in the configuration', async () => {
    own('quick-task', 'nodes: [{id: only, tasks: [{id: say, kind: subprocess, command: echo hi}]}]');

    expect(await loadChain(config, 'quick-task')).toMatchObject({
      id: 'quick-task',
      nodes: [{ id: 'only', steps: [{ tasks: [{ kind: 'subprocess', path: 'only.main.say', command: 'echo hi' }] }] }],
    });
  });

  test('names the known chains for an unknown one, and never leaves its folder', async () => {
    own('mine', 'nodes: [{id: only, tasks: [{id: say, kind: subprocess, command: echo hi}]}]');
    writeFileSync(join(config, 'secret.yaml'), 'nodes: []');

    await expect(loadChain(config, 'nope')).rejects.toMatchObject({
      code: 'KRAFT_CHAIN_UNKNOWN',
      message: expect.stringContaining('default, mine, quick-task') as string,
    });
    await expect(loadChain(config, '../secret')).rejects.toMatchObject({ code: 'KRAFT_CHAIN_UNKNOWN' });
  });

  test('lists every part that is not built, with its canonical path', async () => {
    own(
      'long',
      `
nodes:
  - id: spec
    steps:
      - id: write
        tasks: [{id: author, kind: agent, skill: x, produces: spec}]
  - {id: approve, kind: gate, artifact: spec}
  - id: land
    fix_loop: {max_attempts: 2, tasks: [{id: repair, kind: agent, policy: {budget_usd: 1}}]}
    policy: {deny_tools: [Bash], sandbox: {kind: docker, image: a}}
    tasks:
      - {id: open, kind: forge, target: mr.open_draft}
      - {id: rebase, kind: builtin, ref: kraft.mr_rebase}
`,
    );

    expect((await loadChain(config, 'long')).unbuilt).toEqual([
      'spec.write.author: skill',
      'spec.write.author: produces',
      'approve: artifact',
      'land.main.open: the forge task mr.open_draft',
      'land.main.rebase: the builtin kraft.mr_rebase',
    ]);
  });

  test('says of a file that is none that it cannot be read', async () => {
    mkdirSync(join(config, 'chains', 'odd.yaml'));

    await expect(loadChain(config, 'odd')).rejects.toMatchObject({ code: 'KRAFT_CHAIN_FILE_UNREADABLE' });
  });

  test('tells every problem of a file at once, each with the key that was meant', async () => {
    own('bad', 'nodes:\n  - id: a\n    taks: []\n  - id: b\n    kind: gate\n    reject_too: a\n');

    const error = await loadChain(config, 'bad').catch((thrown: unknown) => thrown as KraftError);

    const all = error instanceof KraftError ? [error.report, ...error.report.others] : [];
    expect(all.map(({ details, remedy }) => [details['line'], remedy])).toEqual([
      [3, 'Did you mean `tasks`?'],
      [6, 'Did you mean `reject_to`?'],
    ]);
  });

  test.each([
    ['an unknown key', 'nodes:\n  - id: a\n    tasks: [{id: x, kind: agent}]\n    iconn: x\n', 4, /iconn/],
    [
      'both tasks and steps',
      'nodes:\n  - id: a\n    tasks: [{id: x, kind: agent}]\n    steps: [{id: s, tasks: [{id: x, kind: agent}]}]\n',
      2,
      /nodes/,
    ],
    ['a bad node id', 'nodes:\n  - id: A b\n    tasks: [{id: x, kind: agent}]\n', 2, /id/],
    ['an unknown kind', 'nodes:\n  - id: a\n    tasks: [{id: x, kind: magic}]\n', 3, /kind/],
    ['an unknown kind of node', 'nodes:\n  - id: a\n    kind: gatee\n', 3, /nodes\[0\]\.kind must be exec or gate/],
    [
      'a key of an exec node on a gate',
      'nodes:\n  - id: a\n    kind: gate\n    tasks: []\n',
      4,
      /tasks is not known here/,
    ],
    [
      'a builtin that there is not',
      'nodes: [{id: a, tasks: [{id: x, kind: builtin, ref: kraft.x}]}]',
      1,
      /ref must be kraft\./,
    ],
    ['a command that is missing', 'nodes: [{id: a, tasks: [{id: x, kind: subprocess}]}]', 1, /command is missing/],
    [
      'a profile beside a model',
      'nodes: [{id: a, tasks: [{id: x, kind: agent, profile: p, model: m}]}]',
      1,
      /takes `profile`, or `model`/,
    ],
    ['a fix loop that repairs nothing', 'nodes: [{id: a, tasks: [{id: x, kind: agent}], fix_loop: {}}]', 1, /fix_loop/],
    [
      'a wait without a unit',
      'nodes: [{id: a, tasks: [{id: x, kind: forge, target: mr.ci, wait: {polling: {max_interval: 30}}}]}]',
      1,
      /max_interval must be a string/,
    ],
    [
      'an id that stands for a part',
      'nodes: [{id: a, steps: [{id: fix_loop, tasks: [{id: x, kind: agent}]}]}]',
      1,
      /id/,
    ],
    [
      'a task id used twice in a step',
      'nodes:\n  - id: a\n    tasks:\n      - {id: x, kind: agent}\n      - {id: x, kind: agent}\n',
      5,
      /a\.main\.x a name that is used twice, first on line 4/,
    ],
    [
      'a gate that rejects to a later node',
      'nodes:\n  - {id: ok, kind: gate, reject_to: a}\n  - {id: a, tasks: [{id: x, kind: agent}]}\n',
      2,
      /reject_to names a, which is no exec node before this gate/,
    ],
    [
      'a restart from nowhere',
      'nodes: [{id: a, tasks: [{id: x, kind: agent}], on_base_changed: {restart_from: b}}]',
      1,
      /b/,
    ],
    [
      'two sandboxes in one chain (CC 3.1)',
      'policy: {sandbox: {kind: docker, image: one}}\nnodes:\n  - id: a\n    policy: {sandbox: {kind: docker, image: two}}\n    tasks: [{id: x, kind: agent}]\n',
      4,
      /another sandbox than the chain has \(.*bad\.yaml:1\)/,
    ],
    [
      'a number in a policy that is none',
      'policy:\n  max_attempts: 0\nnodes: [{id: a, tasks: [{id: x, kind: agent}]}]',
      2,
      /max/,
    ],
    ['no nodes', 'nodes: []\n', 1, /nodes/],
    [
      'a node id used twice',
      'nodes:\n  - {id: a, tasks: [{id: x, kind: agent}]}\n  - {id: a, tasks: [{id: x, kind: agent}]}\n',
      3,
      /twice/,
    ],
    [
      'an id that is not the stem',
      'id: other\nnodes:\n  - {id: a, tasks: [{id: x, kind: agent}]}\n',
      1,
      /is named bad/,
    ],
    ['what is no YAML', 'nodes: [\n', 2, /./],
  ])('refuses %s with file and line', async (_name, text, line, problem) => {
    own('bad', text);

    await expect(loadChain(config, 'bad')).rejects.toMatchObject({
      code: 'KRAFT_CHAIN_FILE_INVALID',
      message: expect.stringMatching(problem) as string,
      report: { details: { file: join(config, 'chains', 'bad.yaml'), line } },
    });
  });
});
