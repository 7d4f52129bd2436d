export {
  answerMaxBytes,
  protocolHeader,
  protocolVersion,
  requestMaxBytes,
  routes,
  routesForAnyProtocol,
  socketName,
  socketPathMaxBytes,
  waitMaxMs,
  type ErrorAnswer,
  type HealthHead,
  type RouteName,
  type StopAnswer,
  type StopRequest,
} from './protocol.ts';
export { checkSocketPath, openDaemonClient, type DaemonClient, type DaemonRequest } from './client.ts';
export { daemonClientErrors } from './errors.ts';
export { findPaths, type HomeDirectories } from './find-paths.ts';
