import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { silentLog, systemClock } from '../../src/base/index.ts';
import { createDormantKraft } from '../../src/compose/dormant-kraft.ts';
import type { Kraft } from '../../src/compose/index.ts';
import { openStore } from '../../src/store/index.ts';
import { FakeKraft } from '../support/fake-kraft.ts';
import { sampleItem } from '../support/sample-item.ts';

/** A home with one filed item and a count of how often the whole was opened. */
async function openDormant(wakeOnce: (attempt: number) => Kraft = () => new FakeKraft()) {
  const run = await mkdtemp(join(tmpdir(), 'kraft-dormant-'));
  const store = await openStore({ path: join(run, 'orchestrator.db'), clock: systemClock });
  await store.createItem(sampleItem({ status: 'paused' }), []);
  const opened = { count: 0 };
  const kraft = createDormantKraft({
    store,
    paths: { home: run, config: run, run },
    version: '1.2.3',
    startedAt: '2026-01-02T03:04:05.678Z',
    wake: () => {
      opened.count += 1;
      return Promise.resolve().then(() => wakeOnce(opened.count));
    },
    log: silentLog,
  });
  return {
    kraft,
    opened,
    [Symbol.asyncDispose]: async () => {
      await kraft[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
      await rm(run, { recursive: true });
    },
  };
}

describe('a home in which nothing is on its way', () => {
  it('answers health, lists and events from its database, and wakes nothing for them', async () => {
    await using home = await openDormant();
    const { kraft } = home;
    expect(await kraft.health({ reasons: false })).toMatchObject({ status: 'ok', version: '1.2.3', activeItems: 0 });
    const [item] = await kraft.listItems({ repo: null, includeAbandoned: false, includeArchived: false });
    expect(item).not.toHaveProperty('frozen');
    expect(await kraft.events({ itemId: item?.id ?? '', type: null, afterSeq: 0, limit: 10 })).toEqual([]);
    expect(await kraft.runningSessionCount()).toBe(0);
    expect(await kraft.pauseAll()).toBe(0);
    expect(home.opened.count).toBe(0);
  });

  it('wakes once for whatever needs more, however many ask at once', async () => {
    await using home = await openDormant();
    await Promise.all([home.kraft.startItem('a'), home.kraft.health({ reasons: true }), home.kraft.doctor()]);
    expect(home.opened.count).toBe(1);
  });

  it('tells why it could not wake, and tries again for the next one who asks', async () => {
    await using home = await openDormant((attempt) => {
      if (attempt === 1) throw new RangeError('the engine’s folder cannot be made');
      return new FakeKraft();
    });
    await expect(home.kraft.repos()).rejects.toThrow('the engine’s folder cannot be made');
    await expect(home.kraft.repos()).resolves.toBeDefined();
    expect(home.opened.count).toBe(2);
  });
});
