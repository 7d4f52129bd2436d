import type { Io } from './command.ts';

/** `--json`: exactly the payload, two spaces deep. */
export function printJson(io: Io, payload: unknown): void {
  io.out(`${JSON.stringify(payload, null, 2)}\n`);
}

/** One payload per line, for what is followed. */
export function printJsonLine(io: Io, payload: unknown): void {
  io.out(`${JSON.stringify(payload)}\n`);
}
