import type { Clock } from '../base/index.ts';
import type { HomePaths, ResolvedRepo } from '../config/index.ts';
import { protocolVersion } from '../daemon-client/index.ts';
import type { Doctor } from '../doctor/index.ts';
import { gitErrors, type Git, type Repository } from '../git/index.ts';
import type { Store } from '../store/index.ts';
import type { Walker } from '../walk/index.ts';
import { findRepo } from './find-repo.ts';
import { followEvents } from './follow-events.ts';
import { readItemView } from './item-view.ts';
import type { Health, HealthQuery, ItemView, Kraft, PublicRepo } from './kraft.ts';
import type { Loaders } from './open-loaders.ts';
import { listPublicItems, readBoard } from './list-items.ts';
import { readDiff } from './read-diff.ts';
import { readEgress, type EgressEdges } from './read-egress.ts';
import { createReviewKraft } from './review-kraft.ts';
import { readLog } from './read-log.ts';

/** Everything behind the facade, opened. */
export interface Edges {
  readonly paths: HomePaths;
  readonly version: string;
  readonly store: Store;
  readonly git: Git;
  readonly walker: Walker;
  readonly doctor: Doctor;
  readonly loaders: Loaders;
  readonly clock: Clock;
  /** UTC RFC 3339. */
  readonly startedAt: string;
  /** Why the daemon is not all well; empty when it is. Called for each request of health. */
  readonly reasons: () => Promise<readonly string[]>;
  /** Closes what was opened, in order. */
  readonly close: () => Promise<void>;
}

/** The facade over opened edges: wiring alone. */
export function createKraft(edges: Edges): Kraft {
  const { store, git, walker, loaders } = edges;
  const findRepository = (path: string): Promise<Repository> => openRepository(git, path);
  const view = async (id: string): Promise<ItemView> =>
    readItemView({ store, git, findRepository }, await walker.find(id));
  const act = (verb: 'start' | 'pause' | 'abandon') => async (id: string) => view((await walker[verb](id)).id);
  const idOf = async (itemId: string | null): Promise<string | null> =>
    itemId === null ? null : (await walker.find(itemId)).id;
  return {
    health: (query) => readHealth(edges, query),
    createItem: async (request) => {
      const repo = findRepo(request.repo, (await loaders.repos()).repos);
      return view((await walker.file({ ...request, repo: repo.path })).id);
    },
    startItem: act('start'),
    pauseItem: act('pause'),
    resumeItem: async (id, options) => view((await walker.resume(id, options)).id),
    retryItem: async (id, options) => view((await walker.retry(id, options)).id),
    skipItem: async (id, request) => view((await walker.skip(id, request)).id),
    abandonItem: act('abandon'),
    archiveItem: async (id, options) => view((await walker.archive(id, options)).id),
    storage: () => walker.storage(),
    ...createReviewKraft(walker, view),
    showItem: view,
    listItems: async (query) =>
      listPublicItems(store, query.repo === null ? null : await findListedRepo(edges, query.repo), query),
    board: async ({ repo }) => readBoard(store, repo === null ? null : await findListedRepo(edges, repo)),
    events: async (query) => store.events({ ...query, itemId: await idOf(query.itemId) }),
    followEvents: async (query) => followEvents(store, { ...query, itemId: await idOf(query.itemId) }),
    readLog: async (query) => readLog(store, { ...query, itemId: (await walker.find(query.itemId)).id }),
    diff: async (query) => readDiff({ git, findRepository }, await walker.find(query.itemId), query),
    egress: async ({ itemId }) =>
      readEgress({ store, runDir: edges.paths.run, readLog: readDecisions }, await walker.find(itemId)),
    prompt: (itemId) => walker.prompt(itemId),
    plan: (itemId) => walker.plan(itemId),
    repos: async () => (await loaders.repos()).repos.map(toPublicRepo),
    doctor: () => edges.doctor.run(),
    pauseAll: () => walker.pauseAll(),
    runningSessionCount: () => walker.runningSessionCount(),
    [Symbol.asyncDispose]: () => edges.close(),
  };
}

const readDecisions: EgressEdges['readLog'] = async (path) => (await import('../egress/index.ts')).readEgressLog(path);

/** The entry without the values of its `env`. */
export function toPublicRepo(repo: ResolvedRepo): PublicRepo {
  const { env, ...rest } = repo;
  return { ...rest, envNames: Object.keys(env) };
}

async function readHealth(edges: Edges, query: HealthQuery): Promise<Health> {
  const [active, sessions, reasons] = await Promise.all([
    edges.store.listItems({ repo: null, statuses: ['active'] }),
    edges.walker.runningSessionCount(),
    query.reasons ? edges.reasons() : [],
  ]);
  return {
    status: reasons.length === 0 ? 'ok' : 'degraded',
    reasons,
    version: edges.version,
    protocol: protocolVersion,
    pid: process.pid,
    home: edges.paths.home,
    runDir: edges.paths.run,
    startedAt: edges.startedAt,
    activeItems: active.length,
    runningSessions: sessions,
  };
}

/** Items outlive the entry of their repository: what is no longer connected is taken as the path that it was. */
async function findListedRepo({ loaders }: Edges, named: string): Promise<string> {
  const { repos } = await loaders.repos();
  const known = repos.some(({ path, label }) => label === named || path === named || named.startsWith(`${path}/`));
  return known ? findRepo(named, repos).path : named;
}

async function openRepository(git: Git, path: string): Promise<Repository> {
  const { repository, problem } = await git.probeRepository(path);
  if (repository !== null) return repository;
  throw problem ?? gitErrors.create('NOT_A_REPOSITORY', { path, why: 'no git directory was found' });
}
