import { createHash } from 'node:crypto';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { onHosts } from './support/hosts.ts';
import { Person, type EventLine } from './support/person.ts';

const printed = 100_000_000;
/** Held as a whole, what was printed would be more. */
const growthMax = 90 * 1024 * 1024;

async function hashOf(stream: AsyncIterable<Buffer>): Promise<{ readonly hash: string; readonly bytes: number }> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of stream) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { hash: hash.digest('hex'), bytes };
}

/** The logs one after the other, each ended by a line break. */
function hashOfAll(logs: readonly Buffer[]): { readonly hash: string; readonly bytes: number } {
  const whole = Buffer.concat(
    logs.flatMap((log) => (log.length === 0 || log.at(-1) === 0x0a ? [log] : [log, Buffer.from('\n')])),
  );
  return { hash: createHash('sha256').update(whole).digest('hex'), bytes: whole.length };
}

async function textOf(stream: AsyncIterable<Buffer>, onText: (text: string) => void): Promise<void> {
  let text = '';
  for await (const chunk of stream) onText((text += chunk.toString('utf8')));
}

/** The most that a process held so far. */
function peakBytes(pid: number): number {
  return Number(/^VmHWM:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
}

function outputOf({ stdout }: ChildProcess): NodeJS.ReadableStream & AsyncIterable<Buffer> {
  return (stdout as (NodeJS.ReadableStream & AsyncIterable<Buffer>) | null) ?? expect.unreachable('it has no output');
}

// PF-R20, PF-Q06
onHosts(['docker'], 'following', (host) => {
  it('keeps up with an agent that prints 100 MB, by log, events and board at once, and ends clean', async () => {
    await using person = new Person(host);
    const repository = await person.sampleRepository();
    await person.connectUntested(repository);
    await person.startDaemon();
    const { pid } = await person.kraftJson<{ pid: number }>('admin', 'health');
    const id = await person.fileItem(
      repository,
      `demo: wait-for go\ndemo: print ${printed}\ndemo: write src/new.txt x`,
    );

    const board = person.spawnKraft(['view', 'watch', '--all'], 'terminal');
    let shown = '';
    const watched = textOf(outputOf(board), (text) => (shown = text));
    const events = person.spawnKraft(['view', 'events', id, '-f', '--json'], 'pipes');
    const heard: EventLine[] = [];
    createInterface({ input: outputOf(events) }).on('line', (line) => heard.push(JSON.parse(line) as EventLine));

    const followers = [board, events];
    onTestFinished(() => followers.forEach((each) => void each.kill('SIGKILL')));

    await person.kraft('item', 'start', id);
    await person.untilEvent(id, (event) => event.type === 'worker_session_started');
    const log = person.spawnKraft(['view', 'logs', id, '-f', '-n', '1000000'], 'pipes');
    followers.push(log);
    let said = '';
    void textOf(log.stderr as AsyncIterable<Buffer>, (text) => (said = text));
    const followed = hashOf(outputOf(log));
    await expect.poll(() => said, { timeout: 60_000 }).toMatch(/^session /);
    const before = peakBytes(pid);
    const { item } = await person.show(id);
    writeFileSync(join(item.worktree ?? expect.unreachable('it has no worktree'), 'go'), '');

    const [code] = (await once(log, 'close')) as [number | null];
    const { sessions } = await person.show(id);
    expect({ code, said }).toEqual({ code: 0, said: sessions.map((session) => `session ${session.id}\n`).join('') });
    const logs = sessions.map(({ logPath }) => readFileSync(logPath));
    expect(logs[0]?.length).toBeGreaterThan(printed);
    expect(await followed).toEqual(hashOfAll(logs));
    expect(peakBytes(pid) - before).toBeLessThan(growthMax);

    await person.untilItemRests(id);
    expect((await person.show(id)).item.status).toBe('completed');
    const all = await person.events(id);
    await expect.poll(() => heard.length, { timeout: 30_000 }).toBe(all.length);
    expect(heard).toEqual(all);
    events.kill('SIGINT');
    await expect.poll(() => shown, { timeout: 30_000 }).toMatch(/done/);
    expect(shown).toContain('running');
    board.stdin?.write('q');
    expect((await once(board, 'close'))[0]).toBe(0);
    await watched;
    expect(shown).toContain('\u001b[?25h\u001b[?1049l');
    expect(await person.containers()).toEqual([]);
  });
});
