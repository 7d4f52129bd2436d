import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { Board } from '../../src/compose/index.ts';
import { daemonClientErrors } from '../../src/daemon-client/index.ts';
import { openScreen, type Screen } from '../../src/cli/screen.ts';
import { createStyle } from '../../src/cli/terminal.ts';
import { watchBoard, type BoardSource } from '../../src/cli/watch-board.ts';
import { samplePublicItem } from '../support/fake-kraft.ts';

const boardAt = (seq: number, title: string): Board => ({
  seq,
  items: [{ item: samplePublicItem({ title }), sessions: [], lastEvent: null, spend: null }],
});

/** A screen in memory that is left when a frame shows a given text. */
class FakeScreen implements Screen {
  readonly frames: string[] = [];
  readonly #leaving = new AbortController();
  readonly left = this.#leaving.signal;
  readonly #until: string;
  #resized: () => void = () => undefined;
  columns = 100;

  constructor(until: string) {
    this.#until = until;
  }
  size = () => ({ columns: this.columns, rows: 20 });
  draw(lines: readonly string[]): void {
    this.frames.push(lines.join('\n'));
    if (lines.join('\n').includes(this.#until)) this.#leaving.abort();
  }
  onResize(listener: () => void): void {
    this.#resized = listener;
  }
  resize(columns: number): void {
    this.columns = columns;
    this.#resized();
  }
  [Symbol.dispose](): void {
    this.#leaving.abort();
  }
}

const view = (source: BoardSource, screen: Screen) => ({
  source,
  screen,
  style: createStyle(false),
  nowMs: () => Date.parse('2026-01-02T03:06:05Z'),
  gapMs: 0,
  retryMs: 0,
});
const down = daemonClientErrors.create('DAEMON_NOT_RUNNING', { socket: '/s' });

describe('watchBoard', () => {
  it('asks for the board when something happened after what it shows, and not before', async () => {
    const asked: number[] = [];
    const boards = [boardAt(5, 'second'), boardAt(8, 'third')];
    const screen = new FakeScreen('third');
    await watchBoard(
      view(
        {
          untilNews: (afterSeq) => Promise.resolve(void asked.push(afterSeq)),
          board: () => Promise.resolve(boards.shift() ?? boardAt(0, 'one too many')),
        },
        screen,
      ),
      boardAt(3, 'first'),
    );
    expect(asked).toEqual([3, 5]);
    expect(screen.frames.map((frame) => /first|second|third/.exec(frame)?.[0])).toEqual(['first', 'second', 'third']);
  });

  it('waits for a daemon that is restarted, and says so on what it last knew', async () => {
    const answers = [() => Promise.reject(down), () => Promise.resolve(boardAt(9, 'restored'))];
    const screen = new FakeScreen('restored');
    await watchBoard(
      view(
        {
          untilNews: () => Promise.reject(down),
          board: () => (answers.shift() ?? (() => Promise.reject(new TypeError('one too many'))))(),
        },
        screen,
      ),
      boardAt(3, 'first'),
    );
    const [, lost = ''] = screen.frames;
    expect(lost).toContain('first');
    expect(lost).toContain('The daemon does not answer');
    expect(screen.frames.at(-1)).not.toContain('does not answer');
  });

  it('gives up on any other error', async () => {
    const screen = new FakeScreen('never');
    const source = {
      untilNews: () => Promise.reject(new TypeError('odd')),
      board: () => Promise.resolve(boardAt(1, '')),
    };
    await expect(watchBoard(view(source, screen), boardAt(3, 'first'))).rejects.toThrow('odd');
  });

  it('draws anew when the window changes, and ends its waiting when the person leaves', async () => {
    const screen = new FakeScreen('never');
    const source: BoardSource = {
      untilNews: (_, abort) => {
        screen.resize(60);
        queueMicrotask(() => screen[Symbol.dispose]());
        return new Promise((_resolve, reject) => {
          abort.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
        });
      },
      board: () => Promise.reject(new TypeError('not asked')),
    };
    await watchBoard(
      view(source, screen),
      boardAt(3, 'a title that is rather long for a narrow window of sixty columns'),
    );
    expect(screen.frames).toHaveLength(2);
    expect(screen.frames[0]).not.toBe(screen.frames[1]);
  });
});

class FakeTerminal extends EventEmitter {
  isTTY = true;
  columns = 80;
  rows = 4;
  writableNeedDrain = false;
  written: string[] = [];
  raw: boolean[] = [];
  write = (text: string): boolean => this.written.push(text) > 0;
  setRawMode = (mode: boolean): this => {
    this.raw.push(mode);
    return this;
  };
  resume = (): this => this;
  pause = (): this => this;
}

function openFake() {
  const input = new FakeTerminal();
  const output = new FakeTerminal();
  const signals = new EventEmitter();
  const screen = openScreen({ input, output, signals } as unknown as Parameters<typeof openScreen>[0]);
  return { input, output, signals, screen };
}

describe('openScreen', () => {
  it('gives the terminal back as it was: cursor, wrapping, screen and keys, and listens no more', () => {
    const { input, output, signals, screen } = openFake();
    screen[Symbol.dispose]();
    expect(output.written.join('')).toBe('\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[?7h\u001b[?25h\u001b[?1049l');
    expect(input.raw).toEqual([true, false]);
    for (const each of [input, output, signals]) expect(each.eventNames()).toEqual([]);
  });

  it.each(['q', 'Q', '\u0003', '\u0004'])('is left by the key %j', (key) => {
    const { input, screen } = openFake();
    input.emit('data', Buffer.from('x'));
    expect(screen.left.aborted).toBe(false);
    input.emit('data', Buffer.from(key));
    expect(screen.left.aborted).toBe(true);
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'])('is left by %s', (signal) => {
    const { signals, screen } = openFake();
    signals.emit(signal);
    expect(screen.left.aborted).toBe(true);
  });

  it('gives the terminal back when the process ends in any other way', () => {
    const { output, signals } = openFake();
    signals.emit('exit');
    expect(output.written.at(-1)).toContain('\u001b[?1049l');
  });

  it('writes a frame over the old one in one go, only when it differs, and no longer than the window', () => {
    const { output, screen } = openFake();
    output.written = [];
    screen.draw(['a', 'b', 'c', 'd', 'e', 'f']);
    screen.draw(['a', 'b', 'c', 'd', 'e', 'f']);
    expect(output.written).toEqual([
      '\u001b[?2026h\u001b[Ha\u001b[K\r\nb\u001b[K\r\nc\u001b[K\r\nd\u001b[K\u001b[J\u001b[?2026l',
    ]);
  });

  it('draws the same again after the window changed', () => {
    const { output, screen } = openFake();
    screen.draw(['a']);
    output.written = [];
    screen.onResize(() => screen.draw(['a']));
    output.emit('resize');
    expect(output.written).toHaveLength(1);
  });

  it('heaps nothing up for a terminal that takes nothing, and then draws what is newest', () => {
    const { output, screen } = openFake();
    output.written = [];
    output.writableNeedDrain = true;
    for (let at = 0; at < 1000; at++) screen.draw([`frame ${at}`]);
    expect(output.written).toEqual([]);
    output.writableNeedDrain = false;
    output.emit('drain');
    expect(output.written.join('')).toContain('frame 999');
    expect(output.written).toHaveLength(1);
  });
});
