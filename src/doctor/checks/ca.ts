import type { ResolvedRepo } from '../../config/index.ts';
import { loadExtraCa } from '../../credentials/index.ts';
import type { DoctorContext } from '../context.ts';
import { doctorErrors } from '../errors.ts';
import { ok, skipped, warn, type Finding } from '../finding.ts';

/** Certificates of this machine that a container would get. One that stops a launch is the sandbox row's. */
export function checkCa({ options, settings }: DoctorContext, repo: ResolvedRepo): readonly Finding[] {
  if (repo.sandbox === null) return [skipped('No container to speak of.', 'Needs a sandbox.')];
  if (!settings.ok) return [skipped('Not looked at.', 'Needs a sandbox.yaml that loads.')];
  const { source, ignored, refusal } = loadExtraCa(settings.value.caBundle, options.env);
  if (ignored !== null) return [warn(doctorErrors.create('CA_FILE_IGNORED', ignored))];
  if (refusal !== null) return [skipped('Not usable.', 'See the row of the sandbox.')];
  if (source === null) return [ok('no extra CA.')];
  return [ok(`extra CA from ${source.path} (${source.from}).`)];
}
