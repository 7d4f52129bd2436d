/** A cap of the policy was reached; `scope` is the canonical path that it stands for, or `the item`. */
export interface TimeCapReached {
  readonly type: 'time_cap_reached';
  readonly payload: {
    readonly scope: string;
    readonly field: 'time_cap_minutes' | 'total_time_cap_minutes' | 'timeout_minutes';
    readonly minutes: number;
    readonly reason: string;
  };
}
export interface ScopeBudgetReached {
  readonly type: 'scope_budget_reached';
  readonly payload: {
    readonly scope: string;
    readonly field: 'token_budget' | 'budget_usd' | 'max_attempts' | 'daily_usd';
    readonly limit: number;
    readonly used: number;
  };
}
/** A session used tokens whose price nobody said: a budget in dollars does not see it. */
export interface SpendUnpriced {
  readonly type: 'spend_unpriced';
  readonly payload: { readonly session_id: string; readonly model: string | null };
}
/** The provider refused for now; `resets_at` is null when it did not say until when. */
export interface RateLimitHit {
  readonly type: 'rate_limit_hit';
  readonly payload: { readonly session_id: string; readonly harness: string; readonly resets_at: string | null };
}
/** The task goes on with another harness or model. */
export interface LaunchFallback {
  readonly type: 'launch_fallback';
  readonly payload: { readonly task: string; readonly from: string; readonly to: string; readonly reason: string };
}
export interface LaunchFallbackExhausted {
  readonly type: 'launch_fallback_exhausted';
  readonly payload: { readonly task: string; readonly reason: string };
}

export type LimitEvent =
  TimeCapReached | ScopeBudgetReached | SpendUnpriced | RateLimitHit | LaunchFallback | LaunchFallbackExhausted;
