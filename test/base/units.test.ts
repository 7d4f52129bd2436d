import { describe, expect, it } from 'vitest';
import { parseSizeBytes, renderBytes, renderDuration, renderSize } from '../../src/base/index.ts';

describe('a size (CC 3.3)', () => {
  const sizes: readonly (readonly [string, number | null])[] = [
    ['1', 1],
    ['512b', 512],
    ['64k', 65536],
    ['512m', 536870912],
    ['4g', 4294967296],
    [' 4G ', 4294967296],
    ['0', null],
    ['0g', null],
    ['', null],
    ['g', null],
    ['-4g', null],
    ['+4g', null],
    ['4.5g', null],
    ['4gb', null],
    ['4 g', null],
    ['4t', null],
    ['1e3', null],
    ['0x10', null],
    ['9007199254740991g', null],
    ['４g', null],
  ];
  it.each(sizes)('%j reads as %j bytes', (text, bytes) => {
    expect(parseSizeBytes(text)).toBe(bytes);
  });

  const rendered: readonly (readonly [number, string])[] = [
    [4294967296, '4g'],
    [33554432, '32m'],
    [6292480, '6145k'],
    [1023, '1023'],
    [1025, '1025'],
    [0, '0'],
  ];
  it.each(rendered)('%j bytes print in the largest unit that divides them: %s (SI 6.4)', (bytes, text) => {
    expect(renderSize(bytes)).toBe(text);
  });

  it('prints as what reads back the same', () => {
    for (const bytes of [1, 1024, 1536, 6292480, 4294967296]) expect(parseSizeBytes(renderSize(bytes))).toBe(bytes);
  });
});

describe('a duration', () => {
  const durations: readonly (readonly [number, string])[] = [
    [0, '0 ms'],
    [850, '850 ms'],
    [12_345, '12.3 s'],
    [245_000, '4 min 05 s'],
    [3_600_000, '1 h 00 min'],
    [7_800_000, '2 h 10 min'],
  ];
  it.each(durations)('of %j milliseconds prints as %s', (ms, text) => {
    expect(renderDuration(ms)).toBe(text);
  });

  it('never prints sixty of a unit where the next has begun', () => {
    for (let ms = 0; ms < 8_000_000; ms += 97) expect(renderDuration(ms)).not.toMatch(/^1000 ms|^60\.0 s|\b60 (s|min)/);
  });
});

describe('bytes for people', () => {
  it.each([
    [0, '0 B'],
    [1023, '1023 B'],
    [1024, '1.0 KiB'],
    [10_188, '9.9 KiB'],
    [10_240, '10 KiB'],
    [1_048_575, '1.0 MiB'],
    [3_650_722_201, '3.4 GiB'],
    [5e15, '4547 TiB'],
  ])('%d reads %s', (bytes, text) => {
    expect(renderBytes(bytes)).toBe(text);
  });
});
