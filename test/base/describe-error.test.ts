import { describe, expect, it } from 'vitest';
import { defineErrors, describeError, renderSize, safeLine } from '../../src/base/index.ts';

interface Params {
  readonly path: string;
  readonly tried: readonly { readonly cli: string; readonly why: string }[];
  readonly freeBytes: number;
  readonly place: { readonly file: string; readonly line: number };
}

const { specs } = defineErrors({
  LAST: {
    kind: 'environment',
    message: (p: Params) =>
      `Tried ${p.tried.map((t) => `${t.cli} (${t.why})`).join(', ')} for ${JSON.stringify(p.path)} at ${p.place.file}:${p.place.line}.`,
    remedy: (p: Params) =>
      `Free ${Math.floor(p.freeBytes / 1024)} KiB, ${renderSize(p.freeBytes)}, under ${safeLine(p.path)} (${p.tried[0]?.cli ?? 'none'}).`,
  },
});

describe('an entry of a catalogue, before it has happened', () => {
  it('names what a real message would name, whatever the shape of its parameters', () => {
    expect(describeError('LAST', specs.LAST)).toEqual({
      code: 'KRAFT_LAST',
      kind: 'environment',
      message: 'Tried <cli> (<why>) for "<path>" at <file>:<line>.',
      remedy: 'Free <number> KiB, <freeBytes>, under <path> (<cli>).',
    });
  });

  it('can be described without parameters', () => {
    const plain = defineErrors({ PLAIN: { kind: 'usage', message: () => 'No.', remedy: () => 'Yes.' } });
    expect(describeError('PLAIN', plain.specs.PLAIN)).toMatchObject({ message: 'No.', remedy: 'Yes.' });
  });
});
