import { safeLine } from '../base/index.ts';
import type { Claim, WorkerIdentity } from '../items/index.ts';
import { invalid, readForm, readJson, readText, type Fields } from './read-fields.ts';
import type { KraftAnswer, KraftRequest } from '../egress/index.ts';

/** What a worker asks, understood. */
export type WorkerCall =
  | { readonly verb: 'progress'; readonly task: number }
  | { readonly verb: 'reply'; readonly thread: string; readonly body: string; readonly claim: Claim | null }
  | { readonly verb: 'retry'; readonly steer: string | null }
  | { readonly verb: 'show' }
  | { readonly verb: 'threads'; readonly openOnly: boolean }
  | { readonly verb: 'events'; readonly afterSeq: number; readonly type: string | null };

type Verb = WorkerCall['verb'];
export type Refused = Extract<KraftAnswer, { kind: 'refused' }>;

const routeMaxLength = 256;

/** The fields of each form; an empty or missing `id` means the session's own item (SI 7.2). */
const formFields: Readonly<Record<Verb, readonly string[]>> = {
  progress: ['task', 'id'],
  reply: ['thread', 'body', 'claim'],
  retry: ['id', 'steer'],
  show: ['id'],
  threads: ['id', 'open'],
  events: ['id', 'after', 'type'],
};

/** Kraft's own words for refusing: fixed, so that nothing of a worker's stands in them. */
export const reasons = {
  verb: 'not a worker API verb',
  route: 'not a route that a worker may use',
  item: 'not the session’s own item',
  thread: 'not a thread of the session’s own item',
  notBuilt: 'not built: this version of Kraft answers no permission asks',
} as const;

/**
 * The call that a request is, held against the allow list of CC 8.3: every id is compared whole with the channel's own,
 * nothing is decoded before. Pure. Errors: WORKER_REQUEST_INVALID for what is allowed and not understood.
 */
export function matchCall(who: WorkerIdentity, request: KraftRequest): WorkerCall | Refused {
  const { method, target } = request;
  const at = target.indexOf('?');
  const path = at === -1 ? target : target.slice(0, at);
  const query = at === -1 ? null : target.slice(at + 1);
  const asked: Asked = { who, request, route: renderRoute(method, path), query };
  const [root, first, ...rest] = path.split('/');
  if (root !== '' || first === undefined) return refuse(asked, 'route');
  if (first === 'w' && rest.length === 1) return matchForm(asked, rest[0] ?? '');
  return first === 'api' ? matchApi(asked, rest) : refuse(asked, first === 'mcp' ? 'notBuilt' : 'route');
}

interface Asked {
  readonly who: WorkerIdentity;
  readonly request: KraftRequest;
  readonly route: string;
  readonly query: string | null;
}

/** `METHOD path` for an event: without query, bounded, and safe to print. */
export function renderRoute(method: string, path: string): string {
  return safeLine(`${method} ${path}`).slice(0, routeMaxLength).toWellFormed();
}

function refuse({ route }: Pick<Asked, 'route'>, reason: keyof typeof reasons): Refused {
  return { kind: 'refused', route, reason: reasons[reason] };
}

function matchForm(asked: Asked, name: string): WorkerCall | Refused {
  if (name === 'permission-hook') return refuse(asked, 'notBuilt');
  const verb = (Object.keys(formFields) as Verb[]).find((each) => each === name);
  if (verb === undefined || asked.request.method !== 'POST') return refuse(asked, 'verb');
  const { who, request, query } = asked;
  if (query !== null) throw invalid('a form takes no query');
  checkContentType(request, 'application/x-www-form-urlencoded');
  const fields = readForm(readText(request.body), formFields[verb]);
  const id = fields.get('id') ?? '';
  if (id !== '' && id !== who.itemId) return refuse({ route: renderRoute(...apiRoute(verb, id)) }, 'item');
  return readCall(verb, fields);
}

/** The route of the API that a form stands for. */
function apiRoute(verb: Verb, id: string): readonly [method: string, path: string] {
  const path = `/api/work-items/${id}`;
  return verb === 'progress' || verb === 'retry'
    ? ['POST', `${path}/${verb}`]
    : ['GET', verb === 'show' ? path : `${path}/${verb}`];
}

