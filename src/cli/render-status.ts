import type { PublicItem } from '../compose/index.ts';
import { renderLocalTime } from './render-time.ts';
import type { Style } from './terminal.ts';

type Standing = Pick<PublicItem, 'status' | 'started' | 'pauseRequested' | 'stop' | 'archivedAt'>;

/** Stops that no answer of a person ends: something has to be mended first. */
const faults: ReadonlySet<string> = new Set(['failed', 'config', 'infra']);

/** The status of an item in a person's words (CC 6.1). */
export function renderStatus(item: Standing): string {
  if (item.archivedAt !== null) return 'archived';
  switch (item.status) {
    case 'paused':
      return item.started ? 'paused' : 'filed';
    case 'active':
      return item.pauseRequested ? 'pausing' : 'running';
    case 'needs_human':
      return faults.has(item.stop?.kind ?? '') ? 'failed' : 'needs you';
    default:
      return words[item.status];
  }
}

const words = { queued: 'waiting', rate_limited: 'rate-limited', completed: 'done', abandoned: 'abandoned' } as const;

/** As `renderStatus`, with what is waited for: for where there is room to say it. */
export function renderStatusLong(item: Standing & Pick<PublicItem, 'resumesAt'>): string {
  const word = renderStatus(item);
  if (word === 'waiting') return 'waiting for a slot';
  if (word === 'rate-limited') {
    return `waiting for a rate limit${item.resumesAt === null ? '' : ` until ${renderLocalTime(item.resumesAt)}`}`;
  }
  return item.status === 'needs_human' ? `${word}: stopped for a person` : word;
}

const acted: Readonly<Record<PublicItem['status'], string>> = {
  paused: 'paused',
  queued: 'waiting for a slot',
  active: 'running',
  rate_limited: 'waiting for a rate limit',
  needs_human: 'stopped for a person',
  completed: 'complete',
  abandoned: 'ended',
};

/** The status as it ends the sentence after an action (CC 5.1). */
export function renderStatusNow(item: Standing): string {
  const word = renderStatus(item);
  return word === 'filed' || word === 'pausing' || word === 'archived' ? word : acted[item.status];
}

/** Colour on top of the words. */
export function paintStatus(item: Standing, style: Style): (text: string) => string {
  switch (item.status) {
    case 'needs_human':
      return (text) => style.red(text);
    case 'completed':
      return (text) => style.green(text);
    case 'active':
    case 'queued':
    case 'rate_limited':
      return (text) => style.yellow(text);
    case 'paused':
    case 'abandoned':
      return (text) => text;
  }
}
