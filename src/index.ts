/** The library: open a home, then use the facade as the command line does. */
export { KraftError, asKraftError, hasCode, silentLog, type ErrorReport, type Log } from './base/index.ts';
export type { EventRow, KraftEvent } from './events/index.ts';
export { openHome, openImages, openKraft, openRepos, runDoctor, takeHomeLock } from './compose/index.ts';
export type {
  ConnectReport,
  ConnectRequest,
  CreateItemRequest,
  DoctorReport,
  DoctorRow,
  Environment,
  Health,
  HomePaths,
  Images,
  ItemView,
  Kraft,
  LaunchPlan,
  LogChunk,
  OpenKraftOptions,
  PublicItem,
  PublicRepo,
  Repos,
  SessionRow,
} from './compose/index.ts';
