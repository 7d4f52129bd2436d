import { setTimeout as delay } from 'node:timers/promises';
import { asKraftError } from '../base/index.ts';
import { openLogReader, type LogReader, type LogReading } from '../harness/index.ts';
import { findReached, type Caps, type ReachedCap } from '../items/index.ts';
import { LogTail, type FinishedLaunch, type RunningLaunch } from '../launch/index.ts';
import type { SessionRow } from '../store/index.ts';
import type { Frozen } from './frozen.ts';
import { loadCaps, loadUse } from './item-caps.ts';
import type { WalkPorts } from './ports.ts';
import type { Run } from './run.ts';
import { nothingSpent, spendOfReading, spendOfResult, sumReadings, type SessionSpend } from './spend.ts';

/** A session that is over, with what was learned of it while it ran. */
export interface Watched {
  readonly finished: FinishedLaunch;
  readonly spend: SessionSpend;
  /** What its log told; null for a harness without a log reader, and for a session without an agent. */
  readonly reading: LogReading | null;
  /** Why it was ended, where it used more than it may. */
  readonly reached: ReachedCap | null;
  /** Null where the policy cannot be read any more. */
  readonly caps: Caps | null;
}

/** Waits for a launch to end while its log is read; ends it when it has used up what it or its item may use. */
export async function watchSession(
  ports: WalkPorts,
  run: Run,
  { launch, row, frozen }: { readonly launch: RunningLaunch; readonly row: SessionRow; readonly frozen: Frozen },
): Promise<Watched> {
  const meter = await openMeter(ports, row, frozen);
  const over = new AbortController();
  const metering = meter.watch(over.signal, () => launch.stop('cap'));
  try {
    const finished = await run.watch(launch);
    over.abort();
    await metering;
    return await meter.close(finished);
  } finally {
    over.abort();
    await metering;
  }
}

/** The same of a session that ended while no daemon was there. */
export async function readSession(
  ports: WalkPorts,
  { finished, row, frozen }: { readonly finished: FinishedLaunch; readonly row: SessionRow; readonly frozen: Frozen },
): Promise<Watched> {
  return (await openMeter(ports, row, frozen)).close(finished);
}

async function openMeter(ports: WalkPorts, row: SessionRow, frozen: Frozen): Promise<Meter> {
  // What cannot be read now was readable when it was launched: its time cap still holds, and its end is told.
  const orNull = async <T>(read: () => Promise<T>): Promise<T | null> => {
    try {
      return await read();
    } catch (error) {
      ports.log.warn(`${row.itemId}: what session ${row.id} uses is not watched: ${asKraftError(error).message}`);
      return null;
    }
  };
  const { harness } = row;
  const before = harness === null ? null : await orNull(() => readBefore(ports, row));
  const selected = harness === null ? null : await orNull(() => ports.loadHarness(harness));
  const caps = await orNull(() => loadCaps(ports, frozen, row.task));
  return new Meter(ports, { row, caps, reader: selected === null ? null : openLogReader(selected.harness, before) });
}

/** What the agent's own session had told before this one went on with it; null for one that began anew. */
async function readBefore(ports: Pick<WalkPorts, 'store'>, { id, itemId }: SessionRow): Promise<LogReading | null> {
  const type = 'agent_session_resumed';
  const events = await ports.store.events({ itemId, type, afterSeq: 0, limit: 500 });
  const resumed = events.find((event) => event.type === type && event.payload.session_id === id);
  if (resumed?.type !== type) return null;
  const { agent_session: agentSession } = resumed.payload;
  const rows = await ports.store.listSessions({ itemId, statuses: null });
  return sumReadings(
    agentSession,
    rows.filter((row) => row.id !== id && row.agentSession === agentSession),
  );
}

/** What one session has used, by its log, and whether that is too much. */
class Meter {
  readonly #ports: WalkPorts;
  readonly #row: SessionRow;
  readonly #caps: Caps | null;
  readonly #reader: LogReader | null;
  readonly #tail: LogTail | null;
  #spend: SessionSpend = nothingSpent;
  #reached: ReachedCap | null = null;

  constructor(
    ports: WalkPorts,
    what: { readonly row: SessionRow; readonly caps: Caps | null; readonly reader: LogReader | null },
  ) {
    const { reader } = what;
    this.#ports = ports;
    this.#row = what.row;
    this.#caps = what.caps;
    this.#reader = reader;
    this.#tail = reader === null ? null : new LogTail(what.row.logPath, (chunk) => reader.push(chunk));
  }

  /** Looks again and again until it is aborted, or something is used up. Never rejects. */
  async watch(signal: AbortSignal, stop: () => void): Promise<void> {
    const isShared = this.#caps?.totals.some(({ field }) => field === 'total_time_cap_minutes') ?? false;
    if (this.#tail === null && !isShared) return;
    while (await pause(this.#ports.usagePollMs, signal)) {
      try {
        const isNews = await this.#readOn();
        if (isNews || isShared) await this.#look();
      } catch (error) {
        // A full disk, or a daemon that goes: the next look, or the next daemon, sees the same again.
        this.#ports.log.warn(`${this.#row.itemId}: what it uses was not recorded: ${asKraftError(error).message}`);
      }
      if (this.#reached === null) continue;
      stop();
      return;
    }
  }

  async close(finished: FinishedLaunch): Promise<Watched> {
    await this.#tail?.readOn();
    const reading = this.#reader?.reading ?? null;
    return {
      finished,
      spend: reading === null ? spendOfResult(finished.result) : spendOfReading(reading),
      reading,
      reached: this.#reached,
      caps: this.#caps,
    };
  }

  /** Reads on and records what is new, for whoever looks and for the sessions beside it. */
  async #readOn(): Promise<boolean> {
    if (this.#tail === null || this.#reader === null || !(await this.#tail.readOn())) return false;
    const spend = spendOfReading(this.#reader.reading);
    if (JSON.stringify(spend) === JSON.stringify(this.#spend)) return false;
    const { itemId, id } = this.#row;
    const sessions = [{ id, ...spend }];
    await this.#ports.store.apply({ itemId, item: {}, events: [], sessions, expectStatus: null });
    this.#spend = spend;
    return true;
  }

  async #look(): Promise<void> {
    if (this.#caps === null) return;
    const use = await loadUse(this.#ports, this.#row.itemId);
    this.#reached = findReached(this.#caps, use, { spends: this.#row.harness !== null });
  }
}

/** False when it was aborted. */
async function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await delay(ms, undefined, { signal, ref: false });
    return true;
  } catch {
    return false;
  }
}
