export type * from './chain.ts';
export { listTasks } from './chain.ts';
export { chainErrors } from './errors.ts';
export { listChains, loadChain, readChain, readChainFile, type LoadedChain } from './load.ts';
export { refuseSandboxChange } from './sandbox-lock.ts';
export { ChainFile } from './schema.ts';
export {
  globToRegExp,
  listCandidates,
  selectScopes,
  type ScopeSelection,
  type SelectedScope,
} from './select-scopes.ts';
export { splitCommand } from './split-command.ts';
export { outlineChain, type ChainOutline, type OutlinePart } from './outline.ts';
