import { setTimeout as delay } from 'node:timers/promises';
import type { Engine } from '../runtime/index.ts';
import type { Control } from './control.ts';
import { relayAddress } from './plan.ts';

/** How a relay is asked whether it listens, and for a request through its own port. */
export interface Speaker {
  /** Null: it is not known to listen after `waitMs`. Else the version of the protocol, or `socat`. */
  ready(waitMs: number): Promise<string | null>;
  /** Status of the answer to a request for a name that no list can allow; null without an answer. */
  ask(timeoutMs: number): Promise<number | null>;
  /** Whether it is known to be alive without asking the engine. */
  connected(): boolean;
}

/** Kraft's own relay says of itself when it listens, and makes the request itself. */
export function speakToOwnRelay(control: Control): Speaker {
  return {
    async ready(waitMs) {
      const over = new AbortController();
      try {
        return await Promise.race([control.greeted, delay(waitMs, null, { signal: over.signal })]);
      } finally {
        over.abort();
      }
    },
    ask: (timeoutMs) => control.probe(timeoutMs),
    connected: () => control.connected,
  };
}

const selfTestTarget = 'selftest.kraft.invalid:443';
const target = `TCP4:${relayAddress.host}:${relayAddress.port}`;
const execTimeoutMs = 10_000;

/** socat says nothing: it is run a second time in its container. */
export function speakToSocat(engine: Engine, container: string): Speaker {
  return {
    async ready(waitMs) {
      const argv = ['socat', '-u', 'OPEN:/dev/null', target];
      const done = await engine.exec(container, argv, { input: null, timeoutMs: execTimeoutMs });
      if (done.exitCode === 0) return 'socat';
      await delay(waitMs);
      return null;
    },
    async ask(timeoutMs) {
      const input = `CONNECT ${selfTestTarget} HTTP/1.1\r\nHost: ${selfTestTarget}\r\n\r\n`;
      const argv = ['socat', `-t${Math.ceil(timeoutMs / 1000)}`, '-', target];
      const done = await engine.exec(container, argv, { input, timeoutMs });
      return Number(/^HTTP\/1\.\d (\d{3})/u.exec(done.stdout)?.[1] ?? 0) || null;
    },
    connected: () => false,
  };
}
