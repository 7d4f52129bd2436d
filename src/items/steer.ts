import { itemErrors } from './errors.ts';
import type { Item } from './item.ts';

/** Longer words would not fit onto the command line of an agent beside its task. */
const steerMaxChars = 16_000;

/** What an item holds for its next agent once a person has added these words; what was not read yet stays before them. */
export function addSteer(item: Pick<Item, 'id' | 'steer'>, text: string): string {
  const words = text.trim();
  const whole = item.steer === null ? words : `${item.steer}\n\n${words}`;
  if (words === '' || whole.length > steerMaxChars) throw itemErrors.create('STEER_REFUSED', { max: steerMaxChars });
  return whole;
}
