import { hasCode } from '../../base/index.ts';
import type { ResolvedRepo } from '../../config/index.ts';
import type { DoctorContext } from '../context.ts';
import { doctorErrors } from '../errors.ts';
import { fail, ok, warn, type Finding } from '../finding.ts';

/** Keys of the entry that nothing reads (kept, and a failure until they go), and fields that nothing uses yet. */
export function checkKeys({ repos }: DoctorContext, repo: ResolvedRepo): readonly Finding[] {
  const lines = new Set<unknown>(repo.unknownKeys.map((key) => key.line));
  const warnings = repos.ok ? repos.value.warnings : [];
  const findings = warnings
    .filter((error) => hasCode(error, 'CONFIG_UNREAD_KEY') && lines.has(error.report.details['line']))
    .map(fail);
  const idle = idleFields(repo);
  if (idle.length > 0) findings.push(warn(doctorErrors.create('FIELD_NOT_USED', { fields: idle })));
  return findings.length === 0 ? [ok('every key of the entry is read.')] : findings;
}

/** Fields that are set and whose feature is not built: they change nothing. What would stop an item is the sandbox row's. */
function idleFields(repo: ResolvedRepo): readonly string[] {
  const { policy } = repo;
  const set: readonly (readonly [string, boolean])[] = [
    ['forge', repo.forge !== null],
    ['project', repo.project !== null],
    ['automated_review', repo.automatedReview !== null],
    ['policy.total_time_cap_minutes', policy.totalTimeCapMinutes !== null],
    ['policy.token_budget', policy.tokenBudget !== null],
    ['policy.budget_usd', policy.budgetUsd !== null],
    ['policy.escalation_harness', policy.escalationHarness !== null],
    ['policy.max_attempts', policy.maxAttempts !== null],
  ];
  return set.flatMap(([name, isSet]) => (isSet ? [name] : []));
}
