import { launchErrors } from '../../launch/index.ts';
import type { DoctorContext } from '../context.ts';
import { attempt, fail, ok, skipped, type Finding } from '../finding.ts';

/** Free space where worktrees and logs lie, against the floor under which nothing is launched. */
export async function checkDisk({ options, policy }: DoctorContext): Promise<readonly Finding[]> {
  if (!policy.ok) return [skipped('Not compared with a floor.', 'Needs a policy.yaml that loads.')];
  const path = options.paths.run;
  const free = await attempt(() => options.host.freeBytes(path));
  if (!free.ok) return [fail(free.error)];
  const floorBytes = policy.value.diskFloorBytes;
  if (free.value < floorBytes)
    return [fail(launchErrors.create('DISK_FLOOR', { path, freeBytes: free.value, floorBytes }))];
  return [ok(`${renderGib(free.value)} free at ${path}; the floor is ${renderGib(floorBytes)}.`)];
}

function renderGib(bytes: number): string {
  return `${(bytes / 1024 ** 3).toFixed(1)} GiB`;
}
