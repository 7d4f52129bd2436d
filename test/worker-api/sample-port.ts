import type { EventRow } from '../../src/events/index.ts';
import type { ThreadView, WorkerCalls, WorkerItemView } from '../../src/items/index.ts';
import type { KraftAnswer, KraftRequest } from '../../src/egress/index.ts';

export const who = { itemId: 'k7mqabcd', sessionId: 's2345678901234567890' } as const;

export const thread: ThreadView = {
  id: 'tabcdefg',
  itemId: who.itemId,
  file: 'src/basket.ts',
  line: 7,
  status: 'open',
  draft: false,
  createdAt: '2026-07-01T10:00:00.000Z',
  updatedAt: '2026-07-01T10:00:00.000Z',
  comments: [{ author: 'human', body: 'Why?', claim: null, createdAt: '2026-07-01T10:00:00.000Z' }],
};

export const events: readonly EventRow[] = [
  {
    type: 'plan_progress',
    payload: { node_id: 'main', task: 2, total: null, title: null },
    seq: 5,
    work_item_id: who.itemId,
    node_id: 'main',
    created_at: '2026-07-01T10:00:00.000Z',
  },
  {
    type: 'work_item_needs_human',
    payload: {
      kind: 'config',
      code: null,
      reason: 'The repository /home/ada/shop is gone.',
      remedy: '',
      session_id: null,
      facts: {},
    },
    seq: 6,
    work_item_id: who.itemId,
    node_id: null,
    created_at: '2026-07-01T10:00:01.000Z',
  },
];

export type Call = readonly [name: string, ...parameters: unknown[]];

/** A port that records what it is asked; `changes` takes the place of single calls. */
export function samplePort(changes: Partial<WorkerCalls> = {}): { readonly port: WorkerCalls; readonly calls: Call[] } {
  const calls: Call[] = [];
  const record = <T>(name: string, parameters: readonly unknown[], answer: T): Promise<T> => {
    calls.push([name, ...parameters]);
    return Promise.resolve(answer);
  };
  const port: WorkerCalls = {
    progress: (...asked) => record('progress', asked, undefined),
    reply: (...asked) => record('reply', asked, thread),
    retry: (...asked) => record('retry', asked, undefined),
    show: (...asked) => {
      const item: WorkerItemView & { readonly worktree: string } = {
        id: who.itemId,
        title: 'Mend it',
        description: 'All of it',
        status: 'active',
        node: 'main',
        branch: 'kraft/mend-it',
        attempt: 1,
        note: null,
        planTask: 2,
        worktree: '/home/ada/.kraft/run/worktrees/k',
      };
      return record('show', asked, item);
    },
    threads: (...asked) => record('threads', asked, [thread]),
    events: (...asked) => record('events', asked, events),
    ...changes,
  };
  return { port, calls };
}

export function request(
  method: string,
  target: string,
  body = '',
  headers: KraftRequest['headers'] = {},
): KraftRequest {
  return { method, target, headers, body: Buffer.from(body) };
}

export function form(verb: string, body: string): KraftRequest {
  return request('POST', `/w/${verb}`, body, { 'content-type': 'application/x-www-form-urlencoded' });
}

export function json(target: string, body: unknown): KraftRequest {
  return request('POST', target, JSON.stringify(body), { 'content-type': 'application/json' });
}

/** The answer's payload; fails on a refusal. */
export function payloadOf(answer: KraftAnswer): Record<string, unknown> {
  if (answer.kind === 'refused') throw new Error(`refused: ${answer.route} ${answer.reason}`);
  return JSON.parse(answer.body) as Record<string, unknown>;
}
