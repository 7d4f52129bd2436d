import { randomInt } from 'node:crypto';

const alphabet = 'abcdefghijkmnpqrstuvwxyz23456789';
const length = 12;

/** Id of a relay: 60 random bits, short for the sake of its socket's path (SI 3.5), safe in names and labels. */
export function randomRelayId(): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
}
