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

test.each<{ name: string; of: Chain; at?: [node: string, path: string | null]; read: boolean }>([
  { name: 'an item that has not begun', of: chain(exec('build', { main: 'agent' })), read: true },
  {
    name: 'an agent later on',
    of: chain(exec('build', { main: 'subprocess' }), exec('more', { main: 'agent' })),
    at: ['build', null],
    read: true,
  },
  {
    name: 'no agent any more',
    of: chain(exec('build', { main: 'agent' }), exec('check', { main: 'subprocess' })),
    at: ['check', null],
    read: false,
  },
  {
    name: 'an agent that mends what fails',
    of: chain(exec('check', { main: 'subprocess' }, repair)),
    at: ['check', null],
    read: true,
  },
  {
    name: 'an agent before where its node is entered',
    of: chain(exec('build', { a: 'agent', b: 'subprocess' })),
    at: ['build', 'build.b'],
    read: false,
  },
  {
    name: 'an agent where its node is entered',
    of: chain(exec('build', { a: 'subprocess', b: 'agent' })),
    at: ['build', 'build.b'],
    read: true,
  },
])('$name: whether somebody would read the words', ({ of, at, read }) => {
  expect(hasAgentAhead(of, { nextNode: at?.[0] ?? null, enterAt: at?.[1] ?? null })).toBe(read);
});
