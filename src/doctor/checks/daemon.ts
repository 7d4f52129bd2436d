import type { DoctorContext } from '../context.ts';
import { doctorErrors } from '../errors.ts';
import { ok, warn, type Finding } from '../finding.ts';

/** Whether a daemon serves this home, and whether it is of this version. */
export function checkDaemon({ options }: DoctorContext): readonly Finding[] {
  const { daemon, version } = options;
  if (daemon === null) return [warn(doctorErrors.create('DAEMON_ABSENT', undefined))];
  if (daemon.version !== version)
    return [warn(doctorErrors.create('DAEMON_OTHER_VERSION', { daemon: daemon.version, installed: version }))];
  return [ok(`process ${daemon.pid}, version ${daemon.version}; the rows below show its environment.`)];
}
