import { describe, expect, it } from 'vitest';
import { cliErrors, usageErrors } from '../../src/cli/errors.ts';
import { exitCodeOf, exitCodes } from '../../src/cli/exit-codes.ts';
import { itemErrors } from '../../src/items/index.ts';

describe('exitCodeOf', () => {
  it('is 2 when the command line was not understood', () => {
    expect(exitCodeOf(usageErrors.create('ARGUMENT_MISSING', { command: 'kraft', argument: 'X' }))).toBe(2);
    expect(exitCodeOf(usageErrors.create('ITEM_ID_MISSING', { command: 'kraft view show' }))).toBe(2);
  });

  it('is 1 for whatever was asked and refused or failed (CC 5.1)', () => {
    expect(exitCodeOf(itemErrors.create('ITEM_UNKNOWN', { id: 'x' }))).toBe(1);
    expect(exitCodeOf(cliErrors.create('NOT_CONFIRMED', { action: 'Abandoning x' }))).toBe(1);
  });

  it('has 3 for a host that is refused, and leaves 4 to 9 to verbs whose refusal must be told from failure', () => {
    expect(Object.values(exitCodes)).toEqual([0, 1, 2, 3]);
  });
});
