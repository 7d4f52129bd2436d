import { asKraftError } from '../base/index.ts';
import type { LoadedRepos, PolicySettings, SandboxSettings } from '../config/index.ts';
import type { OpenedEngine } from '../launch/index.ts';
import type { EngineFacts, ImageInfo, KnownEngineFacts } from '../runtime/index.ts';
import { attempt, type Attempt } from './finding.ts';
import type { DoctorOptions } from './options.ts';

/** What is asked once per run and read by many rows. */
export interface DoctorContext {
  readonly options: DoctorOptions;
  readonly repos: Attempt<LoadedRepos>;
  readonly settings: Attempt<SandboxSettings>;
  readonly policy: Attempt<PolicySettings>;
  readonly engine: Attempt<LiveEngine>;
  /** Null when the image is not here. Each reference is asked once. */
  inspectImage(engine: OpenedEngine, reference: string): Promise<Attempt<ImageInfo | null>>;
  /** One throw-away container at a time, and one per key: ten repositories of one image start one. */
  once<T>(key: string, step: () => Promise<T>): Promise<T>;
}

export interface LiveEngine extends OpenedEngine {
  /** What `refresh` said; null when the engine opened and then gave no answer. */
  readonly facts: EngineFacts | null;
  /** The facts that a launch would be planned with, or the error that it would stop with. */
  readonly usable: Attempt<KnownEngineFacts>;
}

/** Loads the configuration and asks the engine anew. Never throws: what failed is kept for the rows that need it. */
export async function openContext(options: DoctorOptions): Promise<DoctorContext> {
  const [repos, settings, policy] = await Promise.all([
    attempt(() => options.config.repos()),
    attempt(() => options.config.sandbox()),
    attempt(() => options.config.policy()),
  ]);
  const engine: Attempt<LiveEngine> = settings.ok
    ? await attempt(() => askEngine(options, settings.value))
    : { ok: false, error: settings.error };
  const kept = new Map<string, Promise<unknown>>();
  let last: Promise<unknown> = Promise.resolve();
  const once = <T>(key: string, step: () => Promise<T>): Promise<T> => {
    const known = kept.get(key) as Promise<T> | undefined;
    if (known !== undefined) return known;
    const next = last.then(step, step);
    last = next.catch(asKraftError);
    kept.set(key, next);
    return next;
  };
  const inspectImage: DoctorContext['inspectImage'] = (opened, reference) =>
    once(`image ${reference}`, () => attempt(() => opened.engine.inspectImage(reference)));
  return { options, repos, settings, policy, engine, inspectImage, once };
}

async function askEngine(options: DoctorOptions, settings: SandboxSettings): Promise<LiveEngine> {
  const opened = await options.openEngine(settings);
  const facts = await opened.probe.refresh();
  return { ...opened, facts, usable: await attempt(() => opened.probe.probeForLaunch()) };
}
