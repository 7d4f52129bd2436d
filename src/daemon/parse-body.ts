// Loaded with the first body that comes: its schema library would be a fifth of an idle daemon's memory.
import { z } from 'zod';
import { daemonErrors } from './errors.ts';

const createItemSchema = z.strictObject({
  title: z.string(),
  description: z.string(),
  repo: z.string(),
  chain: z.string().nullable(),
  harness: z.string().nullable(),
  baseBranch: z.string().nullable(),
  autostart: z.boolean(),
});
const resumeSchema = z.strictObject({ steer: z.string().nullable() });
const retrySchema = z.strictObject({
  path: z.string().nullable(),
  restart: z.boolean(),
  steer: z.string().nullable(),
});
const skipSchema = z.strictObject({ path: z.string().nullable(), note: z.string() });
const archiveSchema = z.strictObject({ yes: z.boolean(), logs: z.boolean() });
const stopSchema = z.strictObject({ pause: z.boolean() });

/** The body of `POST /api/work-items`. */
export function parseCreateItem(body: unknown): z.infer<typeof createItemSchema> {
  return parse(createItemSchema, body);
}

/** The body of a retry; none at all retries the node that the item stopped in. */
export function parseRetry(body: unknown): z.infer<typeof retrySchema> {
  return body === null ? { path: null, restart: false, steer: null } : parse(retrySchema, body);
}

/** The body of a skip. */
export function parseSkip(body: unknown): z.infer<typeof skipSchema> {
  return parse(skipSchema, body);
}

/** The body of an archive; none at all removes nothing that would be lost. */
export function parseArchive(body: unknown): z.infer<typeof archiveSchema> {
  return body === null ? { yes: false, logs: false } : parse(archiveSchema, body);
}

/** The body of a resume; none at all says nothing. */
export function parseResume(body: unknown): z.infer<typeof resumeSchema> {
  return body === null ? { steer: null } : parse(resumeSchema, body);
}

/** The body of `POST /api/stop`; none at all leaves every session running. */
export function parseStop(body: unknown): z.infer<typeof stopSchema> {
  return body === null ? { pause: false } : parse(stopSchema, body);
}

function parse<T>(schema: z.ZodType<T>, body: unknown): T {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? 'the body' : issue.path.join('.');
  throw daemonErrors.create('REQUEST_INVALID', { problem: `${where}: ${issue?.message ?? 'unreadable'}` });
}
