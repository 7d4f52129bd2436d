import type { IncomingMessage } from 'node:http';
import { requestMaxBytes, routes, waitMaxMs, type RouteName } from '../daemon-client/index.ts';
import { daemonErrors } from './errors.ts';

/** A request after its path was matched. */
export interface RoutedRequest {
  readonly route: RouteName;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Parsed JSON, or null when there was no body. */
  readonly body: unknown;
}

/** Finds the route of a method and path. Errors: ROUTE_UNKNOWN. */
export function matchRoute(method: string, url: string): Omit<RoutedRequest, 'body'> {
  const at = url.indexOf('?');
  const path = at === -1 ? url : url.slice(0, at);
  const segments = path.split('/');
  for (const [name, route] of Object.entries(routes)) {
    if (route.method !== method) continue;
    const params = matchSegments(route.path.split('/'), segments);
    if (params !== null) {
      return { route: name as RouteName, params, query: new URLSearchParams(at === -1 ? '' : url.slice(at)) };
    }
  }
  throw daemonErrors.create('ROUTE_UNKNOWN', { method, path });
}

function matchSegments(pattern: readonly string[], segments: readonly string[]): Record<string, string> | null {
  if (pattern.length !== segments.length) return null;
  const params: Record<string, string> = {};
  for (const [index, part] of pattern.entries()) {
    const segment = segments[index] ?? '';
    if (part.startsWith(':')) {
      const value = decodeSegment(segment);
      if (value === null || value === '') return null;
      params[part.slice(1)] = value;
    } else if (part !== segment) return null;
  }
  return params;
}

function decodeSegment(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}

/** Reads the body up to the bound. Errors: REQUEST_TOO_LARGE, REQUEST_INVALID for what is no JSON. */
export async function readBody(incoming: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes > requestMaxBytes) throw daemonErrors.create('REQUEST_TOO_LARGE', { maxBytes: requestMaxBytes });
    chunks.push(chunk);
  }
  if (sizeBytes === 0) return null;
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown;
  } catch (error) {
    throw daemonErrors.create('REQUEST_INVALID', { problem: 'the body is not JSON' }, error);
  }
}

/** Bounds of a query number. */
export interface NumberBounds {
  readonly fallback: number;
  readonly max: number;
}

/** A whole number from the query, from 0 to `max`. Errors: REQUEST_INVALID. */
export function readNumber(query: URLSearchParams, name: string, bounds: NumberBounds): number {
  const text = query.get(name);
  if (text === null) return bounds.fallback;
  const value = Number(text);
  if (!/^[0-9]+$/.test(text) || value > bounds.max) {
    throw daemonErrors.create('REQUEST_INVALID', { problem: `${name} must be a whole number from 0 to ${bounds.max}` });
  }
  return value;
}

/** How long a long poll may wait, in milliseconds. */
export function readWaitMs(query: URLSearchParams): number {
  return readNumber(query, 'waitMs', { fallback: 0, max: waitMaxMs });
}

/** One of a set of words. Errors: REQUEST_INVALID. */
export function readChoice<const T extends string>(text: string | null, choices: readonly T[], name: string): T {
  const found = choices.find((choice) => choice === text);
  if (found !== undefined) return found;
  throw daemonErrors.create('REQUEST_INVALID', { problem: `${name} must be one of ${choices.join(', ')}` });
}
