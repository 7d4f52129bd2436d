export type * from './container.ts';
export type * from './engine.ts';
export {
  containerLabels,
  containerPaths,
  defaultPath,
  homeLabel,
  relayContainerName,
  relayImage,
  relayLabel,
  relayProtocolLabel,
  roleLabel,
  sessionContainerName,
  sessionLabel,
  type ContainerRole,
} from './names.ts';
export { runtimeErrors, type EngineAttempt } from './errors.ts';
export { renderCpus, renderRunArgs } from './render-run-args.ts';
export { prepareClient, type EnvReader, type PreparedClient } from './client-environment.ts';
export { openEngine, type OpenEngineOptions } from './open-engine.ts';
export {
  createEngineProbe,
  identityTimeoutMs,
  inconclusiveTtlMs,
  probeTimeoutMs,
  type EngineProbe,
} from './engine-probe.ts';
export { findForeignOwner, planUser, type OwnedPath, type UserPlan } from './user.ts';
export { decideSelinux, probeSelinuxEnforcing, type SelinuxDecision } from './selinux.ts';
export {
  findMemoryCgroup,
  locateMemoryCgroup,
  readHostMemory,
  readMemory,
  watchMemoryEvents,
  type HostMemoryReading,
  type MemoryCgroup,
  type MemoryReading,
} from './memory-cgroup.ts';
export { launchFailed } from './launch-failure.ts';
export {
  imageFactsTimeoutMs,
  imageRootPaths,
  parseImageReader,
  parseProgramProbe,
  planImageReader,
  planProgramProbe,
  type ImageFacts,
  type ProgramAnswer,
} from './image-facts.ts';
export { planPasswd, type PasswdPlan } from './passwd.ts';
