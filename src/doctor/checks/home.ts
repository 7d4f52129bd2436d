import type { DoctorContext } from '../context.ts';
import { doctorErrors } from '../errors.ts';
import { fail, ok, warn, type Finding } from '../finding.ts';

/** The home and its run directory: there, the person's, closed to others; and whether Kraft runs as root. */
export async function checkHome({ options }: DoctorContext): Promise<readonly Finding[]> {
  const { paths, host } = options;
  const findings: Finding[] = [
    ok(`home ${paths.home}, configuration in ${paths.config}, running state in ${paths.run}.`),
  ];
  for (const path of new Set([paths.home, paths.run])) {
    const found = await host.ownership(path);
    if (found === null) {
      findings.push(warn(doctorErrors.create('HOME_NOT_MADE', { path })));
      continue;
    }
    if (found.uid !== host.uid)
      findings.push(fail(doctorErrors.create('HOME_FOREIGN', { path, ownerUid: found.uid, uid: host.uid })));
    if ((found.mode & 0o077) !== 0)
      findings.push(warn(doctorErrors.create('HOME_OPEN_TO_OTHERS', { path, mode: renderMode(found.mode) })));
  }
  if (host.uid === 0) findings.push(warn(doctorErrors.create('RUNS_AS_ROOT', undefined)));
  return findings;
}

/** Permission bits as `chmod` takes them. */
export function renderMode(mode: number): string {
  return (mode & 0o777).toString(8).padStart(4, '0');
}
