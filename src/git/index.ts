export type * from './git.ts';
export { openGit, type OpenGitOptions } from './open-git.ts';
export { gitErrors } from './errors.ts';
