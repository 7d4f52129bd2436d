export type * from './resolved.ts';
export { configErrors } from './errors.ts';
export { listSandboxChanges } from './compare-sandbox.ts';
export { covers, editHosts, type EditedHosts, type HostEdit } from './edit-hosts.ts';
export { lowerCaseAscii, parseHostName, type ParsedHostName } from './host-name.ts';
export { parseHostPattern, type HostPattern, type ParsedHostPattern } from './host-pattern.ts';
export {
  loadHarnessProfiles,
  loadPolicyLayers,
  loadPolicySettings,
  loadRepos,
  loadSandboxSettings,
  worldReadableEnv,
} from './load.ts';
export { RepoPolicyLayer, type PolicyLayer } from './policy-schema.ts';
export { meetLayers, noPolicyLayers, resolvePolicy, resolveToolPolicy, type PolicyLayers } from './resolve-policy.ts';
export { checkDocument, loadDocument, type CheckedDocument, type ConfigFile } from './read-document.ts';
export { normalizeRepoPath, resolveSandbox, sameSandbox } from './resolve.ts';
export { addRepo, fillRepo, removeRepo, renderSandbox, type NewRepo, type RepoFill } from './save.ts';
