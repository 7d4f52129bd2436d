import type { ItemEvent } from './item-events.ts';
import type { LimitEvent } from './limit-events.ts';
import type { ReviewEvent } from './review-events.ts';
import type { SandboxEvent } from './sandbox-events.ts';
import type { SessionEvent } from './session-events.ts';

export type * from './item-events.ts';
export type * from './limit-events.ts';
export type * from './review-events.ts';
export type * from './sandbox-events.ts';
export type * from './session-events.ts';

/** Every fact Kraft records. Past tense, subject first; names are permanent (CC 6.8). */
export type KraftEvent = ItemEvent | LimitEvent | ReviewEvent | SessionEvent | SandboxEvent;

/** An event as everyone outside sees it. */
export type EventRow = KraftEvent & {
  /** Position in the whole store, from 1. */
  readonly seq: number;
  readonly work_item_id: string;
  /** Chain node it belongs to, or null. */
  readonly node_id: string | null;
  /** UTC RFC 3339 with milliseconds. */
  readonly created_at: string;
};
