export type * from './container.ts';
export type * from './engine.ts';
export {
  containerLabels,
  containerPaths,
  defaultPath,
  homeLabel,
  roleLabel,
  sessionContainerName,
  sessionLabel,
  type ContainerRole,
} from './names.ts';
