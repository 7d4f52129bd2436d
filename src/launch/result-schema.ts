import { z } from 'zod';
import type { WorkerFinding, WorkerResult } from './launch.ts';

/** Findings of one result that are kept. */
export const findingsMax = 200;
/** Characters of a finding's message that are kept. */
export const messageMaxChars = 4000;

const text = z.string().nullish();
const tokens = z.int().nonnegative().nullish();
const dollars = z.number().nonnegative().nullish();

const Usage = z.object({
  input_tokens: tokens,
  output_tokens: tokens,
  cache_read_tokens: tokens,
  cache_write_tokens: tokens,
});

/** Result protocol (CC 6.7); keys that are not named here are dropped. */
export const ResultFile = z.object({
  status: z.enum(['done', 'done_with_concerns', 'failed', 'needs_context']),
  concerns: text,
  question: text,
  summary: text,
  usage: Usage.nullish(),
  cost_usd: dollars,
  total_cost_usd: dollars,
  model: text,
  // What has no bearing on how the session ended is read as far as it can be.
  findings: z.unknown().optional(),
  verdict: z
    .enum(['continue', 'stop_needs_human', 'stop_downgrade', 'approve', 'reject', 'fixed', 'undecided'])
    .nullish()
    .catch(null),
  suggested_action: z
    .object({ action: z.enum(['skip', 'retry', 'abandon']), reason: text })
    .nullish()
    .catch(null),
});
type ResultFile = z.infer<typeof ResultFile>;

const Finding = z.object({
  severity: z.enum(['critical', 'important', 'minor']),
  message: z.string().min(1),
  source_plugin: z.string().min(1).max(200),
  file: z.string().min(1).max(1024).nullish(),
  line: z.int().positive().nullish(),
  same_as: z
    .string()
    .regex(/^[A-Za-z0-9]{16}$/u)
    .nullish(),
});

/** A parsed result file in Kraft's own shape. Pure. */
export function toWorkerResult(file: ResultFile): WorkerResult {
  const action = file.suggested_action ?? null;
  return {
    status: file.status,
    concerns: file.concerns ?? null,
    question: file.question ?? null,
    summary: file.summary ?? null,
    costUsd: file.cost_usd ?? file.total_cost_usd ?? null,
    model: file.model ?? null,
    usage: toUsage(file.usage ?? {}),
    ...readFindings(file.findings),
    verdict: file.verdict ?? null,
    suggestedAction: action === null ? null : { action: action.action, reason: action.reason ?? null },
  };
}

function toUsage(usage: Partial<z.infer<typeof Usage>>): WorkerResult['usage'] {
  const counts = {
    inputTokens: usage.input_tokens ?? null,
    outputTokens: usage.output_tokens ?? null,
    cacheReadTokens: usage.cache_read_tokens ?? null,
    cacheWriteTokens: usage.cache_write_tokens ?? null,
  };
  if (Object.values(counts).every((count) => count === null)) return null;
  return {
    inputTokens: counts.inputTokens ?? 0,
    outputTokens: counts.outputTokens ?? 0,
    cacheReadTokens: counts.cacheReadTokens ?? 0,
    cacheWriteTokens: counts.cacheWriteTokens ?? 0,
  };
}

function readFindings(value: unknown): Pick<WorkerResult, 'findings' | 'droppedFindings'> {
  if (value === undefined || value === null) return { findings: [], droppedFindings: 0 };
  // Something that is no list is one entry that is no finding.
  const entries: readonly unknown[] = Array.isArray(value) ? value : [value];
  const findings: WorkerFinding[] = [];
  for (const entry of entries) {
    if (findings.length === findingsMax) break;
    const parsed = Array.isArray(value) ? Finding.safeParse(entry) : null;
    if (parsed?.success === true) findings.push(toFinding(parsed.data));
  }
  return { findings, droppedFindings: entries.length - findings.length };
}

function toFinding(entry: z.infer<typeof Finding>): WorkerFinding {
  return {
    severity: entry.severity,
    message: entry.message.slice(0, messageMaxChars),
    source: entry.source_plugin,
    file: entry.file ?? null,
    line: entry.line ?? null,
    sameAs: entry.same_as ?? null,
  };
}
