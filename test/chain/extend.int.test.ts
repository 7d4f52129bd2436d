import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readChain } from '../../src/chain/index.ts';

let config: string;
beforeEach(() => {
  config = mkdtempSync(join(tmpdir(), 'kraft-extend-'));
  mkdirSync(join(config, 'chains'));
});
afterEach(() => rmSync(config, { recursive: true, force: true }));

const own = (id: string, text: string): void => writeFileSync(join(config, 'chains', `${id}.yaml`), text);
const nodesOf = async (id: string): Promise<unknown> => (await readChain(config, id)).written.nodes;

describe('extends (CC 6.4)', () => {
  test('merges mappings all the way down and replaces lists and values', async () => {
    own(
      'base',
      `
nodes:
  - id: check
    icon: eye
    tasks: [{id: one, kind: subprocess, command: one}, {id: two, kind: subprocess, command: two}]
    fix_loop: {max_attempts: 2, tasks: [{id: repair, kind: agent, prompt: mend}]}
`,
    );
    own(
      'mine',
      `
nodes:
  - id: verify
    extends: base/check
    tasks: [{id: three, kind: subprocess, command: three}]
    fix_loop: {max_attempts: 5}
`,
    );

    expect(await nodesOf('mine')).toEqual([
      {
        id: 'verify',
        icon: 'eye',
        tasks: [{ id: 'three', kind: 'subprocess', command: 'three' }],
        fix_loop: { max_attempts: 5, tasks: [{ id: 'repair', kind: 'agent', prompt: 'mend' }] },
      },
    ]);
  });

  test('takes a task by its canonical path, through a node that has its tasks from another', async () => {
    own('base', 'nodes: [{id: a, steps: [{id: s, tasks: [{id: t, kind: agent, prompt: p, model: m}]}]}]');
    own(
      'mine',
      'nodes:\n  - {id: b, extends: base/a}\n  - {id: c, tasks: [{id: u, extends: b.s.t, model: n}]}\n  - {id: d, extends: default/implementation}\n',
    );

    expect(await nodesOf('mine')).toMatchObject([
      { id: 'b', steps: [{ id: 's', tasks: [{ id: 't', prompt: 'p', model: 'm' }] }] },
      { id: 'c', tasks: [{ id: 'u', kind: 'agent', prompt: 'p', model: 'n' }] },
      { id: 'd', tasks: [{ id: 'agent', kind: 'agent' }] },
    ]);
  });

  test('writes of tasks take the place of the steps that were extended', async () => {
    own(
      'mine',
      `
nodes:
  - {id: a, steps: [{id: s, tasks: [{id: t, kind: agent}]}]}
  - {id: b, extends: a, tasks: [{id: u, kind: agent}]}
`,
    );

    expect(await nodesOf('mine')).toMatchObject([{ id: 'a' }, { id: 'b', tasks: [{ id: 'u' }] }]);
  });

  test('reads names inside an extended file as that file means them', async () => {
    own('base', 'nodes: [{id: a, tasks: [{id: t, kind: agent, prompt: far}]}, {id: b, extends: a}]');
    own('mine', 'nodes: [{id: a, tasks: [{id: t, kind: agent, prompt: near}]}, {id: c, extends: base/b}]');

    expect(await nodesOf('mine')).toMatchObject([{}, { id: 'c', tasks: [{ prompt: 'far' }] }]);
  });

  const task = 'tasks: [{id: x, kind: agent}]';
  test.each([
    ['itself', `nodes:\n  - {id: a, extends: a}\n`, 2, /circle: bad\/a → bad\/a/],
    [
      'in a circle',
      `nodes:\n  - {id: a, extends: b}\n  - {id: b, extends: a}\n`,
      2,
      /circle: bad\/b → bad\/a → bad\/b/,
    ],
    [
      'a gate as an exec node',
      `nodes:\n  - {id: a, kind: gate}\n  - {id: b, kind: exec, extends: a}\n`,
      3,
      /of kind gate/,
    ],
    [
      'an agent as a subprocess',
      `nodes:\n  - {id: a, ${task}}\n  - {id: b, tasks: [{id: y, kind: subprocess, command: c, extends: a.main.x}]}\n`,
      3,
      /kind is subprocess, but extends names one of kind agent/,
    ],
    ['an unknown chain', `nodes:\n  - {id: a, extends: nope/a}\n`, 2, /the chain nope, which does not exist/],
    ['a path outside', `nodes:\n  - {id: a, extends: ../a}\n`, 2, /extends must be `node`/],
    [
      'a node as a task',
      `nodes:\n  - {id: a, ${task}}\n  - {id: b, tasks: [{id: y, extends: a}]}\n`,
      3,
      /`node\.step\.task`/,
    ],
    ['a number', `nodes:\n  - {id: a, extends: 3}\n`, 2, /extends must be `node`/],
  ])('cannot name %s', async (_name, text, line, problem) => {
    own('bad', text);

    await expect(readChain(config, 'bad')).rejects.toMatchObject({
      code: 'KRAFT_CHAIN_FILE_INVALID',
      message: expect.stringMatching(problem) as string,
      report: { details: { line } },
    });
  });

  test('offers the node that was meant', async () => {
    own('bad', `nodes:\n  - {id: verify, ${task}}\n  - {id: b, extends: verifi}\n`);

    await expect(readChain(config, 'bad')).rejects.toMatchObject({ remedy: 'Did you mean `verify`?' });
  });

  test('tells a fault of an extended part in the file in which it stands', async () => {
    own('base', 'nodes:\n  - id: a\n    tasks:\n      - {id: t, kind: agent, promt: p}\n');
    own('mine', 'nodes: [{id: b, extends: base/a}]');

    await expect(readChain(config, 'mine')).rejects.toMatchObject({
      remedy: 'Did you mean `prompt`?',
      report: { details: { file: join(config, 'chains', 'base.yaml'), line: 4 } },
    });
  });
});
