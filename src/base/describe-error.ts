import type { ErrorKind, ErrorSpec } from './errors.ts';

/** One entry of a catalogue as a person reads it before it has happened: `<path>` stands for what would be named. */
export interface ErrorDescription {
  /** With the KRAFT_ prefix. */
  readonly code: string;
  readonly kind: ErrorKind;
  readonly message: string;
  readonly remedy: string;
}

/** Describes an entry without its parameters, for `kraft admin explain` and docs/errors.md. */
export function describeError(code: string, spec: ErrorSpec<never>): ErrorDescription {
  const { kind, message, remedy } = spec as ErrorSpec<unknown>;
  return {
    code: `KRAFT_${code}`,
    kind,
    message: tidy(message(placeholder('value'))),
    remedy: tidy(remedy(placeholder('value'))),
  };
}

/** A number that is computed from a placeholder has no name any more. */
function tidy(text: string): string {
  return text.replaceAll(/\bNaN\b/g, '<number>');
}

/** Stands for a parameter of any shape: prints as its name, holds any property, and is a list of one. */
function placeholder(name: string): unknown {
  const text = `<${name}>`;
  return new Proxy(() => undefined, {
    get(_target, key) {
      if (key === Symbol.toPrimitive) return (hint: string) => (hint === 'number' ? Number.NaN : text);
      if (key === Symbol.iterator) return () => [placeholder(name)][Symbol.iterator]();
      if (key === 'length') return 1;
      if (key === 'toString' || key === 'toJSON') return () => text;
      if (key in Array.prototype) return (...args: unknown[]) => callOn([placeholder(name)], key, args);
      if (key in String.prototype) return (...args: unknown[]) => callOn(text, key, args);
      return placeholder(/^\d+$/.test(String(key)) ? name : String(key));
    },
    apply: () => placeholder(name),
  });
}

function callOn(target: object | string, key: PropertyKey, args: readonly unknown[]): unknown {
  const method = (Object(target) as Record<PropertyKey, unknown>)[key];
  return (method as (...rest: unknown[]) => unknown).apply(target, [...args]);
}
