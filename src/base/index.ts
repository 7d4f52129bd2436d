export {
  KraftError,
  asKraftError,
  baseErrors,
  defineErrors,
  gatherErrors,
  hasCode,
  type ErrorCatalogue,
  type ErrorKind,
  type ErrorReport,
  type ErrorSpec,
} from './errors.ts';
export { statusOfKind } from './http-status.ts';
export { describeError, type ErrorDescription } from './describe-error.ts';
export { Secret, isSecret } from './secret.ts';
export { systemClock, toTimestamp, type Clock } from './clock.ts';
export { randomHex16, randomIds, type Ids } from './ids.ts';
export { silentLog, type Log } from './log.ts';
export { parseSizeBytes, renderBytes, renderDuration, renderSize } from './units.ts';
export { displayWidth, padDisplay, safeLine, safeText } from './text.ts';
export {
  documentSizeMaxBytes,
  parseDocument,
  type DocumentEdit,
  type DocumentPath,
  type DocumentProblem,
  type ParsedDocument,
  type SourceDocument,
} from './document.ts';
export {
  closestKey,
  refuseKeys,
  renderPath,
  schemaProblems,
  type RefusedKey,
  type SchemaFault,
  type SchemaProblem,
} from './schema-problems.ts';
