import { expect, test } from 'vitest';
import { randomIds, systemClock } from '../../src/base/index.ts';
import { storeErrors, type Change, type Store } from '../../src/store/index.ts';
import type { WalkPorts } from '../../src/walk/index.ts';
import { Run } from '../../src/walk/run.ts';

/** A store whose disk is full for the first writes. */
function fullStore(failures: number): { readonly store: Store; readonly applied: Change[] } {
  const applied: Change[] = [];
  let left = failures;
  const apply = (change: Change): Promise<void> => {
    if (left-- > 0) return Promise.reject(storeErrors.create('STORE_FULL', { path: '/db' }));
    applied.push(change);
    return Promise.resolve();
  };
  return { store: { apply } as unknown as Store, applied };
}

function makeRun(store: Store, errors: string[], fullDiskRetryMs = 1): Run {
  const log = { info: () => undefined, warn: () => undefined, error: (line: string) => errors.push(line) };
  const ports = { store, log, clock: systemClock, ids: randomIds, fullDiskRetryMs } as unknown as WalkPorts;
  return new Run('abcd2345', ports);
}

test('what is to be recorded on a full disk is recorded once there is room, and the log says why it waits', async () => {
  const errors: string[] = [];
  const { store, applied } = fullStore(2);

  await makeRun(store, errors).record({ item: { status: 'completed' } });

  expect(applied).toMatchObject([{ itemId: 'abcd2345', item: { status: 'completed' }, expectStatus: ['active'] }]);
  expect(errors).toHaveLength(2);
  expect(errors[0]).toContain('The disk is full');
});

test('a daemon that goes does not wait for room on the disk', async () => {
  const { store } = fullStore(1_000_000);
  const run = makeRun(store, [], 60_000);
  const recording = run.record({ item: { status: 'completed' } });

  run.detach();

  await expect(recording).rejects.toMatchObject({ why: 'detach' });
});

test('any other failure of a write is the walk’s to hear of', async () => {
  const store = { apply: () => Promise.reject(storeErrors.create('STORE_CLOSED', { what: 'apply' })) };

  await expect(makeRun(store as unknown as Store, []).record({})).rejects.toMatchObject({
    code: 'KRAFT_STORE_CLOSED',
  });
});

test('a cancel outweighs a pause, whichever comes first', () => {
  const run = makeRun(fullStore(0).store, []);
  expect(() => run.checkpoint()).not.toThrow();
  run.want('cancel');
  run.want('pause');

  expect(() => run.checkpoint()).toThrow(expect.objectContaining({ why: 'cancel' }));
  expect(run.isWanted).toBe(false);
});
