// Loaded into a daemon before the program itself (`node --import`), from a test's own folder: it names everything that
// the process does to the world (writes of files, processes, calls of the engine, changes of the database) from the
// filing of an item on, and ends the process by SIGKILL at the point that the test chose. The program knows nothing of it.

import childProcess, { type ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import http, { type ClientRequest } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { Worker, isMainThread } from 'node:worker_threads';

type Anything = (...args: unknown[]) => unknown;
type Methods = Record<string, Anything>;

const dir = process.env['CRASH_DIR'] ?? '/';
const logPath = process.env['CRASH_LOG'] ?? '';
const crashAt = process.env['CRASH_AT'] ?? '';
const logFd = logPath === '' ? null : fs.openSync(logPath, 'a');
const counts = new Map<string, number>();
const state = { itemId: '', nested: false };

/** A text that is the same in every run: without ids, random parts and the test's folder. */
function settle(text: string): string {
  return text
    .replaceAll(dir, '')
    .replaceAll(state.itemId, 'ITEM')
    .replaceAll(/(?<![a-z0-9])[a-hjkmnp-tv-z][a-hjkmnp-tv-z2-9]{19}(?![a-z0-9])/g, 'SESSION')
    .replaceAll(/(?<![a-z0-9])(?:[0-9a-f]{64}|[0-9a-f]{40}|(?:\d+-)?[0-9a-f]{16})(?![a-z0-9])/g, 'ID')
    .replaceAll(/objects\/[0-9a-f]{2}(?:\/[0-9a-f]{38})?(?![0-9a-f])/g, 'objects/ID');
}

/** Names an act and gives what to call when it is over. Before the item is filed, nothing is named. */
function begin(what: string): (suffix?: string) => void {
  if (state.itemId === '') return () => undefined;
  const settled = settle(what);
  const count = (counts.get(settled) ?? 0) + 1;
  counts.set(settled, count);
  const name = count === 1 ? settled : `${settled} #${count}`;
  reach(`${name} before`);
  return (suffix = 'after') => reach(`${name} ${suffix}`);
}

function reach(point: string): void {
  if (logFd !== null) fs.writeSync(logFd, `${point}\n`);
  if (point !== crashAt) return;
  process.kill(process.pid, 'SIGKILL');
  for (;;);
}

/** Wraps a method whose acts are named by `name`; null from it names none. */
function wrap(target: Methods, method: string, name: (args: readonly unknown[]) => string | null): void {
  const original = target[method];
  if (original === undefined) throw new Error(`node has no ${method}`);
  target[method] = function wrapped(this: unknown, ...args: unknown[]): unknown {
    const what = state.nested ? null : name(args);
    if (what === null) return original.apply(this, args);
    const done = begin(what);
    // Node's own parts call one another; only the outermost call is the program's.
    state.nested = true;
    let result: unknown;
    try {
      result = original.apply(this, args);
    } finally {
      state.nested = false;
    }
    if (!(result instanceof Promise)) {
      done();
      return result;
    }
    return result.then((value: unknown) => {
      done();
      return value;
    });
  };
}

const inside = (path: unknown): path is string => typeof path === 'string' && path.startsWith(dir);

function wrapFiles(): void {
  const named = (method: string, at: number) => (args: readonly unknown[]) =>
    inside(args[at]) ? `file ${method} ${args[at]}` : null;
  const opened = (args: readonly unknown[]): string | null => {
    const [path, flags = 'r'] = args;
    const writes = typeof flags === 'number' ? (flags & 3) !== 0 : /[wax+]/.test(String(flags));
    return inside(path) && writes ? `file open ${path}` : null;
  };
  const at: Readonly<Record<string, number>> = {
    ...{ writeFile: 0, appendFile: 0, mkdir: 0, rm: 0, rmdir: 0, unlink: 0, chmod: 0, utimes: 0, truncate: 0 },
    ...{ rename: 1, copyFile: 1, cp: 1, link: 1, symlink: 1 },
  };
  for (const [method, position] of Object.entries(at)) {
    wrap(fs.promises as unknown as Methods, method, named(method, position));
    wrap(fs as unknown as Methods, `${method}Sync`, named(method, position));
  }
  wrap(fs.promises as unknown as Methods, 'open', opened);
  wrap(fs as unknown as Methods, 'openSync', opened);
}

/** `git update-ref`, `docker run worker`, or the bare program. */
function nameProcess(args: readonly string[]): string {
  const git = args.indexOf('kraft-git');
  if (git !== -1) return `process git ${args.slice(git + 3, git + 5).join(' ')}`;
  const role = args.find((arg) => arg.includes('kraft.role='));
  const verb = args.find((arg) => ['run', 'rm', 'ps', 'inspect', 'pull', 'kill', 'create', 'info'].includes(arg));
  return `process ${verb ?? 'other'} ${role?.replace(/^.*kraft\.role=/, '') ?? ''}`.trimEnd();
}

function wrapProcesses(): void {
  const original = childProcess.spawn as unknown as Anything;
  (childProcess as unknown as Methods)['spawn'] = function spawn(...args: unknown[]): unknown {
    const argv = Array.isArray(args[1]) ? args[1].map(String) : [];
    const done = begin(nameProcess([String(args[0]), ...argv]));
    const child = original(...args) as ChildProcess;
    done('spawned');
    child.once('exit', () => done());
    return child;
  };
}

function wrapEngine(): void {
  const original = http.request as unknown as Anything;
  (http as unknown as Methods)['request'] = function request(...args: unknown[]): unknown {
    const [options] = args as [{ method?: string; path?: string; socketPath?: string }];
    const path = (options.path ?? '').replace(/^\/v[\d.]+/, '').replace(/\?.*$/, '');
    const done = begin(`engine ${options.method ?? 'GET'} ${path}`);
    const call = original(...args) as ClientRequest;
    call.once('response', () => done());
    return call;
  };
}

interface StoreRequest {
  readonly id: number;
  readonly method: string;
  readonly args: readonly {
    id?: string;
    events?: readonly { event: { type: string } }[];
    item?: object;
    sessions?: [];
  }[];
}

function nameChange({ method, args: [change] }: StoreRequest): string {
  const types = method === 'createItem' ? [] : (change?.events ?? []).map(({ event }) => event.type);
  const columns = types.length > 0 ? types : Object.keys(change?.item ?? {});
  return `store ${method} ${columns.join('+')}`.trimEnd();
}

function wrapStore(): void {
  const waiting = new Map<number, () => void>();
  const worker = Worker.prototype as unknown as Methods;
  const post = worker['postMessage']!;
  const emit = worker['emit']!;
  worker['postMessage'] = function postMessage(this: unknown, ...args: unknown[]): unknown {
    const request = args[0] as StoreRequest | string;
    if (typeof request === 'object' && ['createItem', 'apply'].includes(request.method)) {
      if (request.method === 'createItem') state.itemId = request.args[0]?.id ?? '';
      waiting.set(request.id, begin(nameChange(request)));
    }
    return post.apply(this, args);
  };
  worker['emit'] = function emitWrapped(this: unknown, ...args: unknown[]): unknown {
    const response = args[1] as { id?: number } | undefined;
    const done = args[0] === 'message' && response?.id !== undefined ? waiting.get(response.id) : undefined;
    if (response?.id !== undefined) waiting.delete(response.id);
    done?.();
    return emit.apply(this, args);
  };
}

if (isMainThread) {
  wrapFiles();
  wrapProcesses();
  wrapEngine();
  wrapStore();
  syncBuiltinESMExports();
}
