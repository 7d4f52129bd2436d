import type { Io } from './command.ts';

/** `--json`: exactly the payload, two spaces deep. */
export function printJson(io: Io, payload: unknown): void {
  io.out(`${JSON.stringify(payload, null, 2)}\n`);
}

/** The array that `printJson` would print, given bit by bit: it is never held as a whole. */
export function createJsonList(io: Io): { add(payloads: readonly unknown[]): void; end(): void } {
  let isEmpty = true;
  return {
    add: (payloads) => {
      for (const payload of payloads) {
        const text = JSON.stringify(payload, null, 2).replaceAll('\n', '\n  ');
        io.out(`${isEmpty ? '[' : ','}\n  ${text}`);
        isEmpty = false;
      }
    },
    end: () => io.out(isEmpty ? '[]\n' : '\n]\n'),
  };
}

/** One payload per line, for what is followed. */
export function printJsonLine(io: Io, payload: unknown): void {
  io.out(`${JSON.stringify(payload)}\n`);
}
