import { join } from 'node:path';
import type { Clock, Log } from '../base/index.ts';
import type { HomePaths, SandboxSettings } from '../config/index.ts';
import type { OpenedEngine } from '../launch/index.ts';
import { createEngineProbe, openEngine, type EnvReader } from '../runtime/index.ts';

export interface EnginesOptions {
  readonly paths: HomePaths;
  readonly env: EnvReader;
  readonly loadSandbox: () => Promise<SandboxSettings>;
  readonly clock: Clock;
  readonly log: Log;
}

/** The container engines of this host, each opened once and kept with what it said of itself. */
export interface Engines {
  /** The one that these settings choose. Errors: ENGINE_*. */
  bySettings(settings: SandboxSettings): Promise<OpenedEngine>;
  /** The one that a session was started on; null for the one that sandbox.yaml chooses now. */
  byKind(kind: 'docker' | 'podman' | null): Promise<OpenedEngine>;
}

/** Opens an engine when it is first asked for; one that did not answer is tried again the next time. */
export function openEngines(options: EnginesOptions): Engines {
  const opened = new Map<string, Promise<OpenedEngine>>();
  const open = (cli: 'docker' | 'podman' | null): Promise<OpenedEngine> => {
    const key = cli ?? 'any';
    const known = opened.get(key);
    if (known !== undefined) return known;
    const opening = openOne(options, cli);
    opened.set(key, opening);
    opening.catch(() => opened.delete(key));
    return opening;
  };
  return {
    bySettings: (settings) => open(settings.cli),
    byKind: async (kind) => open(kind ?? (await options.loadSandbox()).cli),
  };
}

async function openOne(options: EnginesOptions, cli: 'docker' | 'podman' | null): Promise<OpenedEngine> {
  const engine = await openEngine({
    cli,
    env: options.env,
    privateDir: join(options.paths.run, 'engine-client'),
    log: options.log,
  });
  return { engine, probe: createEngineProbe(engine, options.clock) };
}
