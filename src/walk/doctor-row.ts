import { setTimeout as delay } from 'node:timers/promises';
import { asKraftError } from '../base/index.ts';
import type { Item, ItemStop } from '../items/index.ts';
import { doctorRowOf } from '../launch/index.ts';
import { thaw } from './frozen.ts';
import type { SeenRow, WalkPorts } from './ports.ts';

/** A row may start a container; a stop is not held up for longer. */
export const lookMaxMs = 20_000;

/**
 * Adds as `doctor_row` the row of doctor that looks at what the stop is about (PF-D02), as it is right then: an error may name what failed last, and a look at
 * the whole tells the cause. Without an answer the row is named, so that a person knows where to look. Never throws.
 */
export async function addDoctorRow(
  ports: Pick<WalkPorts, 'lookAtRow' | 'log'>,
  item: Item,
  stop: ItemStop,
  maxMs = lookMaxMs,
): Promise<ItemStop> {
  const name = stop.code === null ? null : doctorRowOf(stop.code);
  if (name === null) return stop;
  const { path, label } = thaw(item).repo;
  const { lookAtRow } = ports;
  const seen = lookAtRow === null ? null : await lookInTime(ports, () => lookAtRow(name, path), maxMs);
  const ofRepository = ['repo', 'setup', 'tests', 'sandbox'].includes(name);
  const row =
    seen === null
      ? `${ofRepository ? `${name} ${label}` : name}: not asked in time, \`kraft admin doctor\` shows it`
      : `${seen.name}: ${seen.outcome}: ${seen.detail}`;
  return { ...stop, facts: { ...stop.facts, doctor_row: row } };
}

async function lookInTime(
  { log }: Pick<WalkPorts, 'log'>,
  look: () => Promise<SeenRow | null>,
  maxMs: number,
): Promise<SeenRow | null> {
  const over = new AbortController();
  const late = delay(maxMs, null, { signal: over.signal }).catch(() => null);
  try {
    return await Promise.race([look(), late]);
  } catch (error) {
    log.warn(`the row of doctor for a stop could not be asked for: ${asKraftError(error).message}`);
    return null;
  } finally {
    over.abort();
  }
}
