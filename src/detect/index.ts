export type { Candidate } from './directory.ts';
export { forgeOf, type ForgeFacts } from './forge.ts';
export { proposeCommands, type Proposal, type RepositoryFiles } from './propose.ts';
export type { Stop } from './toolchains.ts';
export {
  listFileUrls,
  listPackageTools,
  listRegistryHosts,
  packageTools,
  type PackageTool,
  type RegistryHost,
} from './registries.ts';
