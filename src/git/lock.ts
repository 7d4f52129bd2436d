/** One holder at a time for each key; the single daemon makes a lock in memory enough (it stands for SI's flock). */
export interface KeyedLock {
  hold<T>(key: string, work: () => Promise<T>): Promise<T>;
}

export function openKeyedLock(): KeyedLock {
  const tails = new Map<string, Promise<unknown>>();
  return {
    async hold(key, work) {
      const before = tails.get(key) ?? Promise.resolve();
      const mine = before.then(work, work);
      const settled = mine.then(
        () => undefined,
        () => undefined,
      );
      tails.set(key, settled);
      try {
        return await mine;
      } finally {
        if (tails.get(key) === settled) tails.delete(key);
      }
    },
  };
}
