import type { KraftError } from '../base/index.ts';
import type { Actor, KraftEvent } from '../events/index.ts';
import type { ItemDecision } from './decide.ts';
import { itemErrors } from './errors.ts';
import type { Item } from './item.ts';
import { findNode, findUnskippable, pathsOf, type ChainPlaces } from './places.ts';
import { refuseReviewText } from './thread.ts';

/** What a person passes over. */
export interface Skip {
  readonly by: Actor;
  /** Canonical path: the node or gate at which the item stands, or a step or task of it. */
  readonly path: string | null;
  /** Why, for the record. */
  readonly note: string;
}

/**
 * Decides a skip. `path` is where the item stood when it was asked, if none was named, so that two at once mean the same
 * part. `passed`: paths that a person passed over since the last retry. A stopped item goes on, a paused one stays paused. Pure.
 */
export function decideSkip(
  item: Item,
  skip: Skip,
  { chain, passed }: { readonly chain: ChainPlaces; readonly passed: readonly string[] },
): ItemDecision {
  const problem = refuseReviewText(skip.note);
  if (problem !== null) return refuse(itemErrors.create('REVIEW_TEXT_INVALID', { what: 'note', why: problem }));
  const { path, by, note } = skip;
  if (path !== null && isPassed(item, path, passed)) return { kind: 'nothing' };
  const refusal = refuseState(item) ?? refusePath(item, path, chain);
  const node = path === null ? undefined : findNode(chain, path);
  if (refusal !== null || path === null || node === undefined) {
    return refuse(refusal ?? itemErrors.create('NOTHING_TO_SKIP', { id: item.id }));
  }
  const fact: KraftEvent =
    path === node.path
      ? { type: 'node_skipped', payload: { node_id: node.id, gate: node.kind === 'gate', note, by } }
      : { type: 'scope_skipped', payload: { node_id: node.id, path, note } };
  return passOver(item, { path, fact, by });
}

/** Why a path cannot be passed over where the item stands; null when it can. */
function refusePath(item: Item, path: string | null, chain: ChainPlaces): KraftError | null {
  // Until its worktree stands an item is in no node yet.
  if (path === null || item.nextNode === null || !item.prepared) {
    return itemErrors.create('NOTHING_TO_SKIP', { id: item.id });
  }
  if (findNode(chain, path)?.id !== item.nextNode) {
    const here = chain.nodes.find(({ id }) => id === item.nextNode);
    const known = here === undefined ? [] : pathsOf(here);
    return itemErrors.create('SKIP_ELSEWHERE', { id: item.id, path, node: item.nextNode, known });
  }
  const kept = findUnskippable(chain, path);
  return kept === undefined ? null : itemErrors.create('PART_NOT_SKIPPABLE', { ...kept });
}

/** Passed over already, whether or not the walk has got there. */
function isPassed(item: Item, path: string, passed: readonly string[]): boolean {
  if (item.status === 'abandoned') return false;
  const [node] = path.split('.');
  return item.skipped.includes(path) || (node !== item.nextNode && passed.includes(path));
}

function refuseState(item: Item): KraftError | null {
  const { id, status } = item;
  switch (status) {
    case 'queued':
    case 'active':
      return itemErrors.create('SKIP_RUNNING', { id, status, pausing: item.pauseRequested });
    case 'completed':
    case 'abandoned':
      return itemErrors.create('ITEM_ENDED', { id, status, verb: 'be skipped ahead' });
    case 'paused':
      return item.started ? null : itemErrors.create('ITEM_NOT_STARTED', { id, verb: 'skip' });
    case 'needs_human':
    case 'rate_limited':
      return null;
  }
}

function passOver(
  item: Item,
  { path, fact, by }: { readonly path: string; readonly fact: KraftEvent; readonly by: Actor },
): ItemDecision {
  const skipped = [...item.skipped, path];
  // What is left of the node is measured without it, before anything more is repaired.
  const fixLoop = item.fixLoop === null ? null : ({ ...item.fixLoop, phase: 'measure' } as const);
  if (item.status === 'paused') return { kind: 'change', item: { skipped, fixLoop }, events: [fact] };
  return {
    kind: 'change',
    item: { status: 'queued', pauseRequested: false, stop: null, resumesAt: null, skipped, fixLoop },
    events: [fact, { type: 'work_item_resumed', payload: { by, verb: 'skip' } }],
  };
}

function refuse(error: KraftError): ItemDecision {
  return { kind: 'refused', error };
}
