import { inspect } from 'node:util';

/** A value that must not be printed or serialised: every rendering gives `[secret NAME]`; only `reveal()` opens it. */
export class Secret {
  readonly #value: string;
  /** The variable's name, which is no secret. */
  readonly label: string;

  constructor(label: string, value: string) {
    this.label = label;
    this.#value = value;
  }
  /** The value itself. Called at the point of use alone. */
  reveal(): string {
    return this.#value;
  }
  toString(): string {
    return `[secret ${this.label}]`;
  }
  toJSON(): string {
    return this.toString();
  }
  [inspect.custom](): string {
    return this.toString();
  }
}

export function isSecret(value: unknown): value is Secret {
  return value instanceof Secret;
}
