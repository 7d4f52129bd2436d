import { describe, expect, it } from 'vitest';
import { silentLog } from '../../src/base/index.ts';
import type { KraftAnswer } from '../../src/egress/index.ts';
import { itemErrors, type WorkerCalls } from '../../src/items/index.ts';
import { walkErrors } from '../../src/walk/index.ts';
import { bodyMaxBytes, openWorkerApi, runningMax, waitingMax, type WorkerApi } from '../../src/worker-api/index.ts';
import { form, json, payloadOf, request, samplePort, thread, who, type Call } from './sample-port.ts';

const never = () => () => undefined;

function open(changes: Partial<WorkerCalls> = {}): { readonly api: WorkerApi; readonly calls: readonly Call[] } {
  const { port, calls } = samplePort(changes);
  return { api: openWorkerApi({ port, alarm: never, log: silentLog }), calls };
}

async function statusOf(answer: Promise<KraftAnswer>): Promise<number | string> {
  const given = await answer;
  return given.kind === 'answer' ? given.status : `refused ${given.route}: ${given.reason}`;
}

describe('a verb of the shim', () => {
  const rows: readonly (readonly [name: string, body: string, ...call: readonly unknown[]])[] = [
    ['progress', 'task=3&id=', 'progress', who, 3],
    ['progress', `task=3&id=${who.itemId}`, 'progress', who, 3],
    [
      'reply',
      'thread=tabcdefg&body=a%20%2B+b%26%C3%A4%0A&claim=fixed',
      'reply',
      who,
      { thread: 'tabcdefg', body: 'a + b&ä\n', claim: 'fixed' },
    ],
    ['reply', 'thread=tabcdefg&body=&claim=', 'reply', who, { thread: 'tabcdefg', body: '', claim: null }],
    ['retry', 'id=&steer=%20look%20again%20', 'retry', who, 'look again'],
    ['retry', 'steer=%20%20', 'retry', who, null],
    ['show', 'id=', 'show', who],
    ['threads', 'id=&open=', 'threads', who, { openOnly: false }],
    ['threads', 'open=1', 'threads', who, { openOnly: true }],
    ['events', 'id=&after=4&type=plan_progress', 'events', who, { afterSeq: 4, type: 'plan_progress' }],
    ['events', '', 'events', who, { afterSeq: 0, type: null }],
  ];
  it.each(rows)(
    'asks it as the channel’s session, whatever the headers say: %s %s (SI-9.10 H1, H6)',
    async (verb, body, ...call) => {
      const { api, calls } = open();
      const asked = form(verb as string, body as string);
      const headers = {
        ...asked.headers,
        authorization: 'Bearer another',
        'x-kraft-session-id': 'zzzzzzzzzzzzzzzzzzzz',
      };
      expect(await statusOf(api.answer(who, { ...asked, headers }))).toBe(200);
      expect(calls).toMatchObject([call]);
    },
  );
});

describe('a route of the API that is on the list', () => {
  const item = `/api/work-items/${who.itemId}`;
  it.each([
    ['GET item', request('GET', item), ['show', who]],
    ['GET threads', request('GET', `${item}/threads`), ['threads', who, { openOnly: false }]],
    ['GET open threads', request('GET', `${item}/threads?open=true`), ['threads', who, { openOnly: true }]],
    ['POST progress', json(`${item}/progress`, { task: 4 }), ['progress', who, 4]],
    ['POST retry', json(`${item}/retry`, { steer: 'so' }), ['retry', who, 'so']],
    ['POST retry without a body', request('POST', `${item}/retry`), ['retry', who, null]],
    [
      'POST reply',
      json('/api/threads/tabcdefg/replies', { body: 'Done.', claim: 'fixed' }),
      ['reply', who, { thread: 'tabcdefg', body: 'Done.', claim: 'fixed' }],
    ],
  ] as const)('asks the same: %s (CC 8.3)', async (_, asked, call) => {
    const { api, calls } = open();
    expect(await statusOf(api.answer(who, asked))).toBe(200);
    expect(calls).toMatchObject([call]);
  });
});

