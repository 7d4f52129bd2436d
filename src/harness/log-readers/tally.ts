import { safeLine } from '../../base/index.ts';
import { isAgentSession } from '../agent-session.ts';
import { type ToldCounts, isAmount, largerCounts, noTokens, sumCounts, toCounts } from './counts.ts';

/** What the output of one agent session has told so far. A worker can write it: data to show and to count, never trusted. */
export interface LogReading {
  /** The product's own id of the session, fit for `AgentOptions.resume`. */
  readonly agentSession: string | null;
  readonly model: string | null;
  /** Tokens of the prompt that were not read from a cache. */
  readonly inputTokens: number;
  /** Thinking included. */
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

export interface TokenCounts {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

const costMaxUsd = 1e6;
const reasonMaxChars = 300;
const earliestMs = Date.UTC(2020, 0);
const latestMs = Date.UTC(2100, 0);

/**
 * The counters of one log. Whatever they are given they only grow, and stay counts: a product tells either what each answer
 * took (`add`) or what the session has taken by now (`raise`), and some tell both; the larger of the two stands.
 */
export class Tally {
  #agentSession: string | null = null;
  #model: string | null = null;
  #added = noTokens;
  #told = noTokens;
  #costUsd: number | null = null;
  #rateLimit: RateLimit | null = null;

  get reading(): LogReading {
    const tokens = largerCounts(this.#added, this.#told);
    return {
      agentSession: this.#agentSession,
      model: this.#model,
      inputTokens: tokens.input,
      outputTokens: tokens.output,
      cacheReadTokens: tokens.cacheRead,
      cacheWriteTokens: tokens.cacheWrite,
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
  add(told: ToldCounts): void {
    this.#added = sumCounts(this.#added, toCounts(told));
  }

  /** What the whole session has taken by now. */
  raise(told: ToldCounts): void {
    this.#told = largerCounts(this.#told, toCounts(told));
  }

  addCost(usd: number | null): void {
    if (isAmount(usd)) this.#costUsd = Math.min((this.#costUsd ?? 0) + usd, costMaxUsd);
  }

  raiseCost(usd: number | null): void {
    if (isAmount(usd)) this.#costUsd = Math.max(this.#costUsd ?? 0, Math.min(usd, costMaxUsd));
  }

  /** The provider is limited; `resetsAtMs` is since the epoch, null when this line does not tell it. */
  limit(reason: string, resetsAtMs: number | null): void {
    const known = resetsAtMs !== null && resetsAtMs >= earliestMs && resetsAtMs < latestMs;
    // What has told the time stays: later lines often repeat the refusal without it.
    const resetsAt = known ? new Date(resetsAtMs).toISOString() : (this.#rateLimit?.resetsAt ?? null);
    this.#rateLimit = { resetsAt, reason: safeLine(reason.slice(0, reasonMaxChars)) };
  }

  /** It got an answer after all, or ended for another reason. */
  unlimit(): void {
    this.#rateLimit = null;
  }
}

/** Whether words of an error are those of a rate limit or of a used-up quota. */
export function soundsLimited(words: string): boolean {
  return /\b429\b|\brate.?limit|\busage limit|\btoo many requests\b|\bquota\b|resource.?exhausted/iu.test(
    words.slice(0, 4096),
  );
}
