import { once } from 'node:events';
import type { Io } from './command.ts';
import { createStyle, decideTerminal } from './terminal.ts';

/** The real outside world of a command: this process’s environment and streams. */
export function openIo(options: { readonly version: string; readonly personUmask: number }): Io {
  const variables = { ...process.env } as Record<string, string>;
  const env = (name: string): string | undefined => variables[name];
  const terminal = decideTerminal({
    env,
    stdinIsTty: process.stdin.isTTY,
    stdoutIsTty: process.stdout.isTTY,
    stderrIsTty: process.stderr.isTTY,
    columns: process.stdout.columns,
  });
  return {
    ...options,
    variables,
    env,
    cwd: process.cwd(),
    terminal,
    style: createStyle(terminal.color),
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    flushed: async () => {
      for (const stream of [process.stdout, process.stderr]) if (stream.writableNeedDrain) await once(stream, 'drain');
    },
  };
}
