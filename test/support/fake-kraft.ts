import { EventEmitter, once } from 'node:events';
import type { EventRow } from '../../src/events/index.ts';
import { itemErrors } from '../../src/items/index.ts';
import type {
  Diff,
  EgressView,
  ItemView,
  Kraft,
  LogChunk,
  PublicItem,
  StorageReport,
  ThreadView,
} from '../../src/compose/index.ts';
import { toPublicItem } from '../../src/compose/item-view.ts';
import { sampleItem, sampleSession } from './sample-item.ts';

/** An item as front doors show it. */
export function samplePublicItem(overrides: Partial<PublicItem> = {}): PublicItem {
  return { ...toPublicItem(sampleItem()), ...overrides };
}

/** One event of the sample item. */
export function sampleEvent(seq: number): EventRow {
  return {
    type: 'node_started',
    payload: { node_id: 'implementation' },
    seq,
    work_item_id: 'abcd2345',
    node_id: 'implementation',
    created_at: '2026-01-02T03:04:05.678Z',
  };
}

/** A facade over a few facts in memory, for tests of what serves it or asks it. `calls` holds each call with its argument. */
export class FakeKraft implements Kraft {
  readonly calls: (readonly [name: string, argument: unknown])[] = [];
  readonly news = new EventEmitter();
  items: PublicItem[] = [samplePublicItem()];
  rows: EventRow[] = [];
  thread: ThreadView = {
    id: 'thr22222',
    itemId: 'abcd2345',
    file: 'src/a.ts',
    line: 7,
    status: 'open',
    draft: true,
    createdAt: '2026-01-02T03:04:05.678Z',
    updatedAt: '2026-01-02T03:04:05.678Z',
    comments: [{ author: 'human', body: 'Why?', claim: null, createdAt: '2026-01-02T03:04:05.678Z' }],
  };
  protocol = 1;
  sessions = 0;
  log: LogChunk = {
    sessionId: 's1',
    text: 'one\ntwo\n',
    startOffset: 0,
    nextOffset: 8,
    sizeBytes: 8,
    ended: true,
    shortened: false,
    droppedBytes: 0,
  };
  diffAnswer: Diff = {
    text: '',
    truncated: false,
    command: null,
    untracked: [],
    untrackedCount: 0,
    untrackedProblem: null,
  };

