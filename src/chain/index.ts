export type * from './chain.ts';
export { chainErrors } from './errors.ts';
export { loadChain } from './load.ts';
export { ChainFile } from './schema.ts';
export {
  globToRegExp,
  listCandidates,
  selectScopes,
  type ScopeSelection,
  type SelectedScope,
} from './select-scopes.ts';
export { splitCommand } from './split-command.ts';
