import type { KraftError } from '../base/index.ts';
import type { Actor, KraftEvent } from '../events/index.ts';
import { reopenedGates, type Gates } from './decide-gate.ts';
import { ended, type ItemDecision } from './decide.ts';
import { itemErrors } from './errors.ts';
import type { Item } from './item.ts';
import { findNode, findUnskippable, passedBy, pathsOf, type ChainPlaces, type NodePlaces } from './places.ts';

/** Where a retry enters the chain again. */
export interface Fork {
  readonly by: Actor;
  /** Canonical path; null for the node that the item stopped in, from its beginning. */
  readonly path: string | null;
  /** From the first node. */
  readonly restart: boolean;
}

/**
 * Whether an item may be retried as it stands now, before any configuration is read for it; null when it may. Safe to ask
 * twice: the second one finds the first one's work under way. Pure.
 */
export function decideRetry(
  item: Item,
  fork: Fork,
  chain: ChainPlaces,
): Extract<ItemDecision, { kind: 'nothing' | 'refused' }> | null {
  const { id, status } = item;
  switch (status) {
    case 'needs_human':
      return null;
    case 'paused':
      return refuse(
        item.started
          ? itemErrors.create('ITEM_NOT_STOPPED', { id, status })
          : itemErrors.create('ITEM_NOT_STARTED', { id, verb: 'retry' }),
      );
    case 'queued':
    case 'active':
      if (item.attempt > 1 && isWhereAsked(item, fork, chain)) return { kind: 'nothing' };
      return refuse(itemErrors.create('ITEM_NOT_STOPPED', { id, status }));
    case 'rate_limited':
      return refuse(itemErrors.create('ITEM_NOT_STOPPED', { id, status }));
    case 'completed':
    case 'abandoned':
      return refuse(ended(item, 'be retried'));
  }
}

function isWhereAsked(item: Item, { path, restart }: Fork, chain: ChainPlaces): boolean {
  if (restart) return item.nextNode === (chain.nodes[0]?.id ?? null) && item.enterAt === null;
  return path === null || path === (item.enterAt ?? item.nextNode);
}

/**
 * Decides where an item that may be retried goes on, in the chain that it will walk. A retry goes back or stays: what lies
 * ahead is reached by `skip`, which asks whether it may be passed over. Pure.
 */
export function decideFork(
  item: Item,
  fork: Fork,
  { chain, gates }: { readonly chain: ChainPlaces; readonly gates: Gates },
): ItemDecision {
  const first = chain.nodes[0]?.path ?? '';
  const path = fork.restart ? first : (fork.path ?? item.nextNode ?? first);
  const node = findNode(chain, path);
  if (node === undefined) return unknownPath(item, chain, path);
  const refusal = fork.restart ? null : refuseEntry(item, fork, { chain, node, path });
  return refusal ?? enter(item, { fork, node, path, reopened: listReopened(chain, node, gates) });
}

function refuseEntry(
  item: Item,
  fork: Fork,
  { chain, node, path }: { readonly chain: ChainPlaces; readonly node: NodePlaces; readonly path: string },
): ItemDecision | null {
  if (fork.path === null) {
    if (node.kind !== 'gate') return null;
    return refuse(itemErrors.create('ITEM_AT_GATE', { id: item.id, verb: 'retry', gate: node.id }));
  }
  if (isAhead(item, chain, node)) {
    const stands = item.nextNode ?? chain.nodes[0]?.id ?? '';
    return refuse(itemErrors.create('RETRY_PATH_AHEAD', { id: item.id, path, node: stands }));
  }
  const [kept] = passedBy(node, path).flatMap((each) => findUnskippable(chain, each) ?? []);
  return kept === undefined ? null : refuse(itemErrors.create('PART_NOT_SKIPPABLE', { ...kept }));
}

function unknownPath(item: Item, chain: ChainPlaces, path: string): ItemDecision {
  const known = chain.nodes.flatMap(pathsOf);
  return refuse(itemErrors.create('CHAIN_PATH_UNKNOWN', { id: item.id, chain: chain.id, path, known }));
}

/** Where the item stands is not in the chain any more: then everything lies ahead, and only a restart is sure to skip nothing. */
function isAhead(item: Item, chain: ChainPlaces, node: NodePlaces): boolean {
  const stands = item.nextNode === null ? 0 : chain.nodes.findIndex(({ id }) => id === item.nextNode);
  return chain.nodes.indexOf(node) > stands;
}

/** A gate that is itself entered again has to be answered anew too. */
function listReopened(chain: ChainPlaces, node: NodePlaces, gates: Gates): readonly string[] {
  const own = node.kind === 'gate' && gates.get(node.id) === 'approved' ? [node.id] : [];
  return [...own, ...reopenedGates(chain.nodes, node.id, gates)];
}

function enter(
  item: Item,
  entry: {
    readonly fork: Fork;
    readonly node: NodePlaces;
    readonly path: string;
    readonly reopened: readonly string[];
  },
): ItemDecision {
  const { fork, node, path, reopened } = entry;
  const { by } = fork;
  const attempt = item.attempt + 1;
  // What a loop has tried counts on when nobody but the worker asked.
  const keepsLoop = by === 'agent' && item.fixLoop?.nodeId === node.id;
  const events: KraftEvent[] = [
    { type: 'work_item_retried', payload: { by, path: fork.path === null && !fork.restart ? null : path } },
    { type: 'run_forked', payload: { path, attempt, reopened } },
    ...reopened.map((gate): KraftEvent => ({ type: 'gate_reopened', payload: { gate } })),
    { type: 'work_item_resumed', payload: { by, verb: 'retry' } },
  ];
  return {
    kind: 'change',
    item: {
      status: 'queued',
      pauseRequested: false,
      stop: null,
      nextNode: node.id,
      enterAt: path === node.path ? null : path,
      skipped: [],
      recovered: [],
      fixLoop: keepsLoop ? item.fixLoop : null,
      attempt,
    },
    events,
  };
}

function refuse(error: KraftError): Extract<ItemDecision, { kind: 'refused' }> {
  return { kind: 'refused', error };
}
