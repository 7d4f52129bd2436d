export {
  baseRef,
  branchName,
  branchPrefix,
  branchRef,
  incomingRef,
  isBranchName,
  isObjectId,
  unsyncedRef,
} from './ref-names.ts';
export {
  findPackedRef,
  parseLooseRef,
  parseRefList,
  refListFormat,
  renderPackedRefs,
  visibleRefs,
  type ListedRef,
} from './packed-refs.ts';
export { filterPins, hostPins, kraftPins, parseFilterNames, renderPins, workerPins, type Pin } from './pins.ts';
export {
  configFlag,
  configValue,
  parseConfigList,
  parseScopedConfig,
  renderConfig,
  shownConfig,
  withoutUserInfo,
  type ConfigEntry,
} from './shown-config.ts';
export { decidePublish, explainConflict, type PublishDecision, type PublishFacts } from './decide-publish.ts';
export { ancestors, gitlinkMode, movedGitlinks, parseEntries, type TreeEntry } from './planted.ts';
export {
  decideStore,
  parseSidecar,
  storeLayout,
  type Sidecar,
  type StoreAction,
  type StoreLayout,
} from './store-layout.ts';
export {
  alternateTarget,
  planStoreMounts,
  renderAlternates,
  type Alternate,
  type AlternatePaths,
  type MountFacts,
  type StoreMount,
} from './plan-mounts.ts';
export { parseAlternates } from './alternates.ts';
