/**
 * Why a walk leaves its item before the end without a stop: `pause` pauses it, `cancel` leaves it to whoever abandons it,
 * `detach` leaves everything as it is for the next daemon.
 */
export type InterruptCause = 'pause' | 'cancel' | 'detach';

/** Unwinds a walk to where its end is recorded. Never leaves this folder. */
export class Interrupt extends Error {
  override readonly name = 'Interrupt';
  readonly why: InterruptCause;

  constructor(why: InterruptCause) {
    super(`the walk was interrupted: ${why}`);
    this.why = why;
  }
}
