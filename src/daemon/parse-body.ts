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

const approvalSchema = z.strictObject({ note: z.string().nullable() });
const rejectionSchema = z.strictObject({ note: z.string(), node: z.string().nullable() });
const reviewSchema = z.strictObject({
  outcome: z.enum(['comment', 'approve', 'request_changes']),
  body: z.string().nullable(),
});
const commentSchema = z.strictObject({ file: z.string(), line: z.number(), body: z.string() });
const replySchema = z.strictObject({ body: z.string() });

/** The bodies of `POST /api/work-items/:id/gates/:gate/approve`, `…/reject` and `…/review`. */
export function parseApproval(body: unknown): z.infer<typeof approvalSchema> {
  return parse(approvalSchema, body);
}
export function parseRejection(body: unknown): z.infer<typeof rejectionSchema> {
  return parse(rejectionSchema, body);
}
export function parseReview(body: unknown): z.infer<typeof reviewSchema> {
  return parse(reviewSchema, body);
}

/** The body of `POST /api/work-items/:id/threads`. */
export function parseComment(body: unknown): z.infer<typeof commentSchema> {
  return parse(commentSchema, body);
}

/** The body of `POST /api/threads/:thread/replies`. */
export function parseReply(body: unknown): z.infer<typeof replySchema> {
  return parse(replySchema, body);
}

function parse<T>(schema: z.ZodType<T>, body: unknown): T {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? 'the body' : issue.path.join('.');
  throw daemonErrors.create('REQUEST_INVALID', { problem: `${where}: ${issue?.message ?? 'unreadable'}` });
}
