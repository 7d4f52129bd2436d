import { randomInt, randomBytes } from 'node:crypto';

/** Where new ids come from. Ids are random from the first character, so that a prefix match needs few of them. */
export interface Ids {
  /** Item id: 8 characters of an alphabet without look-alikes, first one a letter; lower case, typeable. */
  itemId(): string;
  /** Session id: 20 lower-case characters, safe in container names and file names. */
  sessionId(): string;
}

const letters = 'abcdefghjkmnpqrstvwxyz';
const alphabet = `${letters}23456789`;

function pick(from: string, count: number): string {
  let out = '';
  for (let i = 0; i < count; i++) out += from[randomInt(from.length)] ?? '';
  return out;
}

export const randomIds: Ids = {
  itemId: () => pick(letters, 1) + pick(alphabet, 7),
  sessionId: () => pick(letters, 1) + pick(alphabet, 19),
};

/** 16 hex digits for names that only need to be unique. */
export function randomHex16(): string {
  return randomBytes(8).toString('hex');
}