  #note<T>(name: string, argument: unknown, value: T): Promise<T> {
    this.calls.push([name, argument]);
    return Promise.resolve(value);
  }

  #view(id: string): ItemView {
    const item = this.items.find((each) => each.id.startsWith(id));
    if (item === undefined) throw itemErrors.create('ITEM_UNKNOWN', { id });
    const next = item.status === 'paused' ? `kraft item start ${item.id}` : null;
    return {
      item,
      sessions: [sampleSession()],
      nodes: [],
      spend: null,
      openThreads: 0,
      commits: [],
      mergeCommand: null,
      nextCommand: next,
    };
  }

  async #act(name: string, id: string, changes: Partial<PublicItem>, said: unknown = id): Promise<ItemView> {
    const { item } = this.#view(id);
    this.items = this.items.map((each) => (each === item ? { ...each, ...changes } : each));
    return this.#note(name, said, this.#view(id));
  }

  health: Kraft['health'] = () =>
    this.#note('health', null, {
      status: 'ok',
      reasons: [],
      version: '0.0.0-fake',
      protocol: this.protocol,
      pid: process.pid,
      home: '/home',
      runDir: '/home/run',
      startedAt: '2026-01-02T03:04:05.678Z',
      activeItems: 0,
      runningSessions: this.sessions,
    });
  createItem: Kraft['createItem'] = (request) => {
    this.items = [...this.items, samplePublicItem({ id: 'new22222', title: request.title })];
    return this.#note('createItem', request, this.#view('new22222'));
  };
  startItem: Kraft['startItem'] = (id) => this.#act('startItem', id, { status: 'active', started: true });
  pauseItem: Kraft['pauseItem'] = (id) => this.#act('pauseItem', id, { status: 'paused' });
  resumeItem: Kraft['resumeItem'] = (id, options) =>
    this.#act('resumeItem', id, { status: 'active' }, { id, ...options });
  retryItem: Kraft['retryItem'] = (id, options) => this.#act('retryItem', id, { status: 'active' }, { id, ...options });
  abandonItem: Kraft['abandonItem'] = (id) => this.#act('abandonItem', id, { status: 'abandoned' });
  skipItem: Kraft['skipItem'] = (id, request) => this.#act('skipItem', id, { status: 'active' }, { id, ...request });
  archiveItem: Kraft['archiveItem'] = (id, options) =>
    this.#act('archiveItem', id, { status: 'completed', archivedAt: '2026-01-03T03:04:05.678Z' }, { id, ...options });
  stored: StorageReport = { items: [], strays: [], totalBytes: 0, isPartial: false };
  storage: Kraft['storage'] = () => this.#note('storage', null, this.stored);
  approveGate: Kraft['approveGate'] = ({ itemId, ...rest }) =>
    this.#note('approveGate', rest, null).then(() => this.#act('approveGate', itemId, { status: 'active' }));
  rejectGate: Kraft['rejectGate'] = ({ itemId, ...rest }) =>
    this.#note('rejectGate', rest, null).then(() => this.#act('rejectGate', itemId, { status: 'active' }));
  reviewItem: Kraft['reviewItem'] = (review) =>
    this.#note('reviewItem', review, {
      reviewId: 'rev22222',
      threads: ['thr22222'],
      reply_agent: false,
      event: { type: 'reply_agent_skipped', payload: { gate: null, reason: 'no_route' } },
      view: this.#view(review.itemId),
    });
  commentItem: Kraft['commentItem'] = (comment) => this.#note('commentItem', comment, this.thread);
  replyThread: Kraft['replyThread'] = (reply) => this.#note('replyThread', reply, this.thread);
  setThread: Kraft['setThread'] = (change) =>
    this.#note('setThread', change, { ...this.thread, status: change.status });
  threads: Kraft['threads'] = (query) => this.#note('threads', query, [this.thread]);
  worker: Kraft['worker'] = {
    progress: (_, task) => this.#note('worker.progress', task, undefined),
    reply: (_, reply) => this.#note('worker.reply', reply, this.thread),
    show: () => Promise.reject(new TypeError('a fault of the fake')),
    threads: () => this.#note('worker.threads', null, [this.thread]),
    retry: () => this.#note('worker.retry', null, undefined),
    events: () => this.#note('worker.events', null, []),
  };
  showItem: Kraft['showItem'] = (id) => {
    this.calls.push(['showItem', id]);
    return Promise.resolve().then(() => this.#view(id));
  };
  listItems: Kraft['listItems'] = (filter) => this.#note('listItems', filter, this.items);
  board: Kraft['board'] = (query) =>
    this.#note('board', query, {
      seq: this.rows.at(-1)?.seq ?? 0,
      items: this.items.map((item) => ({ item, sessions: [], lastEvent: this.rows.at(-1) ?? null, spend: null })),
    });
  events: Kraft['events'] = (query) =>
    this.#note('events', query, this.rows.filter((row) => row.seq > query.afterSeq).slice(0, query.limit));
  followEvents: Kraft['followEvents'] = async (query) => {
    this.calls.push(['followEvents', query]);
    const after = (): EventRow[] => this.rows.filter((row) => row.seq > query.afterSeq);
    if (after().length === 0) {
      await once(this.news, 'rows', { signal: AbortSignal.timeout(query.waitMs) }).catch(() => undefined);
    }
    return after();
  };
  readLog: Kraft['readLog'] = (query) => this.#note('readLog', query, this.log);
  diff: Kraft['diff'] = (query) => this.#note('diff', query, this.diffAnswer);
  egressAnswer: EgressView = { itemId: 'abcd2345', sessions: [], suggestions: [] };
  egress: Kraft['egress'] = (query) => this.#note('egress', query, this.egressAnswer);
  prompt: Kraft['prompt'] = (id) => this.#note('prompt', id, 'Do the task.');
  plan: Kraft['plan'] = (id) => {
    this.calls.push(['plan', id]);
    return Promise.reject(new TypeError('a fault of the fake'));
  };
  repos: Kraft['repos'] = () => this.#note('repos', null, []);
  doctor: Kraft['doctor'] = () =>
    this.#note('doctor', null, {
      ok: false,
      rows: [{ name: 'engine', outcome: 'fail', detail: 'none', remedy: 'Start one.', errors: [] }],
    });
  pauseAll: Kraft['pauseAll'] = () => this.#note('pauseAll', null, 2);
  runningSessionCount: Kraft['runningSessionCount'] = () => Promise.resolve(this.sessions);
  [Symbol.asyncDispose](): Promise<void> {
    return this.#note('dispose', null, undefined);
  }
}
