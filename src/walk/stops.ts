import type { ErrorKind, KraftError } from '../base/index.ts';
import type { KraftEvent, StopKind } from '../events/index.ts';
import type { Item, ItemStop, TaskFailure } from '../items/index.ts';

const stopKinds: Readonly<Record<ErrorKind, StopKind>> = {
  usage: 'config',
  config: 'config',
  limit: 'config',
  denied: 'failed',
  environment: 'infra',
  upstream: 'infra',
  bug: 'infra',
};

/** The stop that an error amounts to: configuration is for the person to mend, the rest is the machine's. Pure. */
export function stopFromError(
  error: KraftError,
  more: { readonly sessionId: string | null; readonly facts: Readonly<Record<string, unknown>> },
): ItemStop {
  const others = error.report.others.map((other) => other.message);
  return {
    kind: stopKinds[error.kind],
    code: error.code,
    reason: error.message,
    remedy: error.remedy,
    sessionId: more.sessionId,
    facts: others.length === 0 ? more.facts : { ...more.facts, others },
  };
}

/** Columns and event of a stop. A gate that waits is no fault of the item's: its event is the gate's own (CC 6.8). */
export function stopChange(stop: ItemStop): { readonly item: Partial<Item>; readonly event: KraftEvent } {
  return {
    item: { status: 'needs_human', pauseRequested: false, stop },
    event: stop.kind === 'gate' ? gateRequested(stop) : needsHuman(stop),
  };
}

function gateRequested({ facts }: ItemStop): KraftEvent {
  const gate = String(facts['gate']);
  return { type: 'gate_requested', payload: { node_id: gate, gate, message: String(facts['message']) } };
}

function needsHuman(stop: ItemStop): KraftEvent {
  return {
    type: 'work_item_needs_human',
    payload: {
      kind: stop.kind,
      code: stop.code,
      reason: stop.reason,
      remedy: stop.remedy,
      session_id: stop.sessionId,
      facts: stop.facts,
    },
  };
}

/** A stop on its way to where the walk's end is recorded. Never leaves this folder. */
export class Stopped extends Error {
  override readonly name = 'Stopped';
  readonly stop: ItemStop;
  /** What failed, where a recovery or a fix loop may mend it; empty for every other stop. */
  readonly failures: readonly TaskFailure[];

  constructor(stop: ItemStop, failures: readonly TaskFailure[] = []) {
    super(stop.reason);
    this.stop = stop;
    this.failures = failures;
  }
}