function matchApi(asked: Asked, segments: readonly string[]): WorkerCall | Refused {
  const [kind, id, part, ...more] = segments;
  if (more.length > 0 || id === undefined) return refuse(asked, 'route');
  if (kind === 'worker-sessions') {
    return refuse(asked, part === 'permission' || part === 'permission-hook' ? 'notBuilt' : 'route');
  }
  const { method } = asked.request;
  if (kind === 'threads' && part === 'replies' && method === 'POST') {
    return readCall('reply', new Map([...readBody(asked, ['body', 'claim']), ['thread', id]]));
  }
  if (kind !== 'work-items') return refuse(asked, 'route');
  const verb = itemVerb(method, part);
  if (verb === null) return refuse(asked, 'route');
  if (id !== asked.who.itemId) return refuse(asked, 'item');
  return readCall(verb, readApiFields(asked, verb));
}

function itemVerb(method: string, part: string | undefined): Verb | null {
  if (method === 'GET') return part === undefined ? 'show' : part === 'threads' ? 'threads' : null;
  return method === 'POST' && (part === 'progress' || part === 'retry') ? part : null;
}

function readApiFields(asked: Asked, verb: Verb): Fields {
  if (verb === 'progress') return readBody(asked, ['task']);
  if (verb === 'retry') return readBody(asked, ['steer']);
  if (asked.request.body.length > 0) throw invalid('a GET takes no body');
  return readForm(asked.query ?? '', verb === 'threads' ? ['open'] : []);
}

function readBody({ request, query }: Asked, known: readonly string[]): Fields {
  if (query !== null) throw invalid('this route takes no query');
  if (request.body.length > 0) checkContentType(request, 'application/json');
  return readJson(readText(request.body), known);
}

function checkContentType({ headers, body }: KraftRequest, wanted: string): void {
  const named = headers['content-type'];
  if (named === undefined && body.length === 0) return;
  const type = (named ?? '').split(';')[0]?.trim().toLowerCase();
  if (type !== wanted) throw invalid(`the content type is not ${wanted}`);
}

function readCall(verb: Verb, fields: Fields): WorkerCall {
  switch (verb) {
    case 'progress':
      return { verb, task: readCount(need(fields, 'task'), 'task') };
    case 'reply':
      return { verb, thread: need(fields, 'thread'), body: need(fields, 'body'), claim: readClaim(fields) };
    case 'retry':
      return { verb, steer: orNull(fields.get('steer')?.trim()) };
    case 'show':
      return { verb };
    case 'threads':
      return { verb, openOnly: readFlag(fields.get('open') ?? '', 'open') };
    case 'events':
      return { verb, afterSeq: readCount(fields.get('after') ?? '0', 'after'), type: readType(fields) };
  }
}

function need(fields: Fields, name: string): string {
  const value = fields.get(name);
  if (value === undefined) throw invalid(`the field ${name} is missing`);
  return value;
}

function orNull(text: string | undefined): string | null {
  return text === undefined || text === '' ? null : text;
}

function readCount(text: string, name: string): number {
  if (!/^[0-9]{1,15}$/.test(text)) throw invalid(`${name} is no whole number`);
  return Number(text);
}

function readFlag(text: string, name: string): boolean {
  if (['', '0', 'false'].includes(text)) return false;
  if (['1', 'true'].includes(text)) return true;
  throw invalid(`${name} is neither 1 nor 0`);
}

const claims: readonly Claim[] = ['fixed', 'answered', 'should_fix'];

function readClaim(fields: Fields): Claim | null {
  const named = orNull(fields.get('claim'));
  const claim = claims.find((each) => each === named);
  if (claim === undefined && named !== null) throw invalid(`claim is none of ${claims.join(', ')}`);
  return claim ?? null;
}

function readType(fields: Fields): string | null {
  const type = orNull(fields.get('type'));
  if (type !== null && !/^[a-z_]{1,64}$/.test(type)) throw invalid('type is no name of an event');
  return type;
}
