import { describe, expect, it } from 'vitest';
import { openResolver, type Lookup, type Resolver } from '../../src/egress/index.ts';

interface Bench {
  readonly resolver: Resolver;
  /** Names in the order in which the system was asked. */
  readonly asked: string[];
  /** Questions that are under way. */
  readonly running: () => number;
  readonly answer: (name: string, lookup?: Lookup) => Promise<void>;
  readonly clock: { ms: number };
}

const addresses: Lookup = { kind: 'addresses', addresses: ['192.0.2.1'] };

/** A resolver whose system answers when it is told to. */
function openBench(timeoutMs = 60_000): Bench {
  const asked: string[] = [];
  const open = new Map<string, (lookup: Lookup) => void>();
  const clock = { ms: 0 };
  const resolver = openResolver({
    clock: { nowMs: () => clock.ms, monotonicMs: () => clock.ms },
    timeoutMs,
    ask: (name) => {
      asked.push(name);
      return new Promise((resolve) => open.set(name, resolve));
    },
  });
  const answer = async (name: string, lookup: Lookup = addresses): Promise<void> => {
    open.get(name)?.(lookup);
    open.delete(name);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { resolver, asked, running: () => open.size, answer, clock };
}

const names = (prefix: string, count: number): string[] => Array.from({ length: count }, (_, at) => `${prefix}${at}`);

describe('look-ups (PF-Q01, PF-Q05)', () => {
  it('asks once for a name that several wait for, and keeps its addresses for some seconds', async () => {
    const { resolver, asked, answer, clock } = openBench();
    const session = resolver.forSession();
    const both = Promise.all([session.lookup('a.com'), session.lookup('a.com')]);
    await answer('a.com');
    expect(await both).toEqual([addresses, addresses]);
    clock.ms = 4_999;
    expect(await session.lookup('a.com')).toEqual(addresses);
    expect(asked).toEqual(['a.com']);
    clock.ms = 5_000;
    const later = session.lookup('a.com');
    await answer('a.com', { kind: 'addresses', addresses: ['192.0.2.2'] });
    expect(await later).toEqual({ kind: 'addresses', addresses: ['192.0.2.2'] });
  });

  it('asks again for what did not resolve, and lets no session see what another asked', async () => {
    const { resolver, asked, answer } = openBench();
    const session = resolver.forSession();
    const outage: Lookup = { kind: 'outage', code: 'ENOTFOUND' };
    const first = session.lookup('a.com');
    await answer('a.com', outage);
    expect(await first).toEqual(outage);
    void session.lookup('a.com');
    await answer('a.com');
    void resolver.forSession().lookup('a.com');
    expect(asked).toEqual(['a.com', 'a.com', 'a.com']);
  });

  it('holds eight questions of a session and sixteen of all at once', async () => {
    const { resolver, asked, running, answer } = openBench();
    const [one, two, three] = [resolver.forSession(), resolver.forSession(), resolver.forSession()];
    for (const name of names('one', 20)) void one.lookup(name);
    expect(running()).toBe(8);
    for (const name of names('two', 20)) void two.lookup(name);
    expect(running()).toBe(16);
    void three.lookup('three');
    expect(running()).toBe(16);
    await answer('one0');
    await answer('one1');
    // Sessions take turns: a crowded one does not keep the next waiting.
    expect(asked).toContain('three');
    expect(running()).toBe(16);
  });

  it('asks everything in the end', async () => {
    const { resolver, asked, answer } = openBench();
    const sessions = [resolver.forSession(), resolver.forSession(), resolver.forSession()];
    const all = sessions.flatMap((session, at) => names(`s${at}-`, 30).map((name) => session.lookup(name)));
    for (let next = 0; next < all.length; next++) await answer(asked[next] ?? '');
    expect(await Promise.all(all)).toEqual(all.map(() => addresses));
    expect(new Set(asked).size).toBe(90);
  });

  it('says that it takes no more once hundreds wait', async () => {
    const { resolver } = openBench();
    const session = resolver.forSession();
    for (const name of names('a', 520)) void session.lookup(name);
    expect(await session.lookup('one-more')).toEqual({ kind: 'outage', code: 'too many names are being looked up' });
  });

  it('lets nobody wait for ever, while the question keeps its place', async () => {
    const { resolver, running, answer } = openBench(20);
    const session = resolver.forSession();
    expect(await session.lookup('slow')).toEqual({ kind: 'outage', code: 'ETIMEOUT' });
    expect(running()).toBe(1);
    await answer('slow');
    expect(await session.lookup('slow')).toEqual(addresses);
  });
});
