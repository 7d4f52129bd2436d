import { afterAll, beforeAll } from 'vitest';
import type { EngineHost } from './hosts.ts';
import { Person } from './person.ts';

/**
 * One person with a running daemon for all stories of a block; each story brings a repository of its own. What a daemon
 * asks of its engine and images when it starts is then paid once.
 */
export function sharePerson(host: EngineHost, env: Readonly<Record<string, string>> = {}): () => Person {
  let shared: Person | null = null;
  beforeAll(async () => {
    shared = new Person(host, env);
    await shared.startDaemon();
  });
  afterAll(() => shared?.[Symbol.asyncDispose]());
  return () => {
    if (shared === null) throw new Error('the person is there once a story runs');
    return shared;
  };
}
