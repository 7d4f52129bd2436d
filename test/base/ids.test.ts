import { describe, expect, it } from 'vitest';
import { randomHex16, randomIds } from '../../src/base/index.ts';

const many = <T>(make: () => T): T[] => Array.from({ length: 4_000 }, make);

describe('an item id', () => {
  it('is eight lower-case characters that can be typed and told apart, the first a letter', () => {
    for (const id of many(randomIds.itemId)) expect(id).toMatch(/^[a-hj-km-np-z][a-hj-km-np-z2-9]{7}$/);
  });

  it('is random from the first character, so that two letters seldom name two items', () => {
    const firsts = new Set(many(randomIds.itemId).map((id) => id.slice(0, 2)));
    expect(firsts.size).toBeGreaterThan(500);
  });

  it('does not come twice', () => {
    expect(new Set(many(randomIds.itemId)).size).toBe(4_000);
  });
});

describe('a session id', () => {
  it('is safe in container names, file names and refs, and random from the first character', () => {
    const ids = many(randomIds.sessionId);
    for (const id of ids) expect(id).toMatch(/^[a-z][a-z0-9]{19}$/);
    expect(new Set(ids.map((id) => id[0])).size).toBeGreaterThan(15);
    expect(new Set(ids).size).toBe(4_000);
  });
});

describe('a unique name', () => {
  it('is sixteen hex digits', () => {
    for (const name of many(randomHex16).slice(0, 50)) expect(name).toMatch(/^[0-9a-f]{16}$/);
  });
});