describe('anything else', () => {
  const own = '/api/work-items/k7mqabcd';
  it.each([
    ['another item (H2)', request('GET', '/api/work-items/zzzzzzzz'), 'GET /api/work-items/zzzzzzzz', /own item/],
    ['a prefix of its own item', request('GET', '/api/work-items/k7mq'), 'GET /api/work-items/k7mq', /own item/],
    [
      'another item in a form (H2)',
      form('progress', 'task=1&id=zzzzzzzz'),
      'POST /api/work-items/zzzzzzzz/progress',
      /own item/,
    ],
    ['a form that shows another item', form('show', 'id=zzzzzzzz'), 'GET /api/work-items/zzzzzzzz', /own item/],
    [
      'a traversal (H2)',
      request('GET', '/api/work-items/x/../k7mqabcd'),
      'GET /api/work-items/x/../k7mqabcd',
      /not a route/,
    ],
    ['an encoded id', request('GET', '/api/work-items/%6b7mqabcd'), 'GET /api/work-items/%6b7mqabcd', /own item/],
    ['an encoded slash', request('GET', `${own}%2fthreads`), `GET ${own}%2fthreads`, /own item/],
    ['a slash at the end', request('GET', `${own}/`), `GET ${own}/`, /not a route/],
    ['a slash too many', request('GET', `/${own}`), `GET /${own}`, /not a route/],
    ['no slash', request('GET', 'api'), 'GET api', /not a route/],
    ['the diff, which is not read beside a session', request('GET', `${own}/diff`), `GET ${own}/diff`, /not a route/],
    ['the events by the API', request('GET', `${own}/events`), `GET ${own}/events`, /not a route/],
    ['another method', request('DELETE', own), `DELETE ${own}`, /not a route/],
    ['a write where there is a read', request('POST', `${own}/threads`), `POST ${own}/threads`, /not a route/],
    ['another verb of the API', request('POST', `${own}/abandon`), `POST ${own}/abandon`, /not a route/],
    ['the list of items', request('GET', '/api/work-items'), 'GET /api/work-items', /not a route/],
    ['a gate', request('POST', `${own}/gates/review/approve`), `POST ${own}/gates/review/approve`, /not a route/],
    ['stopping the daemon', request('POST', '/api/stop'), 'POST /api/stop', /not a route/],
    ['an unknown verb (H3)', form('diff', ''), 'POST /w/diff', /not a worker API verb/],
    ['a verb named like a property', form('constructor', ''), 'POST /w/constructor', /not a worker API verb/],
    ['a verb that is not posted (H3)', request('GET', '/w/show'), 'GET /w/show', /not a worker API verb/],
    ['the root', request('GET', '/'), 'GET /', /not a route/],
    ['a permission hook', form('permission-hook', 'harness=codex'), 'POST /w/permission-hook', /not built/],
    [
      'a permission ask',
      json(`/api/worker-sessions/${who.sessionId}/permission`, {}),
      `POST /api/worker-sessions/${who.sessionId}/permission`,
      /not built/,
    ],
    ['MCP (H7)', request('PUT', '/mcp'), 'PUT /mcp', /not built/],
  ])('is refused with its route, and nothing is called: %s', async (_, asked, route, reason) => {
    const { api, calls } = open();
    const answer = await api.answer(who, asked);
    expect(answer).toEqual({ kind: 'refused', route, reason: expect.stringMatching(reason) as string });
    expect(calls).toEqual([]);
  });

  it('is named without its query, safely and within 256 characters', async () => {
    const { api } = open();
    const answer = await api.answer(who, request('GET', `/a\u001b[2Jb\n/${'x'.repeat(500)}?token=1`));
    expect(answer.kind === 'refused' ? answer.route : '').toMatch(/^GET \/a\\x1b\[2Jb\\n\/x+$/);
    expect(answer.kind === 'refused' ? answer.route.length : 0).toBe(256);
  });

  it('is a thread that the item does not have, with the route that it would have been (H2)', async () => {
    const unknown = () => Promise.reject(itemErrors.create('THREAD_UNKNOWN', { thread: 'tzzzzzzz' }));
    const { api } = open({ reply: unknown });
    expect(await statusOf(api.answer(who, form('reply', 'thread=tzzzzzzz&body=x')))).toMatch(
      /^refused POST \/api\/threads\/tzzzzzzz\/replies: not a thread/,
    );
  });
});

describe('a request that is not understood', () => {
  it.each([
    ['a field twice', form('progress', 'task=1&task=2'), /task is there twice/],
    ['an unknown field', form('progress', 'task=1&path=%2Fetc'), /no field "path"/],
    ['a broken escape', form('reply', 'thread=t&body=%zz'), /percent escape/],
    ['an escape that is no UTF-8', form('reply', 'thread=t&body=%ff'), /percent escape/],
    ['half a pair', form('progress', 'task'), /no `=`/],
    ['an empty pair', form('progress', 'task=1&'), /no `=`/],
    ['a missing field', form('reply', 'thread=t'), /body is missing/],
    ['a task that is no number', form('progress', 'task=1e3'), /task is no whole number/],
    ['an unknown claim', form('reply', 'thread=t&body=b&claim=done'), /claim is none of/],
    ['an unknown flag', form('threads', 'open=yes'), /open is neither/],
    ['an odd type', form('events', 'type=A'), /type is no name/],
    ['a query on a form', request('POST', '/w/show?id='), /no query/],
    ['a form of another type', request('POST', '/w/show', 'id=', { 'content-type': 'text/plain' }), /content type/],
    ['a form without a type', request('POST', '/w/show', 'id='), /content type/],
    [
      'JSON that is none',
      request('POST', '/api/work-items/k7mqabcd/progress', '{', { 'content-type': 'application/json' }),
      /not JSON/,
    ],
    ['JSON that is no object', json('/api/work-items/k7mqabcd/progress', [1]), /no JSON object/],
    ['JSON with more', json('/api/work-items/k7mqabcd/progress', { task: 1, id: 'z' }), /no field "id"/],
    ['JSON inside JSON', json('/api/work-items/k7mqabcd/retry', { steer: { a: 1 } }), /neither text/],
    ['a GET with a body', request('GET', '/api/work-items/k7mqabcd', 'x'), /takes no body/],
  ])('is answered 400 with what is wrong: %s', async (_, asked, problem) => {
    const { api, calls } = open();
    const answer = await api.answer(who, asked);
    expect(answer).toMatchObject({ status: 400, contentType: 'application/json' });
    expect(payloadOf(answer)).toMatchObject({
      outcome: 'error',
      code: 'KRAFT_WORKER_REQUEST_INVALID',
      message: expect.stringMatching(problem) as string,
    });
    expect(calls).toEqual([]);
  });

  it('is one that is too large: 413', async () => {
    const { api } = open();
    const asked = { ...form('show', ''), body: new Uint8Array(bodyMaxBytes + 1) };
    const answer = await api.answer(who, asked);
    expect(answer).toMatchObject({ status: 413 });
    expect(payloadOf(answer)).toMatchObject({ code: 'KRAFT_WORKER_REQUEST_TOO_LARGE' });
  });

  it('is one of a shim that speaks another version', async () => {
    const { api, calls } = open();
    const asked = {
      ...form('show', ''),
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-kraft-shim': '2' },
    };
    expect(payloadOf(await api.answer(who, asked))).toMatchObject({ code: 'KRAFT_SHIM_VERSION_DIFFERS' });
    expect(calls).toEqual([]);
  });
});

describe('an answer', () => {
  it('shows the item without a path of the host', async () => {
    const { api } = open();
    const item = payloadOf(await api.answer(who, form('show', '')));
    expect(Object.keys(item)).toEqual([
      'id',
      'title',
      'description',
      'status',
      'node',
      'branch',
      'attempt',
      'note',
      'planTask',
    ]);
  });

  it('tells of events without the words that name the host', async () => {
    const { api } = open();
    const answer = await api.answer(who, form('events', ''));
    expect(payloadOf(answer)).toEqual([
      expect.objectContaining({ seq: 5, payload: expect.objectContaining({ task: 2 }) as unknown }),
      { seq: 6, type: 'work_item_needs_human', node_id: null, created_at: '2026-07-01T10:00:01.000Z' },
    ]);
  });

  it.each([
    [
      'a session that is over',
      walkErrors.create('WORKER_CALL_REFUSED', { sessionId: 's' }),
      403,
      /^KRAFT_WORKER_CALL_REFUSED/,
    ],
    ['an item at work', walkErrors.create('WORKER_RETRY_RUNS', { id: 'k', task: 'main.agent' }), 409, /very session/],
    ['an item that did not stop', itemErrors.create('ITEM_NOT_STOPPED', { id: 'k', status: 'paused' }), 409, /paused/],
    [
      'a text that is none',
      itemErrors.create('REVIEW_TEXT_INVALID', { what: 'reply', why: 'it is empty' }),
      400,
      /empty/,
    ],
    ['reports enough', walkErrors.create('WORKER_CALLS_FULL', { id: 'k', max: 400 }), 429, /400 times/],
  ])('tells an error that is the worker’s to know in full: %s', async (_, error, status, words) => {
    const { api } = open({ retry: () => Promise.reject(error) });
    const answer = await api.answer(who, form('retry', ''));
    expect(answer).toMatchObject({ status });
    const { outcome, code, message } = payloadOf(answer);
    expect([outcome, `${String(code)} ${String(message)}`]).toEqual(['error', expect.stringMatching(words)]);
  });

  it.each([
    ['of the host’s configuration', walkErrors.create('REPO_NOT_CONNECTED', { repo: '/home/ada/shop' }), 400],
    ['that nobody expected', new Error('ENOENT: /home/ada/.kraft/run/orchestrator.db'), 500],
  ])('hides an error %s, and logs it', async (_, error, status) => {
    const logged: string[] = [];
    const { port } = samplePort({ retry: () => Promise.reject(error) });
    const api = openWorkerApi({ port, alarm: never, log: { ...silentLog, error: (line) => logged.push(line) } });
    const answer = await api.answer(who, form('retry', ''));
    expect(answer).toMatchObject({ status });
    expect(JSON.stringify(answer)).not.toContain('ada');
    expect(payloadOf(answer)).toMatchObject({ outcome: 'error', code: 'KRAFT_WORKER_CALL_FAILED' });
    expect(logged.join()).toContain('/home/ada/');
  });
});

describe('the limits of a session', () => {
  interface Held {
    readonly api: WorkerApi;
    readonly begun: (() => void)[];
    readonly bells: (() => void)[];
  }

  /** Calls that go on until they are let, and alarms that are rung by hand. */
  function hold(): Held {
    const begun: (() => void)[] = [];
    const bells: (() => void)[] = [];
    const { port } = samplePort({ threads: () => new Promise((resolve) => begun.push(() => resolve([thread]))) });
    const alarm = (_ms: number, ring: () => void) => {
      bells.push(ring);
      return () => undefined;
    };
    return { api: openWorkerApi({ port, alarm, log: silentLog }), begun, bells };
  }
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it('let four calls run and the others wait, and all succeed (H9)', async () => {
    const { api, begun } = hold();
    const asked = Array.from({ length: 10 }, () => statusOf(api.answer(who, form('threads', ''))));
    await settle();
    expect(begun.length).toBe(runningMax);
    for (let at = 0; at < 10; at++) {
      begun[at]?.();
      await settle();
    }
    expect(await Promise.all(asked)).toEqual(Array.from({ length: 10 }, () => 200));
  });

  it('hold each session for itself', async () => {
    const { api, begun } = hold();
    for (let at = 0; at < 6; at++) void api.answer(who, form('threads', ''));
    void api.answer({ ...who, sessionId: 'sother' }, form('threads', ''));
    await settle();
    expect(begun.length).toBe(runningMax + 1);
  });

  it('answer 504 (KRAFT_WORKER_CALL_SLOW) when a call takes too long, and to one that waited as long (H8)', async () => {
    const { api, bells, begun } = hold();
    const asked = Array.from({ length: 5 }, () => statusOf(api.answer(who, form('threads', ''))));
    await settle();
    bells[0]?.();
    bells[4]?.();
    expect(await Promise.race([asked[0], settle()])).toBe(504);
    expect(await Promise.race([asked[4], settle()])).toBe(504);
    for (const go of begun) go();
    expect(await Promise.all(asked.slice(1, 4))).toEqual([200, 200, 200]);
    expect(begun.length).toBe(runningMax);
  });

  it('answer 429 when too many wait', async () => {
    const { api } = hold();
    for (let at = 0; at < runningMax + waitingMax; at++) void api.answer(who, form('threads', ''));
    await settle();
    const answer = await api.answer(who, form('threads', ''));
    expect(answer).toMatchObject({ status: 429 });
    expect(payloadOf(answer)).toMatchObject({ code: 'KRAFT_WORKER_CALLS_CROWDED' });
  });
});
