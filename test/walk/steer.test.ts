import { expect, test } from 'vitest';
import type { Chain, ChainNode, ChainTask } from '../../src/chain/index.ts';
import { hasAgentAhead } from '../../src/walk/steer.ts';

const part = (path: string): { path: string; policy: []; skippable: true } => ({ path, policy: [], skippable: true });
const task = (path: string, kind: 'agent' | 'subprocess'): ChainTask =>
  ({ ...part(path), kind, command: 'true', onFailure: [] }) as unknown as ChainTask;
const exec = (id: string, steps: Record<string, 'agent' | 'subprocess'>, more: object = {}): ChainNode =>
  ({
    ...part(id),
    id,
    kind: 'exec',
    steps: Object.entries(steps).map(([step, kind]) => ({
      ...part(`${id}.${step}`),
      id: step,
      tasks: [task(`${id}.${step}.t`, kind)],
      onFailure: [],
    })),
    onFailure: [],
    fixLoop: null,
    ...more,
  }) as unknown as ChainNode;
const repair = {
  fixLoop: { steps: [{ path: 'check.fix_loop', tasks: [task('check.fix_loop.r', 'agent')] }], judge: null },
};
const chain = (...nodes: ChainNode[]): Chain => ({ nodes }) as unknown as Chain;

test.each<[string, Chain, string | null, string | null, boolean]>([
  ['an item that has not begun', chain(exec('build', { main: 'agent' })), null, null, true],
  [
    'an agent later on',
    chain(exec('build', { main: 'subprocess' }), exec('more', { main: 'agent' })),
    'build',
    null,
    true,
  ],
  [
    'no agent any more',
    chain(exec('build', { main: 'agent' }), exec('check', { main: 'subprocess' })),
    'check',
    null,
    false,
  ],
  ['an agent that mends what fails', chain(exec('check', { main: 'subprocess' }, repair)), 'check', null, true],
  [
    'an agent before where its node is entered',
    chain(exec('build', { a: 'agent', b: 'subprocess' })),
    'build',
    'build.b',
    false,
  ],
  [
    'an agent where its node is entered',
    chain(exec('build', { a: 'subprocess', b: 'agent' })),
    'build',
    'build.b',
    true,
  ],
])('%s: whether somebody would read the words', (_, nodes, nextNode, enterAt, expected) => {
  expect(hasAgentAhead(nodes, { nextNode, enterAt })).toBe(expected);
});
