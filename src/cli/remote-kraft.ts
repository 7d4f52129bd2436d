import type { EventRow } from '../events/index.ts';
import type {
  Board,
  Diff,
  EgressView,
  Health,
  PublicItem,
  ItemView,
  Kraft,
  LogChunk,
  DoctorReport,
  LaunchPlan,
  PublicRepo,
  ResumeOptions,
  RetryOptions,
  SkipRequest,
  StorageReport,
} from '../compose/index.ts';
import { findPaths, openDaemonClient, socketName, type DaemonClient } from '../daemon-client/index.ts';
import type { Io } from './command.ts';
import { createRemoteReviews } from './remote-reviews.ts';

/** The facade as the command line has it: the daemon's, over its socket. */
export type RemoteKraft = Omit<Kraft, 'pauseAll' | 'runningSessionCount' | 'worker' | typeof Symbol.asyncDispose>;

/** The client of the daemon that serves the home of this environment. Connects when it is first asked. */
export function openClient(io: Io): DaemonClient {
  const paths = findPaths(io);
  return openDaemonClient({ socketPath: `${paths.run}/${socketName}`, version: io.version });
}

/** The facade behind that client. Errors of each call: DAEMON_NOT_RUNNING, DAEMON_PROTOCOL, the daemon's own. */
export function openRemoteKraft(io: Io): RemoteKraft {
  return createRemoteKraft(openClient(io));
}

/** What looks at every file that items hold may take minutes. */
const filesTimeoutMs = 10 * 60_000;

/** Spells every call of the facade as a request. */
export function createRemoteKraft(client: DaemonClient): RemoteKraft {
  const verb = (name: string) => (id: string) => client.send<ItemView>('itemVerb', { params: { id, verb: name } });
  return {
    health: (query) => client.send<Health>('health', { query: { ...query } }),
    createItem: (request) => client.send<ItemView>('createItem', { body: request }),
    startItem: verb('start'),
    pauseItem: verb('pause'),
    resumeItem: (id, options) => sendVerb(client, { id, verb: 'resume' }, options),
    retryItem: (id, options) => sendVerb(client, { id, verb: 'retry' }, options),
    skipItem: (id, request) => sendVerb(client, { id, verb: 'skip' }, request),
    abandonItem: verb('abandon'),
    archiveItem: (id, body) =>
      client.send<ItemView>('itemVerb', { params: { id, verb: 'archive' }, body, timeoutMs: filesTimeoutMs }),
    storage: () => client.send<StorageReport>('storage', { timeoutMs: filesTimeoutMs }),
    ...createRemoteReviews(client),
    showItem: (id) => client.send<ItemView>('item', { params: { id } }),
    listItems: (query) => client.send<readonly PublicItem[]>('items', { query }),
    board: (query) => client.send<Board>('board', { query }),
    events: ({ itemId, type, afterSeq, limit }) => sendEvents(client, itemId, { type, after_seq: afterSeq, limit }),
    followEvents: ({ itemId, type, afterSeq, waitMs }) =>
      sendEvents(client, itemId, { type, after_seq: afterSeq, waitMs }),
    readLog: ({ itemId, sessionId, offset, tailLines, waitMs }) =>
      client.send<LogChunk>('itemLog', {
        params: { id: itemId },
        query: { session: sessionId, offset, tailLines, waitMs },
      }),
    diff: ({ itemId, ...query }) => client.send<Diff>('itemDiff', { params: { id: itemId }, query }),
    egress: ({ itemId }) => client.send<EgressView>('itemEgress', { params: { id: itemId } }),
    prompt: async (id) => (await client.send<{ prompt: string }>('itemPrompt', { params: { id } })).prompt,
    plan: (id) => client.send<LaunchPlan>('itemPlan', { params: { id } }),
    repos: () => client.send<readonly PublicRepo[]>('repos'),
    // It starts containers on every connected repository.
    doctor: () => client.send<DoctorReport>('doctor', { timeoutMs: 15 * 60_000 }),
  };
}

function sendVerb(
  client: DaemonClient,
  params: { readonly id: string; readonly verb: string },
  body: ResumeOptions | RetryOptions | SkipRequest,
): Promise<ItemView> {
  return client.send<ItemView>('itemVerb', { params, body });
}

function sendEvents(
  client: DaemonClient,
  itemId: string | null,
  query: Readonly<Record<string, string | number | null>>,
): Promise<readonly EventRow[]> {
  return itemId === null
    ? client.send<readonly EventRow[]>('events', { query })
    : client.send<readonly EventRow[]>('itemEvents', { params: { id: itemId }, query });
}
