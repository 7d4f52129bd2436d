/** The numbers of a policy that cap what sessions may take; each null where it says nothing. */
export interface CapNumbers {
  /** Minutes of one session. */
  readonly time_cap_minutes: number | null;
  /** Minutes of all sessions in the scope together. */
  readonly total_time_cap_minutes: number | null;
  readonly token_budget: number | null;
  readonly budget_usd: number | null;
}

/** One policy, and where a person finds it. */
export interface CapLayer {
  /** File and part, for people: `the entry in repos.yaml`. */
  readonly source: string;
  /** What it calls them; null where that is the field's own name. */
  readonly key: string | null;
  readonly numbers: CapNumbers;
}

/** Where policies stand: the item as a whole, or a part of its chain. */
export interface CapScope {
  /** Canonical path of the part; null for the item. */
  readonly path: string | null;
  /** The policies of this very part; those around it are other scopes. */
  readonly layers: readonly CapLayer[];
}

export type CapField = 'time_cap_minutes' | 'total_time_cap_minutes' | 'token_budget' | 'budget_usd' | 'daily_usd';

/** One bound, of one scope. */
export interface Cap {
  /** Canonical path, `the item` or `the day`. */
  readonly scope: string;
  readonly path: string | null;
  readonly field: CapField;
  /** Minutes, tokens or US dollars. */
  readonly limit: number;
  /** Where a person raises it: `budget_usd in the entry in repos.yaml`. */
  readonly source: string;
}

/** A bound and what has been used of it. */
export interface ReachedCap extends Cap {
  readonly used: number;
}

/** Everything that caps one session. */
export interface Caps {
  readonly session: Cap | null;
  /** Outermost first. */
  readonly totals: readonly Cap[];
}

/** What one session took so far. */
export interface SessionUse {
  /** Canonical path of its task. */
  readonly task: string;
  readonly ms: number;
  readonly tokens: number;
  readonly usd: number;
}

/** What counts against the bounds of a session: the sessions of its item, and the dollars of all items today (UTC). */
export interface Use {
  readonly sessions: readonly SessionUse[];
  readonly todayUsd: number;
}

/**
 * The bounds of one session from the scopes around it, outermost first. In a scope the smallest number of each field holds;
 * the defaults hold where no scope says anything of the field, for the item as a whole. Pure.
 */
export function meetCaps(
  scopes: readonly CapScope[],
  around: { readonly defaults: CapLayer | null; readonly dailyUsd: Cap | null },
): Caps {
  const [session] = scopes
    .flatMap((scope) => smallest(scope, 'time_cap_minutes') ?? [])
    .sort((one, other) => one.limit - other.limit);
  const whole: CapScope = { path: null, layers: around.defaults === null ? [] : [around.defaults] };
  const totals = totalFields.flatMap((field) => {
    const said = scopes.flatMap((scope) => smallest(scope, field) ?? []);
    const usual = said.some((cap) => cap.path === null) ? null : smallest(whole, field);
    return usual === null ? said : [usual, ...said];
  });
  return {
    session: session ?? smallest(whole, 'time_cap_minutes'),
    totals: [...totals, ...(around.dailyUsd === null ? [] : [around.dailyUsd])],
  };
}

const totalFields = ['total_time_cap_minutes', 'token_budget', 'budget_usd'] as const;

/** The bound of all items together for one day. */
export function dailyCap(usd: number | null): Cap | null {
  if (usd === null) return null;
  return { scope: 'the day', path: null, field: 'daily_usd', limit: usd, source: 'budgets.daily_usd in policy.yaml' };
}

function smallest({ path, layers }: CapScope, field: keyof CapNumbers): Cap | null {
  let cap: Cap | null = null;
  for (const { numbers, key, source } of layers) {
    const limit = numbers[field];
    if (limit === null || (cap !== null && cap.limit <= limit)) continue;
    cap = { scope: path ?? 'the item', path, field, limit, source: `${key ?? field} in ${source}` };
  }
  return cap;
}

