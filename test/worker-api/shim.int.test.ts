import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../src/base/index.ts';
import { openWorkerApi, placeShim, shimVersion } from '../../src/worker-api/index.ts';
import { samplePort, who, type Call } from './sample-port.ts';

interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

// What stands behind `sh` in images: every one of these that this machine has, `sh` always.
const shells = [['sh'], ['dash'], ['bash', '--posix'], ['busybox', 'sh']].filter(
  ([program]) => program === 'sh' || ['/bin', '/usr/bin'].some((dir) => existsSync(join(dir, program ?? ''))),
);

let dir: string;
let proxy: Server;
let asked: Asked[];
let calls: readonly Call[];
let answer: ((response: ServerResponse) => void) | null;

/** A proxy that serves the host `kraft` by the real answers, and records what comes in. */
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'kraft-shim-'));
  asked = [];
  answer = null;
  const sample = samplePort();
  calls = sample.calls;
  const api = openWorkerApi({ port: sample.port, alarm: () => () => undefined, log: silentLog });
  proxy = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const body = Buffer.concat(chunks);
      const { method = '', url = '', headers } = incoming;
      asked.push({ method, url, headers, body: body.toString() });
      if (answer !== null) {
        answer(response);
        return;
      }
      const target = url.replace(/^http:\/\/kraft(?=\/)/, '');
      const named = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
      void api.answer(who, { method, target, headers: Object.fromEntries(named), body }).then((given) => {
        if (given.kind === 'refused') response.writeHead(403).end(`refused: ${given.reason}\n`);
        else response.writeHead(given.status, { 'content-type': given.contentType }).end(given.body);
      });
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
});

afterEach(async () => {
  proxy.closeAllConnections();
  await new Promise((resolve) => proxy.close(resolve));
  await rm(dir, { recursive: true });
});

interface Place {
  readonly shell: readonly string[];
  /** Null: nothing listens there. */
  readonly proxyPort: number | null;
}

