export type * from './launch.ts';
export type * from './route.ts';
export { launchErrors } from './errors.ts';
export { doctorRowOf, type DoctorRowName } from './doctor-row.ts';
export { openRoutes, type RoutesOptions } from './open-routes.ts';
export { openLauncher, type LauncherOptions, type OpenedEngine } from './open-launcher.ts';
export {
  launchPaths,
  planLaunch,
  setupPrefix,
  setupSessionId,
  shellCommand,
  type LaunchPaths,
  type PlanFacts,
} from './plan.ts';
export { listPrograms, type ItemCommands } from './programs.ts';
export { checkDiskFloor, refuseUnbuilt } from './probe-machine.ts';
export { defaultLogCap, readDroppedRange, type DroppedRange, type LogCap } from './log-cap.ts';
export { LogTail } from './tail-log.ts';
export { removeWorkerTree, sessionOf } from './cleanup.ts';
export { defaultBounds, type SuperviseBounds } from './supervise.ts';
