import { asKraftError, type KraftError } from '../base/index.ts';
import type { KraftEvent } from '../events/index.ts';
import { addDoctorRow } from './doctor-row.ts';
import { Interrupt } from './interrupt.ts';
import type { WalkPorts } from './ports.ts';
import { RateLimited, settleRateLimit } from './rate-limits.ts';
import { findDiskFloor } from './ready.ts';
import { addRefusedHosts } from './refused-hosts.ts';
import type { Run } from './run.ts';
import { Stopped, stopChange, stopFromError } from './stops.ts';

/** Records why a walk left its item: paused, stopped for a person, or nothing at all. Never throws. */
export async function settleWalk(ports: WalkPorts, run: Run, error: unknown): Promise<void> {
  try {
    if (error instanceof Interrupt || run.isCancelled) await settleInterrupt(run, error);
    else if (error instanceof RateLimited) await settleLimited(ports, run, error);
    else await settleStop(ports, run, error);
  } catch (failure) {
    if (failure instanceof Interrupt) return;
    ports.log.error(`${run.itemId}: the end of its walk could not be recorded: ${asKraftError(failure).message}`);
  }
}

async function settleInterrupt(run: Run, error: unknown): Promise<void> {
  if (!(error instanceof Interrupt) || error.why !== 'pause') return;
  await run.record({ item: { status: 'paused', pauseRequested: false } });
}

async function settleLimited(ports: WalkPorts, run: Run, { refusal }: RateLimited): Promise<void> {
  try {
    await settleRateLimit(ports, run, refusal);
  } catch (error) {
    if (error instanceof Interrupt) throw error;
    await settleStop(ports, run, error);
  }
}

async function settleStop(ports: WalkPorts, run: Run, error: unknown): Promise<void> {
  const { nextNode } = await run.item();
  const reached = await findDiskFloor(ports, error);
  if (reached !== null) {
    await run.record({
      nodeId: nextNode,
      events: [diskFloorEvent(reached)],
      item: { status: 'paused', pauseRequested: false },
    });
    ports.log.warn(`${run.itemId}: paused. ${reached.message}`);
    if (reached !== error) ports.log.warn(`${run.itemId}: what failed meanwhile: ${asKraftError(error).message}`);
    return;
  }
  const known =
    error instanceof Stopped ? error.stop : stopFromError(asKraftError(error), { sessionId: null, facts: {} });
  const failures = error instanceof Stopped ? error.failures : [];
  const stopped = await run.item();
  const looked = await addDoctorRow(ports, stopped, known);
  const stop = await addRefusedHosts(ports, stopped, { stop: looked, failures });
  const { item, event } = stopChange(stop);
  await run.record({ nodeId: nextNode, events: [event], item });
  ports.log.warn(`${run.itemId}: ${stop.reason}`);
}

function diskFloorEvent(error: KraftError): KraftEvent {
  const { path, freeBytes, floorBytes } = error.report.details;
  return {
    type: 'disk_floor_reached',
    payload: { path: String(path), free_bytes: Number(freeBytes), floor_bytes: Number(floorBytes) },
  };
}
