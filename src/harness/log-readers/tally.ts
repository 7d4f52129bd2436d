import { safeLine } from '../../base/index.ts';
import { isAgentSession } from '../agent-session.ts';

/** What the output of one agent session has told so far. A worker can write it: data to show and to count, never trusted. */
export interface LogReading {
  /** The product's own id of the session, fit for `AgentOptions.resume`. */
  readonly agentSession: string | null;
  readonly model: string | null;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** Null when the product has told no price. */
  readonly costUsd: number | null;
  /** The provider's last word was that it is limited for now; null otherwise. */
  readonly rateLimit: RateLimit | null;
}

export interface RateLimit {
  /** RFC 3339; null when nobody said until when. */
  readonly resetsAt: string | null;
  readonly reason: string;
}

/** Counts as a product tells them: each null where it tells nothing. */
export interface TokenCounts {
  readonly input: number | null;
  readonly output: number | null;
  readonly cacheRead: number | null;
  readonly cacheWrite: number | null;
}

const tokensMax = 1e12;
const costMaxUsd = 1e6;
const earliestMs = Date.UTC(2020, 0);
const latestMs = Date.UTC(2100, 0);

/** The counters of one log. Whatever they are given they only grow, and stay counts. */
export class Tally {
  #agentSession: string | null = null;
  #model: string | null = null;
  #tokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  #costUsd: number | null = null;
  #rateLimit: RateLimit | null = null;

  get reading(): LogReading {
    return {
      agentSession: this.#agentSession,
      model: this.#model,
      inputTokens: this.#tokens.input,
      outputTokens: this.#tokens.output,
      cacheReadTokens: this.#tokens.cacheRead,
      cacheWriteTokens: this.#tokens.cacheWrite,
      costUsd: this.#costUsd,
      rateLimit: this.#rateLimit,
    };
  }

  /** The product's session; an id that could not go back onto a command line is none. */
  nameSession(id: string | null): void {
    if (id !== null && isAgentSession(id)) this.#agentSession = id;
  }

  nameModel(model: string | null): void {
    if (model !== null && /^[\x21-\x7e](?:[\x20-\x7e]{0,198}[\x21-\x7e])?$/u.test(model)) this.#model = model;
  }

  /** What one more answer took. */
  add(counts: TokenCounts): void {
    for (const key of tokenKeys)
      this.#tokens[key] = Math.min(this.#tokens[key] + clamp(counts[key], tokensMax), tokensMax);
  }

  /** What the whole session has taken by now. */
  raise(counts: TokenCounts): void {
    for (const key of tokenKeys) this.#tokens[key] = Math.max(this.#tokens[key], clamp(counts[key], tokensMax));
  }

  addCost(usd: number | null): void {
    if (isAmount(usd)) this.#costUsd = Math.min((this.#costUsd ?? 0) + usd, costMaxUsd);
  }

  raiseCost(usd: number | null): void {
    if (isAmount(usd)) this.#costUsd = Math.max(this.#costUsd ?? 0, Math.min(usd, costMaxUsd));
  }

  /** The provider is limited; `resetsAtMs` is since the epoch. */
  limit(reason: string, resetsAtMs: number | null): void {
    const known = resetsAtMs !== null && resetsAtMs >= earliestMs && resetsAtMs < latestMs;
    // What has told the time stays: later lines often repeat the refusal without it.
    const resetsAt = known ? new Date(resetsAtMs).toISOString() : (this.#rateLimit?.resetsAt ?? null);
    this.#rateLimit = { resetsAt, reason: safeLine(reason.slice(0, 300)) };
  }

  /** It got an answer after all. */
  unlimit(): void {
    this.#rateLimit = null;
  }
}

const tokenKeys = ['input', 'output', 'cacheRead', 'cacheWrite'] as const;

function isAmount(value: number | null): value is number {
  return value !== null && Number.isFinite(value) && value >= 0;
}

function clamp(value: number | null, max: number): number {
  return isAmount(value) ? Math.min(Math.floor(value), max) : 0;
}
