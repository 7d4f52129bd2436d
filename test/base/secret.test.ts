import { format, inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { isSecret, Secret } from '../../src/base/index.ts';

const secret = new Secret('API_KEY', 'sk-live-123');

describe('a secret', () => {
  const renderings: readonly (readonly [string, () => string])[] = [
    ['String()', () => String(secret)],
    ['a template', () => `${String(secret)}!`],
    ['concatenation', () => 'x' + (secret as unknown as string)],
    ['JSON', () => JSON.stringify({ nested: [secret] })],
    ['inspect', () => inspect(secret, { showHidden: true, depth: 9 })],
    ['inspect inside an object', () => inspect({ nested: { secret } }, { depth: 9 })],
    ['console formatting', () => format('%s %o %j', secret, secret, secret)],
    ['its own keys', () => JSON.stringify(Object.entries(secret))],
  ];
  it.each(renderings)('never shows its value through %s', (_way, render) => {
    expect(render()).not.toContain('sk-live-123');
    expect(render()).toContain('API_KEY');
  });

  it('opens only where it is asked to', () => {
    expect(secret.reveal()).toBe('sk-live-123');
  });

  it('loses its value when it is cloned', () => {
    expect(JSON.stringify(structuredClone({ secret }))).not.toContain('sk-live-123');
  });

  it('is told from a look-alike', () => {
    expect([isSecret(secret), isSecret({ label: 'x', reveal: () => 'y' }), isSecret(null)]).toEqual([
      true,
      false,
      false,
    ]);
  });
});