/** Runs the shim as a worker does: with the variables of a networked session, and a HOME that it may write. */
async function kraft(words: readonly string[], place: Partial<Place> = {}): Promise<Ended> {
  const { shell = ['sh'], proxyPort = (proxy.address() as AddressInfo).port } = place;
  const url = `http://127.0.0.1:${proxyPort ?? 1}`;
  const shim = join(await placeShim(dir), 'kraft');
  const [program = 'sh', ...first] = shell;
  const env = { PATH: '/usr/bin:/bin', HOME: dir, http_proxy: url, HTTP_PROXY: url, no_proxy: '', NO_PROXY: '' };
  return new Promise((resolve) => {
    execFile(program, [...first, shim, ...words], { env, cwd: dir }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

const odd = ` a+b&c=d%41?#"'\`$(id)\\ \t\nä𝄞 @file <é> -- * ~\n`;

describe.each(shells.map((shell) => ({ name: shell.join(' '), shell })))('the shim under $name', ({ shell }) => {
  const rows: readonly (readonly [words: readonly string[], ...call: readonly unknown[]])[] = [
    [['item', 'progress', '3'], 'progress', who, 3],
    [['item', 'progress', '3', who.itemId, '--json'], 'progress', who, 3],
    [['item', 'progress', '--json', '3'], 'progress', who, 3],
    [['item', 'reply', 'tabcdefg', '--body', odd], 'reply', who, { thread: 'tabcdefg', body: odd, claim: null }],
    [['item', 'reply', '--body=', 'tabcdefg'], 'reply', who, { thread: 'tabcdefg', body: '', claim: null }],
    [['item', 'reply', 'tabcdefg', '--body', ''], 'reply', who, { body: '' }],
    [['item', 'reply', 'tabcdefg', '--body', '@/etc/passwd'], 'reply', who, { body: '@/etc/passwd' }],
    [['item', 'reply', 'tabcdefg', '--body', '--claim'], 'reply', who, { body: '--claim', claim: null }],
    [['item', 'reply', 'tabcdefg', '--claim', 'fixed', '--body=a=b'], 'reply', who, { body: 'a=b', claim: 'fixed' }],
    [['item', 'retry'], 'retry', who, null],
    [['item', 'retry', who.itemId, '--steer', '  look again '], 'retry', who, 'look again'],
    [['view', 'show'], 'show', who],
    [['view', 'show', who.itemId, '--json'], 'show', who],
    [['view', 'threads'], 'threads', who, { openOnly: false }],
    [['view', 'threads', '--open', who.itemId], 'threads', who, { openOnly: true }],
    [
      ['view', 'events', '--after', '4', '--type', 'plan_progress'],
      'events',
      who,
      { afterSeq: 4, type: 'plan_progress' },
    ],
    [['view', 'events'], 'events', who, { afterSeq: 0, type: null }],
  ];
  it.each(rows)('asks what %j says, every character as it was typed (SI-9.10 H10)', async (words, ...call) => {
    const ended = await kraft(words as readonly string[], { shell });
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(ended.stdout)).toBeTruthy();
    expect(calls).toMatchObject([call]);
  });

  const usages = [
    [],
    ['--json'],
    ['view'],
    ['view', 'diff'],
    ['view', 'compare'],
    ['item', 'abandon'],
    ['item', 'progress'],
    ['item', 'progress', '1', 'k', 'x'],
    ['item', 'reply', 'tabcdefg'],
    ['item', 'reply', '--body', 'x'],
    ['item', 'reply', 'tabcdefg', '--body'],
    ['item', 'reply', 'tabcdefg', '--body', 'x', '--path', '/etc'],
    ['view', 'threads', '--open=no'],
    ['view', 'show', '-x'],
    ['admin', 'permission-hook'],
    ['admin', 'permission-hook', 'bash'],
    ['admin', 'stop'],
  ];
  it.each(usages.map((words) => [words.join(' '), words] as const))(
    'prints its usage and posts nothing: kraft %s (SI-9.10 H13)',
    async (_, words) => {
      const ended = await kraft(words, { shell });
      expect(ended).toMatchObject({ code: 2, stdout: '' });
      expect(ended.stderr).toMatch(/Usage: kraft item progress K/);
      expect(asked).toEqual([]);
    },
  );

  it('prints the answer on a refusal, and fails (SI-9.10 H12)', async () => {
    const ended = await kraft(['view', 'show', 'zzzzzzzz'], { shell });
    expect(ended).toMatchObject({ code: 1, stdout: 'refused: not the session’s own item\n' });
    expect(ended.stderr).toContain('refused with status 403');
    expect(calls).toEqual([]);
  });

  it('prints an error as Kraft answers it, and fails (SI-9.10 H12)', async () => {
    const ended = await kraft(['item', 'progress', 'x'], { shell });
    expect(ended.code).toBe(1);
    expect(JSON.parse(ended.stdout)).toMatchObject({ outcome: 'error', code: 'KRAFT_WORKER_REQUEST_INVALID' });
  });

  it('says when Kraft is not reached, and fails (SI-9.10 H12)', async () => {
    const ended = await kraft(['view', 'show'], { shell, proxyPort: null });
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toMatch(/^curl: .*\n(.*\n)*kraft: Kraft was not reached\n$/);
  });

  it.each([
    [
      'cursor',
      { permission: 'deny', user_message: expect.any(String) as string, agent_message: expect.any(String) as string },
    ],
    [
      'codex',
      {
        hookSpecificOutput: {
          hookEventName: 'PreToolUse',
          permissionDecision: 'deny',
          permissionDecisionReason: expect.any(String) as string,
        },
      },
    ],
  ])('denies in the words of the harness, and blocks: %s (SI-9.10 H11)', async (harness, denied) => {
    for (const words of [[harness], [harness, '--fail-closed']]) {
      const ended = await kraft(['admin', 'permission-hook', ...words], { shell });
      expect(ended.code).toBe(2);
      expect(JSON.parse(ended.stdout)).toEqual(denied);
      expect(ended.stderr).toMatch(/the call is denied/);
    }
    expect(asked).toEqual([]);
  });
});

describe('the shim’s request', () => {
  it('is a form posted to the host kraft through the proxy, with the version that it speaks', async () => {
    await kraft(['item', 'progress', '3']);
    const [only] = asked;
    expect(only).toMatchObject({ method: 'POST', url: 'http://kraft/w/progress', body: 'task=3&id=' });
    expect(only?.headers).toMatchObject({
      host: 'kraft',
      'content-type': 'application/x-www-form-urlencoded',
      'x-kraft-shim': String(shimVersion),
    });
    expect(only?.headers).not.toHaveProperty('expect');
  });

  it('does not wait for a 100 with a large body either', async () => {
    const body = 'x'.repeat(15_000);
    expect((await kraft(['item', 'reply', 'tabcdefg', '--body', body])).code).toBe(0);
    expect(asked[0]?.headers).not.toHaveProperty('expect');
    expect(calls).toMatchObject([['reply', who, { body }]]);
  });

  it('follows no .curlrc of the HOME, which a worker writes (SI-9.10 H14)', async () => {
    await writeFile(
      join(dir, '.curlrc'),
      'proxy = "http://127.0.0.1:1"\noutput = "stolen"\nheader = "X-Kraft-Shim: 9"\n',
    );
    const ended = await kraft(['view', 'show']);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(asked[0]?.headers['x-kraft-shim']).toBe('1');
    expect(await readdir(dir)).not.toContain('stolen');
  });

  it('follows no redirect', async () => {
    answer = (response) => response.writeHead(302, { location: 'http://elsewhere/' }).end('gone\n');
    expect(await kraft(['view', 'show'])).toMatchObject({ code: 1, stdout: 'gone\n' });
    expect(asked.length).toBe(1);
  });

  it('prints what came of an answer that breaks off, and fails', async () => {
    answer = (response) => {
      response.writeHead(200, { 'content-length': 100 });
      response.write('half', () => response.destroy());
    };
    const ended = await kraft(['view', 'show']);
    expect(ended).toMatchObject({ code: 1, stdout: 'half' });
    expect(ended.stderr).toContain('not reached');
  });

  it('says its version without asking', async () => {
    expect(await kraft(['--version'])).toEqual({ code: 0, stdout: `kraft shim ${shimVersion}\n`, stderr: '' });
    expect(asked).toEqual([]);
  });
});

describe('the shim’s folder', () => {
  it('holds the shim alone, readable and runnable for every user, whatever the umask', async () => {
    const umask = process.umask(0o077);
    const placed = await placeShim(join(dir, 'run')).finally(() => process.umask(umask));
    expect(await readdir(placed)).toEqual(['kraft']);
    expect((await stat(placed)).mode & 0o777).toBe(0o755);
    expect((await stat(join(placed, 'kraft'))).mode & 0o777).toBe(0o755);
    expect(placed.startsWith(join(dir, 'run', 'shim-'))).toBe(true);
  });

  it('is the same the second time, and put right when it was changed', async () => {
    const placed = await placeShim(dir);
    const before = await stat(join(placed, 'kraft'));
    expect(await placeShim(dir)).toBe(placed);
    expect((await stat(join(placed, 'kraft'))).ino).toBe(before.ino);
    const shim = await readFile(join(placed, 'kraft'), 'utf8');
    await writeFile(join(placed, 'kraft'), 'exit 0');
    await placeShim(dir);
    expect(await readFile(join(placed, 'kraft'), 'utf8')).toBe(shim);
    expect(await readdir(dir)).toEqual([placed.split('/').at(-1)]);
  });

  it('can be placed by several at once', async () => {
    const placed = await Promise.all(Array.from({ length: 8 }, () => placeShim(dir)));
    expect(new Set(placed).size).toBe(1);
    expect(await readdir(placed[0] ?? '')).toEqual(['kraft']);
  });
});
