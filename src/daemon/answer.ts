import type { Kraft } from '../compose/index.ts';
import type { RouteName, StopAnswer } from '../daemon-client/index.ts';
import { readChoice, readNumber, readWaitMs, type RoutedRequest } from './request.ts';

/** What a handler may use. */
export interface AnswerContext {
  readonly kraft: Kraft;
  /** Ends the daemon once the answer is on its way. */
  readonly stop: () => void;
}

type Answer = (request: RoutedRequest, context: AnswerContext) => Promise<unknown>;

const seqMax = Number.MAX_SAFE_INTEGER;

/** One handler per route: parse, one call of the facade, answer. */
export const answers: Readonly<Record<RouteName, Answer>> = {
  health: ({ query }, { kraft }) => kraft.health({ reasons: query.get('reasons') === 'true' }),
  stop: async ({ body }, { kraft, stop }) => {
    const pause = body !== null && (await import('./parse-body.ts')).parseStop(body).pause;
    const paused = pause ? await kraft.pauseAll() : 0;
    const answer: StopAnswer = { pid: process.pid, paused, leftRunning: await kraft.runningSessionCount() };
    stop();
    return answer;
  },
  items: ({ query }, { kraft }) =>
    kraft.listItems({
      repo: query.get('repo'),
      includeAbandoned: query.get('includeAbandoned') === 'true',
      includeArchived: query.get('includeArchived') === 'true',
    }),
  createItem: async ({ body }, { kraft }) => kraft.createItem((await import('./parse-body.ts')).parseCreateItem(body)),
  item: ({ params }, { kraft }) => kraft.showItem(idOf(params)),
  board: ({ query }, { kraft }) => kraft.board({ repo: query.get('repo') }),
  itemEvents: (request, context) => readEvents(request, context.kraft, idOf(request.params)),
  events: (request, context) => readEvents(request, context.kraft, null),
  itemLog: ({ params, query }, { kraft }) =>
    kraft.readLog({
      itemId: idOf(params),
      sessionId: query.get('session'),
      offset: readNumber(query, 'offset', { fallback: 0, max: seqMax }),
      tailLines: query.has('tailLines') ? readNumber(query, 'tailLines', { fallback: 0, max: seqMax }) : null,
      waitMs: readWaitMs(query),
    }),
  itemDiff: ({ params, query }, { kraft }) =>
    kraft.diff({
      itemId: idOf(params),
      format: readChoice(query.get('format') ?? 'patch', ['patch', 'stat', 'name-only'], 'format'),
      ignoreWhitespace: query.get('ignoreWhitespace') === 'true',
    }),
  itemEgress: ({ params }, { kraft }) => kraft.egress({ itemId: idOf(params) }),
  itemPrompt: async ({ params }, { kraft }) => ({ prompt: await kraft.prompt(idOf(params)) }),
  itemPlan: ({ params }, { kraft }) => kraft.plan(idOf(params)),
  itemGate: (request, { kraft }) => answerGate(request, kraft),
  itemThreads: ({ params, query }, { kraft }) =>
    kraft.threads({ itemId: idOf(params), openOnly: query.get('open') === 'true' }),
  itemComment: async ({ params, body }, { kraft }) =>
    kraft.commentItem({ itemId: idOf(params), ...(await import('./parse-body.ts')).parseComment(body) }),
  threadReply: async ({ params, body }, { kraft }) =>
    kraft.replyThread({ threadId: params['thread'] ?? '', ...(await import('./parse-body.ts')).parseReply(body) }),
  threadChange: ({ params }, { kraft }) => {
    const change = readChoice(params['change'] ?? null, ['resolve', 'reopen'], 'change');
    return kraft.setThread({ threadId: params['thread'] ?? '', status: change === 'resolve' ? 'resolved' : 'open' });
  },
  itemVerb: (request, { kraft }) => askVerb(request, kraft),
  storage: (_, { kraft }) => kraft.storage(),
  repos: (_, { kraft }) => kraft.repos(),
  doctor: (_, { kraft }) => kraft.doctor(),
};

async function answerGate({ params, body }: RoutedRequest, kraft: Kraft): Promise<unknown> {
  const answer = readChoice(params['answer'] ?? null, ['approve', 'reject', 'review'], 'answer');
  const parse = await import('./parse-body.ts');
  const gate = params['gate'] === '-' ? null : (params['gate'] ?? null);
  const at = { itemId: idOf(params), gate };
  switch (answer) {
    case 'approve':
      return kraft.approveGate({ ...at, ...parse.parseApproval(body) });
    case 'reject':
      return kraft.rejectGate({ ...at, ...parse.parseRejection(body) });
    case 'review':
      return kraft.reviewItem({ ...at, ...parse.parseReview(body) });
  }
}

const verbs = ['start', 'pause', 'resume', 'retry', 'skip', 'abandon', 'archive'] as const;

async function askVerb({ params, body }: RoutedRequest, kraft: Kraft): Promise<unknown> {
  const verb = readChoice(params['verb'] ?? null, verbs, 'verb');
  const id = idOf(params);
  if (verb === 'start' || verb === 'pause' || verb === 'abandon') return kraft[`${verb}Item`](id);
  const parse = await import('./parse-body.ts');
  switch (verb) {
    case 'resume':
      return kraft.resumeItem(id, parse.parseResume(body));
    case 'retry':
      return kraft.retryItem(id, parse.parseRetry(body));
    case 'skip':
      return kraft.skipItem(id, parse.parseSkip(body));
    case 'archive':
      return kraft.archiveItem(id, parse.parseArchive(body));
  }
}

function readEvents({ query }: RoutedRequest, kraft: Kraft, itemId: string | null): Promise<unknown> {
  const type = query.get('type');
  const afterSeq = readNumber(query, 'after_seq', { fallback: 0, max: seqMax });
  const waitMs = readWaitMs(query);
  if (waitMs > 0) return kraft.followEvents({ itemId, type, afterSeq, waitMs });
  const limit = Math.max(1, readNumber(query, 'limit', { fallback: 500, max: 500 }));
  return kraft.events({ itemId, type, afterSeq, limit });
}

function idOf(params: Readonly<Record<string, string>>): string {
  return params['id'] ?? '';
}