/**
 * The first bound that is used up; null while there is room under all of them. A session without an agent spends neither
 * tokens nor dollars, so only the time binds it. Pure.
 */
export function findReached(caps: Caps, use: Use, session: { readonly spends: boolean }): ReachedCap | null {
  for (const cap of caps.totals) {
    if (!session.spends && cap.field !== 'total_time_cap_minutes') continue;
    const used = usedOf(cap, use);
    if (used >= cap.limit) return { ...cap, used };
  }
  return null;
}

/** Milliseconds that a session may run: its own cap, and what the totals around it leave; null for no bound. Pure. */
export function sessionTimeMs(caps: Caps, use: Use): number | null {
  const own = caps.session === null ? [] : [caps.session.limit * msPerMinute];
  const left = caps.totals
    .filter((cap) => cap.field === 'total_time_cap_minutes')
    .map((cap) => Math.max(0, (cap.limit - usedOf(cap, use)) * msPerMinute));
  const bounds = [...own, ...left];
  return bounds.length === 0 ? null : Math.round(Math.min(...bounds));
}

/**
 * The bound that ended a session at its time cap: a total that is used up, else its own. Clocks that began a moment apart are
 * given a second. Pure; null when it was neither of them.
 */
export function explainTimeCap(caps: Caps, use: Use, ranMs: number): ReachedCap | null {
  const slack = toMinutes(1000);
  for (const cap of caps.totals) {
    if (cap.field !== 'total_time_cap_minutes') continue;
    const used = usedOf(cap, use);
    if (used + slack >= cap.limit) return { ...cap, used };
  }
  const used = toMinutes(ranMs);
  return caps.session !== null && used + slack >= caps.session.limit ? { ...caps.session, used } : null;
}

function usedOf(cap: Cap, use: Use): number {
  const inside = use.sessions.filter(({ task }) => cap.path === null || isWithin(task, cap.path));
  switch (cap.field) {
    case 'time_cap_minutes':
    case 'total_time_cap_minutes':
      return toMinutes(inside.reduce((sum, { ms }) => sum + ms, 0));
    case 'token_budget':
      return inside.reduce((sum, { tokens }) => sum + tokens, 0);
    case 'budget_usd':
      return toCents(inside.reduce((sum, { usd }) => sum + usd, 0));
    case 'daily_usd':
      return toCents(use.todayUsd);
  }
}

/** Whether a task is that part of a chain or inside it. */
export function isWithin(task: string, path: string): boolean {
  return task === path || task.startsWith(`${path}.`);
}

const msPerMinute = 60_000;

/** In thousandths of a minute, so that a sum of rounded milliseconds is what it says. */
function toMinutes(ms: number): number {
  return Math.round((ms / msPerMinute) * 1000) / 1000;
}

/** In hundredths of a cent: sums of prices carry noise in their last digits. */
function toCents(usd: number): number {
  return Math.round(usd * 10_000) / 10_000;
}

/** What was reached in a person's words: a clause. Pure. */
export function renderReached({ field, scope, limit, used }: ReachedCap): string {
  const of = scope === 'the item' || scope === 'the day' ? scope : `\`${scope}\``;
  switch (field) {
    case 'time_cap_minutes':
      return `a session reached its time cap of ${limit} minutes (time_cap_minutes of ${of})`;
    case 'total_time_cap_minutes':
      return `the sessions of ${of} have run for ${used} minutes, and total_time_cap_minutes gives them ${limit}`;
    case 'token_budget':
      return `the agents of ${of} have used ${used} tokens, and token_budget gives them ${limit}`;
    case 'budget_usd':
      return `the agents of ${of} have cost ${used} US dollars, and budget_usd gives them ${limit}`;
    case 'daily_usd':
      return `the agents of all items have cost ${used} US dollars today (UTC), and daily_usd gives them ${limit}`;
  }
}
