import { describe, expect, it } from 'vitest';
import type { ResolvedRepo } from '../../src/config/index.ts';
import { toPublicRepo } from '../../src/compose/create-kraft.ts';
import { findRepo } from '../../src/compose/find-repo.ts';
import { followEvents } from '../../src/compose/follow-events.ts';
import { toPublicItem } from '../../src/compose/item-view.ts';
import type { EventRow } from '../../src/events/index.ts';
import type { Store } from '../../src/store/index.ts';
import { sampleEvent } from '../support/fake-kraft.ts';
import { sampleItem } from '../support/sample-item.ts';

const repo = (path: string, label: string): ResolvedRepo => ({ path, label }) as ResolvedRepo;
const repos = [repo('/code/a', 'a'), repo('/code/a/inner', 'inner'), repo('/other/a', 'a'), repo('/code/ab', 'ab')];

describe('findRepo', () => {
  it.each([
    { named: '/code/a', path: '/code/a' },
    { named: '/code/a/src', path: '/code/a' },
    { named: '/code/a/inner/src', path: '/code/a/inner' },
    { named: '/code/ab', path: '/code/ab' },
    { named: 'inner', path: '/code/a/inner' },
  ])('takes $named for $path', ({ named, path }) => {
    expect(findRepo(named, repos).path).toBe(path);
  });

  it('asks for a path when a label means several', () => {
    expect(() => findRepo('a', repos)).toThrow(
      expect.objectContaining({
        code: 'KRAFT_REPO_LABEL_AMBIGUOUS',
        message: expect.stringContaining('/other/a') as unknown,
      }),
    );
  });

  it('names connect for what is not connected', () => {
    expect(() => findRepo('/elsewhere', repos)).toThrow(
      expect.objectContaining({
        code: 'KRAFT_REPO_UNKNOWN',
        remedy: expect.stringContaining('kraft repo connect /elsewhere') as unknown,
      }),
    );
  });
});

describe('what leaves the facade', () => {
  it('holds nothing of what is frozen onto an item', () => {
    const item = sampleItem({ frozen: '{"env":{"TOKEN":"s3cret"}}' });
    expect(JSON.stringify(toPublicItem(item))).not.toContain('s3cret');
    expect(toPublicItem(item)).toMatchObject({ id: item.id, branch: item.branch });
  });

  it('names the variables of a repository’s env without their values', () => {
    const entry = toPublicRepo({ ...repo('/code/a', 'a'), env: { TOKEN: 's3cret' } });
    expect(entry.envNames).toEqual(['TOKEN']);
    expect(JSON.stringify(entry)).not.toContain('s3cret');
  });
});

describe('followEvents', () => {
  /** A store whose rows come when the test says so. */
  function fakeStore(): {
    readonly store: Store;
    readonly add: (row: EventRow) => void;
    readonly listening: () => number;
  } {
    const rows: EventRow[] = [];
    const listeners = new Set<(rows: readonly EventRow[]) => void>();
    const store = {
      events: ({ afterSeq }: { readonly afterSeq: number }) =>
        Promise.resolve(rows.filter((row) => row.seq > afterSeq)),
      onEvents: (listener: (rows: readonly EventRow[]) => void) => {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    } as unknown as Store;
    const add = (row: EventRow): void => {
      rows.push(row);
      for (const listener of listeners) listener([row]);
    };
    return { store, add, listening: () => listeners.size };
  }
  const query = { itemId: null, type: null, afterSeq: 0, waitMs: 60_000 };

  it('answers at once what is there', async () => {
    const { store, add } = fakeStore();
    add(sampleEvent(1));
    expect(await followEvents(store, query)).toEqual([sampleEvent(1)]);
  });

  it('answers what comes while it waits, and stops listening', async () => {
    const { store, add, listening } = fakeStore();
    const waiting = followEvents(store, query);
    expect(listening()).toBe(1);
    add(sampleEvent(1));
    expect(await waiting).toEqual([sampleEvent(1)]);
    expect(listening()).toBe(0);
  });

  it('is not woken by events of another item, and answers nothing when the time is over', async () => {
    const { store, add, listening } = fakeStore();
    const waiting = followEvents(store, { ...query, itemId: 'other234', waitMs: 20 });
    add({ ...sampleEvent(1), work_item_id: 'abcd2345', seq: 0 });
    expect(await waiting).toEqual([]);
    expect(listening()).toBe(0);
  });
});
