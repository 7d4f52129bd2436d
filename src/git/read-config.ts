import { isAbsolute, join } from 'node:path';
import { configValue, parseConfigList, parseScopedConfig, type ConfigEntry } from '../refs/index.ts';
import { atGitDir, type GitPlace, type GitRunner } from './run-git.ts';

/** The configuration as the person's own git sees it: every file, without the pins of Kraft's calls. */
export async function readConfig(git: GitRunner, place: GitPlace): Promise<readonly ConfigEntry[]> {
  const output = await git.text({
    args: ['config', '--list', '--show-scope', '-z'],
    action: 'read the configuration',
    place,
    scope: 'person',
  });
  return parseScopedConfig(output).flatMap((entry) => (entry.scope === 'command' ? [] : [entry]));
}

/** The configuration of the repository itself, its includes among it, without the person's and the system's. */
export async function readRepositoryConfig(git: GitRunner, commonDir: string): Promise<readonly ConfigEntry[]> {
  return parseConfigList(
    await git.text({
      args: ['config', '--local', '--includes', '--list', '-z'],
      action: 'read the configuration of the repository',
      place: atGitDir(commonDir),
    }),
  );
}

/** Where the repository keeps its LFS objects: `lfs.storage`, by default `lfs` in the git directory. */
export function lfsDirOf(config: readonly ConfigEntry[], commonDir: string): string {
  const storage = configValue(config, 'lfs.storage') ?? 'lfs';
  return isAbsolute(storage) ? storage : join(commonDir, storage);
}
