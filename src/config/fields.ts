import { isAbsolute, normalize } from 'node:path';
import { z } from 'zod';
import { parseHostPattern } from './host-pattern.ts';

/** Field types that several files share. No coercion anywhere: a value is of the type it was written in. */

/** Adds a problem of the value itself; `remedy` replaces the general one. */
export function problem(
  ctx: z.RefinementCtx,
  message: string,
  more: { path?: (string | number)[]; remedy?: string },
): void {
  ctx.addIssue({ code: 'custom', message, path: more.path ?? [], params: { remedy: more.remedy } });
}

/** Text that can stand in an argument or a variable: not empty, no NUL. */
export const Text = z
  .string()
  .min(1)
  .regex(/^[^\0]*$/, 'must not hold a NUL character');

/** Like `Text`, and may be empty where empty has a meaning. */
export const Command = z.string().regex(/^[^\0]*$/, 'must not hold a NUL character');

export const Identifier = z
  .string()
  .regex(/^[a-z][a-z0-9_-]*$/, 'must be lower-case letters, digits, _ and -, starting with a letter');

export const EnvName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be a variable name: letters, digits and _, not starting with a digit');

/** A variable that crosses by name. Wider than `EnvName` (npm has such names), but nothing an engine expands or splits. */
export const WorkerEnvName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_./:@-]*$/, 'must be a variable name, without =, * or space');

/** An image reference: no space, and no leading dash that an engine would read as an option. */
export const ImageRef = z
  .string()
  .regex(/^[A-Za-z0-9]\S*$/, 'must be an image reference, such as `ghcr.io/acme/agent:1`');

export const KitRef = z
  .string()
  .regex(/^[A-Za-z0-9][^@\s]*@sha256:[0-9a-f]{64}$/, 'must be pinned by digest: `name@sha256:` and 64 hex digits');

export const ToolName = z
  .string()
  .regex(
    /^(?!mcp__)[A-Za-z][A-Za-z0-9_-]*$|^mcp__[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*__[A-Za-z0-9_-]+$/,
    'must be the name of one tool (`Bash`, `mcp__server__tool`), without a rule, pattern or bare server',
  );

export const Minutes = z.number().positive();
export const Seconds = z.number().nonnegative();
export const Count = z.int().min(1);
export const Usd = z.number().positive();

export const AbsolutePath = Text.superRefine((path, ctx) => {
  if (path !== '' && !isAbsolute(path))
    problem(ctx, 'must be an absolute path', { remedy: 'Write the whole path, starting with /.' });
});

/** A path inside the repository: relative, never climbing out of it. */
export function insidePath(path: string): boolean {
  return !isAbsolute(path) && !path.split('/').includes('..') && normalize(path) !== '.';
}

export const InsidePath = Text.refine(insidePath, 'must be a relative path that stays inside the repository');

export const LocalFile = InsidePath.superRefine((path, ctx) => {
  if (path.endsWith('/')) problem(ctx, 'must be a file, not a directory', {});
  if (/[*?[]/.test(path)) problem(ctx, 'must name one file; patterns are not expanded', {});
});

/** Every entry of an allow or deny list, checked and explained here so that none is kept that can match nothing. */
export const HostList = z.array(
  z.string().superRefine((text, ctx) => {
    const parsed = parseHostPattern(text);
    if (parsed.kind === 'refused') problem(ctx, parsed.problem, { remedy: parsed.remedy });
  }),
);

/** A field that may be left out or be null; both mean null, and the description says what that does. */
export function setting<S extends z.ZodType>(schema: S, description: string): z.ZodDefault<z.ZodNullable<S>> {
  const nullable: z.ZodNullable<S> = schema.nullable();
  return nullable.default(null as never).meta({ description });
}

/** A field that may be left out, with the value that stands in then. */
export function withDefault<S extends z.ZodType>(schema: S, description: string, value: z.output<S>): z.ZodDefault<S> {
  return schema.default(value as never).meta({ description });
}
