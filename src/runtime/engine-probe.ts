import { type Clock, type KraftError, hasCode } from '../base/index.ts';
import type { Engine, EngineFacts, KnownEngineFacts } from './engine.ts';
import { runtimeErrors } from './errors.ts';

/** Bounds of asking (SI 0.5). */
export const probeTimeoutMs = 10_000;
export const identityTimeoutMs = 30_000;
export const inconclusiveTtlMs = 30_000;

/** The engine's answers, asked once and kept by the rules of SI 1.3. One per engine and process. */
export interface EngineProbe {
  /** For whatever must not fail: the kept answer, or null when the engine gave none. Never asks twice within 30 s. */
  facts(): Promise<EngineFacts | null>;
  /**
   * For launches: asks once more, with more time, when the identity is not known yet.
   * Errors: ENGINE_UNREACHABLE, ENGINE_IDENTITY_UNKNOWN, ENGINE_REMOTE.
   */
  probeForLaunch(): Promise<KnownEngineFacts>;
  /** For doctor: asks anew. An answer without an identity keeps the one that was known. */
  refresh(): Promise<EngineFacts | null>;
}

interface Detection {
  /** Null: the engine gave no answer at all. */
  readonly facts: EngineFacts | null;
  readonly failure: KraftError | null;
  readonly atMs: number;
  /** The one further ask of a launch has been made. */
  readonly reasked: boolean;
}

/** Wraps an engine with the cache. Errors of the engine that are no KRAFT_ENGINE_* pass through. */
export function createEngineProbe(engine: Engine, clock: Clock): EngineProbe {
  return new CachedEngineProbe(engine, clock);
}

class CachedEngineProbe implements EngineProbe {
  readonly #engine: Engine;
  readonly #clock: Clock;
  #kept: Detection | null = null;
  /** The last identity that the engine told: what an answer without one is completed with. */
  #identity: KnownEngineFacts | null = null;
  #lock: Promise<unknown> = Promise.resolve();

  constructor(engine: Engine, clock: Clock) {
    this.#engine = engine;
    this.#clock = clock;
  }

  facts(): Promise<EngineFacts | null> {
    return this.#locked(async () => (await this.#current()).facts);
  }

  refresh(): Promise<EngineFacts | null> {
    return this.#locked(async () => (this.#kept = await this.#ask(probeTimeoutMs, false)).facts);
  }

  probeForLaunch(): Promise<KnownEngineFacts> {
    return this.#locked(async () => {
      let detection = await this.#current();
      if (!isIdentityKnown(detection.facts) && !detection.reasked)
        this.#kept = detection = await this.#ask(identityTimeoutMs, true);
      return this.#usable(detection);
    });
  }

  #usable(detection: Detection): KnownEngineFacts {
    const { facts, failure } = detection;
    if (facts === null) {
      if (failure !== null) throw failure;
      throw runtimeErrors.create('ENGINE_UNREACHABLE', { attempts: [] });
    }
    if (facts.remote !== null) throw runtimeErrors.create('ENGINE_REMOTE', facts.remote);
    if (!isIdentityKnown(facts))
      throw runtimeErrors.create('ENGINE_IDENTITY_UNKNOWN', { cli: this.#engine.cli, endpoint: facts.endpoint });
    return facts;
  }

  async #current(): Promise<Detection> {
    const kept = this.#kept;
    if (kept !== null && (isConclusive(kept.facts) || this.#clock.monotonicMs() - kept.atMs < inconclusiveTtlMs))
      return kept;
    return (this.#kept = await this.#ask(probeTimeoutMs, false));
  }

  async #ask(timeoutMs: number, reasked: boolean): Promise<Detection> {
    try {
      const facts = completeIdentity(await this.#engine.probe(timeoutMs), this.#identity);
      if (isIdentityKnown(facts)) this.#identity = facts;
      return { facts, failure: null, atMs: this.#clock.monotonicMs(), reasked };
    } catch (error) {
      if (!hasCode(error, 'ENGINE_UNREACHABLE') && !hasCode(error, 'ENGINE_TIMEOUT')) throw error;
      return { facts: null, failure: error, atMs: this.#clock.monotonicMs(), reasked };
    }
  }

  /** One ask at a time: concurrent launches and doctor see one answer. */
  #locked<T>(task: () => Promise<T>): Promise<T> {
    const next = this.#lock.then(task, task);
    this.#lock = next.catch(() => undefined);
    return next;
  }
}

function isIdentityKnown(facts: EngineFacts | null): facts is KnownEngineFacts {
  return facts !== null && facts.rootless !== 'unknown' && facts.appliesSelinuxLabels !== 'unknown';
}

function isConclusive(facts: EngineFacts | null): boolean {
  return isIdentityKnown(facts) && facts.enforceable !== 'unknown';
}

/** A slow answer must not turn a known rootless engine into an unknown one. */
function completeIdentity(facts: EngineFacts, known: KnownEngineFacts | null): EngineFacts {
  if (known === null || isIdentityKnown(facts)) return facts;
  return { ...facts, rootless: known.rootless, appliesSelinuxLabels: known.appliesSelinuxLabels };
}
