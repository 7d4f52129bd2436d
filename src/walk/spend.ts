import type { KraftEvent, WorkerSessionExited } from '../events/index.ts';
import type { LogReading } from '../harness/index.ts';
import type { Caps } from '../items/index.ts';
import type { WorkerResult } from '../launch/index.ts';
import type { SessionRow } from '../store/index.ts';

/** What a session says that it used, as its row keeps it. Written by a worker: figures to show and to count. */
export type SessionSpend = Pick<
  SessionRow,
  'agentSession' | 'model' | 'inputTokens' | 'cachedTokens' | 'outputTokens' | 'costUsd'
>;

/** A session that has said nothing of what it used. */
export const nothingSpent: SessionSpend = {
  agentSession: null,
  model: null,
  inputTokens: null,
  cachedTokens: null,
  outputTokens: null,
  costUsd: null,
};

/** Writing into a cache is input like any other; what is read back from it is kept apart. Pure. */
export function spendOfReading(reading: LogReading): SessionSpend {
  const { agentSession, model, costUsd } = reading;
  const inputTokens = reading.inputTokens + reading.cacheWriteTokens;
  const [cachedTokens, outputTokens] = [reading.cacheReadTokens, reading.outputTokens];
  const tokens = inputTokens + cachedTokens + outputTokens === 0 ? {} : { inputTokens, cachedTokens, outputTokens };
  return { ...nothingSpent, agentSession, model, costUsd, ...tokens };
}

/** Several rows of one session of an agent's own, as its reader tells one. Pure. */
export function sumReadings(agentSession: string, rows: readonly SessionSpend[]): LogReading {
  const sum = (key: 'inputTokens' | 'cachedTokens' | 'outputTokens' | 'costUsd'): number =>
    rows.reduce((total, row) => total + (row[key] ?? 0), 0);
  return {
    agentSession,
    model: rows.at(-1)?.model ?? null,
    inputTokens: sum('inputTokens'),
    outputTokens: sum('outputTokens'),
    cacheReadTokens: sum('cachedTokens'),
    // Kept with the input.
    cacheWriteTokens: 0,
    costUsd: rows.every(({ costUsd }) => costUsd === null) ? null : sum('costUsd'),
    rateLimit: null,
  };
}

/** What the result file of a harness without a log reader says. Pure. */
export function spendOfResult(result: WorkerResult | null): SessionSpend {
  if (result === null) return nothingSpent;
  const { usage, model, costUsd } = result;
  const tokens =
    usage === null
      ? {}
      : {
          inputTokens: usage.inputTokens + usage.cacheWriteTokens,
          cachedTokens: usage.cacheReadTokens,
          outputTokens: usage.outputTokens,
        };
  return { ...nothingSpent, model, costUsd, ...tokens };
}

type SpendPayload = Pick<
  WorkerSessionExited['payload'],
  'model' | 'input_tokens' | 'cached_tokens' | 'output_tokens' | 'cost_usd'
>;

/** The same in the words of `worker_session_exited`. */
export function spendPayload(spend: SessionSpend): SpendPayload {
  return {
    model: spend.model,
    input_tokens: spend.inputTokens,
    cached_tokens: spend.cachedTokens,
    output_tokens: spend.outputTokens,
    cost_usd: spend.costUsd,
  };
}

/** Tokens without a price, under a budget in dollars that therefore does not see them; null otherwise. */
export function unpricedEvent(sessionId: string, spend: SessionSpend, caps: Caps): KraftEvent | null {
  const used = (spend.inputTokens ?? 0) + (spend.cachedTokens ?? 0) + (spend.outputTokens ?? 0);
  const isBound = caps.totals.some(({ field }) => field === 'budget_usd' || field === 'daily_usd');
  if (used === 0 || spend.costUsd !== null || !isBound) return null;
  return { type: 'spend_unpriced', payload: { session_id: sessionId, model: spend.model } };
}
