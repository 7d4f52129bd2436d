import { setTimeout as delay } from 'node:timers/promises';
import { hasCode } from '../base/index.ts';
import type { Board } from '../compose/index.ts';
import { renderBoard } from './render-board.ts';
import type { Screen } from './screen.ts';
import type { Style } from './terminal.ts';

/** Where a board comes from. */
export interface BoardSource {
  board(): Promise<Board>;
  /** Until something happened after an event, or for a while. */
  untilNews(afterSeq: number, abort: AbortSignal): Promise<void>;
}

export interface BoardView {
  readonly source: BoardSource;
  readonly screen: Screen;
  readonly style: Style;
  readonly nowMs: () => number;
  /** Between two looks: however much happens, the daemon is asked no more often. */
  readonly gapMs: number;
  /** Before a daemon that does not answer is asked again. */
  readonly retryMs: number;
}

const tickMs = 1_000;

/**
 * Shows a board until the person leaves. It is drawn anew when something happens, when the window changes and while a
 * clock runs; a daemon that is restarted meanwhile is waited for. Errors: what the source reports besides.
 */
export async function watchBoard(view: BoardView, first: Board): Promise<void> {
  const { source, screen, style, nowMs } = view;
  const { left } = screen;
  const isLeft = (): boolean => left.aborted;
  let board = first;
  let notice: string | null = null;
  const draw = (): void => screen.draw(renderBoard(board, { ...screen.size(), nowMs: nowMs(), style, notice }));
  screen.onResize(draw);
  draw();
  const ticking = setInterval(draw, tickMs);
  try {
    while (!isLeft()) {
      try {
        if (notice === null) await source.untilNews(board.seq, left);
        board = await source.board();
        notice = null;
      } catch (error) {
        if (isLeft()) break;
        if (!hasCode(error, 'DAEMON_NOT_RUNNING') && !hasCode(error, 'DAEMON_UNREACHABLE')) throw error;
        notice = 'The daemon does not answer: this is how things stood. It is asked again.';
      }
      draw();
      await delay(notice === null ? view.gapMs : view.retryMs, undefined, { signal: left }).catch(() => undefined);
    }
  } finally {
    clearInterval(ticking);
  }
}
