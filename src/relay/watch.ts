import type { ContainerState, Engine } from '../runtime/index.ts';

export interface WatchOptions {
  readonly engine: Engine;
  readonly container: string;
  /** True: its own word says that it lives, and the engine is asked only when that stops. */
  readonly connected: () => boolean;
  readonly pollMs: number;
}

/** Notices that a relay's container does not run any more. */
export interface RelayWatch {
  /** Why, once; never rejects, and never resolves after `stop`. */
  readonly lost: Promise<string>;
  /** Looks now and then until the relay speaks again. */
  look(): void;
  stop(): void;
}

/**
 * A silent relay alone is no dead one: a daemon that starts again hears nothing for a moment either, and an engine that
 * gives no answer says nothing about the container. Only the engine's word that it does not run counts.
 */
export function watchRelay(options: WatchOptions): RelayWatch {
  const { promise: lost, resolve } = Promise.withResolvers<string>();
  let stopped = false;
  let timer: NodeJS.Timeout | null = null;
  const lookAgain = (): void => {
    timer ??= setTimeout(look, options.pollMs).unref();
  };
  const look = (): void => {
    timer = null;
    if (stopped || options.connected()) return;
    void options.engine.inspectContainer(options.container).then((state) => {
      const end = describeEnd(state);
      if (end === null) {
        lookAgain();
        return;
      }
      if (!stopped) resolve(end);
      stopped = true;
    }, lookAgain);
  };
  return {
    lost,
    look() {
      if (timer === null) look();
    },
    stop() {
      stopped = true;
      if (timer !== null) clearTimeout(timer);
    },
  };
}

/** How a container ended, for people; null while it runs. */
export function describeEnd(state: ContainerState | null): string | null {
  if (state === null) return 'its container was removed';
  if (state.running) return null;
  if (state.oomKilled) return 'it was killed because it used more memory than its limit';
  return state.exitCode === null ? 'its container was never started' : `its exit code is ${state.exitCode}`;
}
