import { workerApiErrors } from './errors.ts';

/** What a request says, by name; nothing has been understood of it yet. */
export type Fields = ReadonlyMap<string, string>;

/**
 * The fields of a form (or query), strictly: every pair whole, every name at most once and one of `known`, every escape a
 * byte of valid UTF-8. Errors: WORKER_REQUEST_INVALID.
 */
export function readForm(text: string, known: readonly string[]): Fields {
  const fields = new Map<string, string>();
  if (text === '') return fields;
  for (const pair of text.split('&')) {
    const at = pair.indexOf('=');
    if (at === -1) throw invalid('a field has no `=`');
    const name = decode(pair.slice(0, at));
    if (!known.includes(name)) throw invalid(`there is no field ${shorten(name)} here`);
    if (fields.has(name)) throw invalid(`the field ${name} is there twice`);
    fields.set(name, decode(pair.slice(at + 1)));
  }
  return fields;
}

/** The fields of a flat JSON object, as text; null counts as left out. Errors: WORKER_REQUEST_INVALID. */
export function readJson(text: string, known: readonly string[]): Fields {
  const fields = new Map<string, string>();
  if (text === '') return fields;
  for (const [name, value] of Object.entries(parseObject(text))) {
    if (!known.includes(name)) throw invalid(`there is no field ${shorten(name)} here`);
    if (value === null) continue;
    if (typeof value !== 'string' && typeof value !== 'number') throw invalid(`${name} is neither text nor a number`);
    fields.set(name, String(value));
  }
  return fields;
}

/** The body as text. Errors: WORKER_REQUEST_INVALID for what is no UTF-8. */
export function readText(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch (error) {
    throw workerApiErrors.create('WORKER_REQUEST_INVALID', { problem: 'the body is not UTF-8' }, error);
  }
}

export function invalid(problem: string): Error {
  return workerApiErrors.create('WORKER_REQUEST_INVALID', { problem });
}

function parseObject(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw workerApiErrors.create('WORKER_REQUEST_INVALID', { problem: 'the body is not JSON' }, error);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid('the body is no JSON object');
  return value as Record<string, unknown>;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch (error) {
    throw workerApiErrors.create('WORKER_REQUEST_INVALID', { problem: 'a percent escape is broken' }, error);
  }
}

/** A name that somebody made up, quoted and bounded. */
function shorten(name: string): string {
  return JSON.stringify(name.slice(0, 40));
}
