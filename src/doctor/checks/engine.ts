import { describeLimits } from '../../limits/index.ts';
import { decideSelinux, type EngineFacts } from '../../runtime/index.ts';
import type { DoctorContext } from '../context.ts';
import { doctorErrors } from '../errors.ts';
import { fail, ok, skipped, warn, type Finding } from '../finding.ts';

/** The engine that a launch would use, asked anew: whether it answers, where, and what it can enforce. */
export function checkEngine({ engine, settings, options }: DoctorContext): readonly Finding[] {
  if (!settings.ok) return [skipped('Not asked.', 'Needs a sandbox.yaml that loads.')];
  if (!engine.ok) return [fail(engine.error)];
  const { usable, facts } = engine.value;
  // A slow engine may have answered the second, longer question only: what a launch would go by is what is told.
  const seen = usable.ok ? usable.value : facts;
  const told = seen === null ? [] : [ok(describeEngine(engine.value.engine.cli, seen))];
  if (!usable.ok) return [fail(usable.error), ...told];
  const { refusal } = decideSelinux({
    enforcing: options.host.selinuxEnforcing(),
    appliesLabels: usable.value.appliesSelinuxLabels,
    setting: settings.value.selinux,
  });
  // PF-U01: what makes the first launch look hung is said before it.
  const slow = usable.value.storageDriver === 'vfs';
  const remarks = slow ? [warn(doctorErrors.create('STORAGE_COPIES', { cli: engine.value.engine.cli }))] : [];
  return [...told, ...remarks, ...(refusal === null ? [] : [fail(refusal)])];
}

/** CLI, version and what the engine says of itself, in one sentence. */
export function describeEngine(cli: string, facts: EngineFacts): string {
  const rootless = facts.rootless === true ? ', rootless' : '';
  const labels = facts.appliesSelinuxLabels === true ? ', SELinux labels' : '';
  return `${facts.kind} ${facts.serverVersion} (${cli}${rootless}${labels}) at ${facts.endpoint}; limits: ${describeLimits(facts.enforceable)}.`;
}
