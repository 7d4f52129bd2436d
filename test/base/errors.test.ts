import { describe, expect, it } from 'vitest';
import { asKraftError, defineErrors, gatherErrors, hasCode, Secret, type KraftError } from '../../src/base/index.ts';

const errors = defineErrors({
  DOOR_SHUT: {
    kind: 'environment',
    message: (p: { door: string; key?: Secret }) => `The door ${p.door} is shut.`,
    remedy: (p: { door: string }) => `Open ${p.door}.`,
  },
  DOOR_LOST: { kind: 'config', message: () => 'There is no door.', remedy: () => 'Build one.' },
});

describe('a catalogued error', () => {
  it('carries code, blame, message, remedy and parameters', () => {
    const error = errors.create('DOOR_SHUT', { door: 'north' });
    expect(error.report).toEqual({
      code: 'KRAFT_DOOR_SHUT',
      kind: 'environment',
      message: 'The door north is shut.',
      remedy: 'Open north.',
      details: { door: 'north' },
      others: [],
    });
    expect(error).toBeInstanceOf(Error);
    expect(error.message).toBe('The door north is shut.');
  });

  it('keeps the cause', () => {
    const cause = new TypeError('hinge');
    expect(errors.create('DOOR_SHUT', { door: 'n' }, cause).cause).toBe(cause);
  });

  it('shows the label of a secret parameter and never its value', () => {
    const error = errors.create('DOOR_SHUT', { door: 'n', key: new Secret('DOOR_KEY', 'hunter2') });
    expect(JSON.stringify(error.report)).not.toContain('hunter2');
    expect(error.report.details['key']).toBe('[secret DOOR_KEY]');
  });

  it('is recognised by its code with or without the prefix, and no other is', () => {
    const error = errors.create('DOOR_SHUT', { door: 'n' });
    expect([hasCode(error, 'DOOR_SHUT'), hasCode(error, 'KRAFT_DOOR_SHUT')]).toEqual([true, true]);
    expect([hasCode(error, 'DOOR_LOST'), hasCode(new Error('KRAFT_DOOR_SHUT'), 'DOOR_SHUT')]).toEqual([false, false]);
  });

  it('cannot be made from a code that the catalogue lacks', () => {
    const create = errors.create as (code: string, params: unknown) => KraftError;
    expect(() => create('DOOR_AJAR', {})).toThrow(/DOOR_AJAR/);
  });
});

describe('several problems of one pass', () => {
  it('print as the first and carry the others', () => {
    const gathered = gatherErrors([errors.create('DOOR_SHUT', { door: 'a' }), errors.create('DOOR_LOST', undefined)]);
    expect(gathered.message).toBe('The door a is shut.');
    expect(gathered.report.others.map((e) => e.code)).toEqual(['KRAFT_DOOR_LOST']);
  });
});

describe('a foreign error at the top', () => {
  it('becomes BUG: a fault of Kraft, with its whole chain of causes and a request to report it', () => {
    const foreign = new Error('outer', { cause: new TypeError('inner') });
    const error = asKraftError(foreign);
    expect(error.code).toBe('KRAFT_BUG');
    expect(error.kind).toBe('bug');
    expect(error.message).toContain('Error: outer <- TypeError: inner');
    expect(error.remedy).toContain('report');
    expect(error.cause).toBe(foreign);
  });

  it('is told of whatever was thrown', () => {
    expect(asKraftError('just text').message).toContain('just text');
    expect(asKraftError({ odd: 1 }).message).toContain('{ odd: 1 }');
    expect(asKraftError(undefined).code).toBe('KRAFT_BUG');
    const circular: Record<string, unknown> = { big: 1n };
    circular['self'] = circular;
    expect(asKraftError(circular).message).toContain('Circular');
  });

  it('leaves a catalogued error as it is', () => {
    const error = errors.create('DOOR_LOST', undefined);
    expect(asKraftError(error)).toBe(error);
  });

  it('ends a chain of causes that bites its own tail', () => {
    const loop = new Error('loop');
    loop.cause = loop;
    expect(asKraftError(loop).message.length).toBeLessThan(500);
  });
});
