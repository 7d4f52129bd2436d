import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { configDocuments } from '../../src/config/render-reference.ts';

interface Found {
  readonly at: string;
  readonly schema: z.ZodObject;
}

interface Definition {
  readonly type: string;
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly catchall?: z.ZodType;
  readonly innerType?: z.ZodType;
  readonly element?: z.ZodType;
  readonly valueType?: z.ZodType;
  readonly options?: readonly z.ZodType[];
}

const leaves = ['string', 'number', 'boolean', 'literal', 'enum'];

/** Every object schema below `schema`; an unknown kind of schema fails the walk, so that none is passed over. */
function walk(schema: z.ZodType, at: string): Found[] {
  const def = schema.def as unknown as Definition;
  if (leaves.includes(def.type)) return [];
  if (def.shape !== undefined) {
    const below = Object.entries(def.shape).flatMap(([key, field]) => walk(field, `${at}.${key}`));
    return [{ at, schema: schema as z.ZodObject }, ...below];
  }
  if (def.options !== undefined) return def.options.flatMap((option, i) => walk(option, `${at}|${i}`));
  const inner = def.innerType ?? def.element ?? def.valueType;
  if (inner === undefined) throw new Error(`the walk does not know ${def.type} at ${at}`);
  return walk(inner, `${at}>`);
}

const objects = configDocuments.flatMap(({ name, schema }) => walk(schema, name));

describe('the configuration schemas (PF-F01, PF-F03, PF-F08)', () => {
  it('are walked whole: sandbox, phases, injections, layers and loops are among the objects', () => {
    const text = objects.map((o) => o.at).join('\n');
    for (const part of [
      '.sandbox',
      '.install',
      '.inject',
      '.resources',
      '.policy',
      '.maxima',
      '.fix_loop',
      '.fallback',
    ]) {
      expect(text).toContain(part);
    }
    expect(objects.length).toBeGreaterThan(30);
  });

  it('refuse an unknown key in every object but the entry of repos.yaml, which sorts them itself', () => {
    const open = objects.filter(({ schema }) => {
      const issues = schema.safeParse({ zzzzzzzzzzzz_unknown: 1 }).error?.issues ?? [];
      return !issues.some((issue) => issue.code === 'unrecognized_keys');
    });
    expect(open.map((o) => Object.keys(o.schema.shape))).toEqual([
      expect.arrayContaining(['path', 'sandbox', 'ci_checks']),
    ]);
  });

  it('describe every field', () => {
    const silent = objects.flatMap(({ at, schema }) =>
      Object.entries(schema.shape).flatMap(([key, field]) =>
        ((field as z.ZodType).meta()?.description ?? '') === '' ? [`${at}.${key}`] : [],
      ),
    );
    expect(silent).toEqual([]);
  });
});
