/** A terminal that one command draws on as a whole. Disposing gives it back as it was. */
export interface Screen extends Disposable {
  size(): { readonly columns: number; readonly rows: number };
  /** Replaces what is shown. Lines are cut at the edge, and what does not fit is left out. */
  draw(lines: readonly string[]): void;
  onResize(listener: () => void): void;
  /** Aborted when the person leaves (q, ctrl-c) or a signal says so. */
  readonly left: AbortSignal;
}

/** The streams of a process, as far as a screen uses them. */
export interface ScreenStreams {
  readonly input: Pick<NodeJS.ReadStream, 'isTTY' | 'setRawMode' | 'resume' | 'pause' | 'on' | 'off'>;
  readonly output: Pick<NodeJS.WriteStream, 'columns' | 'rows' | 'write' | 'writableNeedDrain' | 'on' | 'off'>;
  readonly signals: Pick<NodeJS.Process, 'on' | 'off'>;
}

const endings = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
// The screen beside the one with the person's history, no cursor, and no line that runs over into the next.
const enter = '\u001b[?1049h\u001b[?25l\u001b[?7l';
const leave = '\u001b[?7h\u001b[?25h\u001b[?1049l';

/** Takes the terminal. Preconditions: the output is a terminal that understands cursor movements. */
export function openScreen({ input, output, signals }: ScreenStreams): Screen {
  const left = new AbortController();
  const end = (): void => left.abort();
  const onKeys = (keys: Buffer): void => {
    if (/[qQ\u0003\u0004]/.test(keys.toString('latin1'))) end();
  };
  let wanted: readonly string[] = [];
  let shown = '';
  const paint = (): void => {
    const frame = renderFrame(wanted, output.rows);
    // A terminal that takes nothing is given nothing more; what is newest is drawn once it does.
    if (frame === shown || output.writableNeedDrain) return;
    shown = frame;
    output.write(frame);
  };
  const resized: (() => void)[] = [];
  const onResize = (): void => {
    // What the terminal made of the old frame at its new size is unknown.
    shown = '';
    for (const listener of resized) listener();
  };

  output.write(enter);
  if (input.isTTY) input.setRawMode(true);
  input.on('data', onKeys);
  input.resume();
  output.on('drain', paint);
  output.on('resize', onResize);
  for (const signal of endings) signals.on(signal, end);
  // Whatever ends this process, the person finds their terminal as it was.
  const giveBack = (): void => void output.write(leave);
  signals.on('exit', giveBack);
  return {
    left: left.signal,
    size: () => ({ columns: output.columns || 80, rows: output.rows || 24 }),
    draw: (lines) => {
      wanted = lines;
      paint();
    },
    onResize: (listener) => void resized.push(listener),
    [Symbol.dispose]: () => {
      for (const signal of endings) signals.off(signal, end);
      output.off('resize', onResize);
      output.off('drain', paint);
      input.off('data', onKeys);
      if (input.isTTY) input.setRawMode(false);
      input.pause();
      signals.off('exit', giveBack);
      giveBack();
    },
  };
}

/** One write for a whole frame, over the old one line by line: nothing is blank in between. */
function renderFrame(lines: readonly string[], rows: number): string {
  const cleared = lines.slice(0, rows || 24).map((line) => `${line}\u001b[K`);
  return `\u001b[?2026h\u001b[H${cleared.join('\r\n')}\u001b[J\u001b[?2026l`;
}
