import { silentLog } from '../base/index.ts';
import type { DoctorReport } from '../doctor/index.ts';
import type { Environment } from './environment.ts';
import { openHome } from './open-home.ts';
import { openParts } from './open-parts.ts';

/** Doctor in this process, with this environment: what there is without a daemon. */
export async function runDoctor(environment: Environment): Promise<DoctorReport> {
  const paths = openHome(environment);
  return openParts(environment, paths, { log: silentLog, serving: null }).doctor(null).run();
}
