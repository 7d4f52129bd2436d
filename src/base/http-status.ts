import type { ErrorKind } from './errors.ts';

/** HTTP status of an error, by its kind: for tools that look at nothing else. */
export const statusOfKind: Readonly<Record<ErrorKind, number>> = {
  usage: 400,
  config: 422,
  denied: 403,
  limit: 429,
  environment: 503,
  upstream: 502,
  bug: 500,
};
