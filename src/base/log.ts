/** Human log lines on their way to a file or stderr; disposable. A fact that matters is an event instead. */
export interface Log {
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

export const silentLog: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };
