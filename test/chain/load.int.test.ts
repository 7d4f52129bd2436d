import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadChain } from '../../src/chain/index.ts';

let config: string;
beforeEach(() => {
  config = mkdtempSync(join(tmpdir(), 'kraft-chain-'));
  mkdirSync(join(config, 'chains'));
});
afterEach(() => rmSync(config, { recursive: true, force: true }));

const own = (id: string, text: string): void => writeFileSync(join(config, 'chains', `${id}.yaml`), text);

describe('loadChain', () => {
  test('gives the packaged quick-task, which also answers to default', async () => {
    const chain = await loadChain(config, 'quick-task');

    expect(chain.unbuilt).toEqual([]);
    expect(chain.nodes.map((node) => [node.id, node.tasks.map((task) => task.path)])).toEqual([
      ['implementation', ['implementation.main.agent']],
      ['verification', ['verification.main.tests']],
    ]);
    expect(await loadChain(config, 'default')).toEqual(chain);
  });

  test('prefers a file of the same stem in the configuration', async () => {
    own('quick-task', 'nodes: [{id: only, tasks: [{id: say, kind: subprocess, command: echo hi}]}]');

    expect(await loadChain(config, 'quick-task')).toMatchObject({
      id: 'quick-task',
      nodes: [{ id: 'only', tasks: [{ kind: 'subprocess', path: 'only.main.say', command: 'echo hi' }] }],
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
    fix_loop: {max_attempts: 2}
    tasks:
      - {id: open, kind: forge, target: mr.open_draft}
      - {id: rebase, kind: builtin, ref: kraft.mr_rebase}
`,
    );

    expect((await loadChain(config, 'long')).unbuilt).toEqual([
      'spec.write.author: skill',
      'spec.write.author: produces',
      'approve: a gate',
      'land: fix_loop',
      'land.main.open: the forge task mr.open_draft',
      'land.main.rebase: the builtin kraft.mr_rebase',
    ]);
  });

  test('says of a file that is none that it cannot be read', async () => {
    mkdirSync(join(config, 'chains', 'odd.yaml'));

    await expect(loadChain(config, 'odd')).rejects.toMatchObject({ code: 'KRAFT_CHAIN_FILE_UNREADABLE' });
  });

  test.each([
    ['an unknown key', 'nodes:\n  - id: a\n    tasks: [{id: x, kind: agent}]\n    iconn: x\n', 4, /iconn/],
    ['both tasks and steps', 'nodes:\n  - id: a\n    tasks: []\n    steps: []\n', 2, /nodes/],
    ['a bad node id', 'nodes:\n  - id: A b\n    tasks: [{id: x, kind: agent}]\n', 2, /id/],
    ['an unknown kind', 'nodes:\n  - id: a\n    tasks: [{id: x, kind: magic}]\n', 3, /kind/],
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
