import { describe, expect, it } from 'vitest';
import type { LogChunk } from '../../src/compose/index.ts';
import type { Io } from '../../src/cli/command.ts';
import { followLog, lastLines, printLog } from '../../src/cli/follow-log.ts';
import type { RemoteKraft } from '../../src/cli/remote-kraft.ts';
import { createStyle } from '../../src/cli/terminal.ts';
import { FakeKraft, samplePublicItem, sampleEvent } from '../support/fake-kraft.ts';
import { sampleSession } from '../support/sample-item.ts';

function captureIo(): { readonly io: Io; readonly out: string[]; readonly err: string[] } {
  const out: string[] = [];
  const err: string[] = [];
  const io: Io = {
    variables: {},
    env: () => undefined,
    cwd: '/',
    terminal: { outIsTty: false, interactive: false, color: false, columns: null },
    style: createStyle(false),
    version: '0',
    personUmask: 0o022,
    out: (text) => void out.push(text),
    err: (text) => void err.push(text),
  };
  return { io, out, err };
}

/** An item whose first session ends and whose second begins only after an event. */
class TwoSessions extends FakeKraft {
  readonly #looks = { count: 0 };

  override showItem: RemoteKraft['showItem'] = async () => {
    const looks = ++this.#looks.count;
    const started = '2026-01-02T03:04:05.678Z';
    const sessions = [sampleSession({ id: 's1', startedAt: started })];
    if (looks > 2) sessions.push(sampleSession({ id: 's2', startedAt: started }));
    const status = looks > 4 ? ('completed' as const) : ('active' as const);
    return Promise.resolve({
      item: samplePublicItem({ status }),
      sessions,
      commits: [],
      mergeCommand: null,
      nextCommand: null,
    });
  };
  override followEvents: RemoteKraft['followEvents'] = () => Promise.resolve([sampleEvent(1)]);
  override readLog: RemoteKraft['readLog'] = ({ sessionId, offset }) => {
    const texts: Record<string, string> = { s1: 'first\nhalf', s2: '\u001b]0;title\u0007second\n' };
    const text = (texts[sessionId ?? ''] ?? '').slice(offset, offset + 8);
    const nextOffset = offset + text.length;
    const chunk: LogChunk = {
      sessionId: sessionId ?? 's1',
      text,
      nextOffset,
      ended: nextOffset === (texts[sessionId ?? ''] ?? '').length,
      droppedBytes: sessionId === 's2' ? 12 : 0,
    };
    return Promise.resolve(chunk);
  };
}

describe('followLog', () => {
  it('goes on through the sessions of an item until it ends, in whole safe lines', async () => {
    const { io, out, err } = captureIo();
    await followLog({ kraft: new TwoSessions(), io, itemId: 'abcd2345', json: false }, 50);
    expect(out.join('')).toBe('first\nhalf\n\\x1b]0;title\\x07second\n');
    expect(err.join('')).toContain('12 bytes in the middle of this log were dropped by its cap');
  });

  it('prints one object per line with --json', async () => {
    const { io, out } = captureIo();
    await followLog({ kraft: new TwoSessions(), io, itemId: 'abcd2345', json: true }, 50);
    expect(out.map((line) => JSON.parse(line) as unknown)).toEqual([
      { session_id: 's1', text: 'first' },
      { session_id: 's1', text: 'half' },
      { session_id: 's2', text: '\u001b]0;title\u0007second' },
    ]);
  });
});

describe('printLog', () => {
  it('prints the last lines of the newest session', async () => {
    const { io, out } = captureIo();
    const kraft = new FakeKraft();
    await printLog({ kraft, io, itemId: 'abcd2345', json: false }, { sessionId: null, lines: 1 });
    expect(out.join('')).toBe('two\n');
  });
});

describe('lastLines', () => {
  it.each([
    { text: 'a\nb\nc\n', count: 2, last: 'b\nc\n' },
    { text: 'a\nb', count: 1, last: 'b' },
    { text: 'a\n', count: 5, last: 'a\n' },
    { text: 'a\n', count: 0, last: '' },
  ])('gives the last $count of $text', ({ text, count, last }) => {
    expect(lastLines(text, count)).toBe(last);
  });
});
