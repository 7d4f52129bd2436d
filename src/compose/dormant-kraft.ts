import type { Log } from '../base/index.ts';
import type { HomePaths } from '../config/index.ts';
import { protocolVersion } from '../daemon-client/index.ts';
import { pickByPrefix } from '../items/index.ts';
import type { Store } from '../store/index.ts';
import { followEvents } from './follow-events.ts';
import { listPublicItems, readBoard } from './list-items.ts';
import type { Health, Kraft } from './kraft.ts';
import { dormantReviewKraft } from './review-kraft.ts';

export interface DormantEdges {
  readonly store: Store;
  readonly paths: HomePaths;
  readonly version: string;
  /** UTC RFC 3339. */
  readonly startedAt: string;
  /** Opens engines, git and the walker; the facade that it gives owns the store from then on. */
  readonly wake: () => Promise<Kraft>;
  readonly log: Log;
}

/**
 * The facade over a home in which nothing is on its way: the database answers what it can, and the first call that needs
 * more wakes the whole. A wake that fails is tried again by the next call.
 */
export function createDormantKraft(edges: DormantEdges): Kraft {
  const { store } = edges;
  let awake: Promise<Kraft> | null = null;
  const whole = (): Promise<Kraft> => {
    awake ??= edges.wake().catch((error: unknown) => {
      awake = null;
      throw error;
    });
    return awake;
  };
  const idOf = async (id: string | null): Promise<string | null> =>
    id === null ? null : pickByPrefix(id, await store.findItems(id)).id;
  return {
    health: async (query) => (query.reasons || awake !== null ? (await whole()).health(query) : readHealth(edges)),
    createItem: async (request) => (await whole()).createItem(request),
    startItem: async (id) => (await whole()).startItem(id),
    pauseItem: async (id) => (await whole()).pauseItem(id),
    resumeItem: async (id, options) => (await whole()).resumeItem(id, options),
    retryItem: async (id, options) => (await whole()).retryItem(id, options),
    skipItem: async (id, request) => (await whole()).skipItem(id, request),
    abandonItem: async (id) => (await whole()).abandonItem(id),
    archiveItem: async (id, options) => (await whole()).archiveItem(id, options),
    storage: async () => (await whole()).storage(),
    ...dormantReviewKraft(whole),
    showItem: async (id) => (await whole()).showItem(id),
    listItems: async (query) =>
      query.repo === null ? listPublicItems(store, null, query) : (await whole()).listItems(query),
    board: async (query) => (query.repo === null ? readBoard(store, null) : (await whole()).board(query)),
    events: async (query) => store.events({ ...query, itemId: await idOf(query.itemId) }),
    followEvents: async (query) => followEvents(store, { ...query, itemId: await idOf(query.itemId) }),
    readLog: async (query) => (await whole()).readLog(query),
    diff: async (query) => (await whole()).diff(query),
    egress: async (query) => (await whole()).egress(query),
    prompt: async (id) => (await whole()).prompt(id),
    plan: async (id) => (await whole()).plan(id),
    repos: async () => (await whole()).repos(),
    doctor: async () => (await whole()).doctor(),
    pauseAll: async () => (awake === null ? 0 : (await awake).pauseAll()),
    runningSessionCount: async () => (awake === null ? 0 : (await awake).runningSessionCount()),
    [Symbol.asyncDispose]: async () => {
      const opened = awake === null ? null : await awake.catch(() => null);
      await (opened ?? store)[Symbol.asyncDispose]();
    },
  };
}

function readHealth({ paths, version, startedAt }: DormantEdges): Health {
  return {
    status: 'ok',
    reasons: [],
    version,
    protocol: protocolVersion,
    pid: process.pid,
    home: paths.home,
    runDir: paths.run,
    startedAt,
    activeItems: 0,
    runningSessions: 0,
  };
}
