import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** The directories of a home; the shape of `config.HomePaths`. */
export interface HomeDirectories {
  readonly home: string;
  readonly config: string;
  readonly run: string;
}

/**
 * The directories that an environment names (KRAFT_HOME, KRAFT_CONFIG_DIR, KRAFT_RUN_DIR), as real paths as far as they
 * exist. Makes and checks nothing: enough to knock at the daemon's door. `compose.openHome` makes and checks.
 */
export function findPaths(environment: {
  readonly env: (name: string) => string | undefined;
  readonly cwd: string;
}): HomeDirectories {
  const { cwd } = environment;
  const named = (name: string): string | null => environment.env(name) || null;
  const home = real(cwd, named('KRAFT_HOME') ?? join(named('HOME') ?? homedir(), '.kraft'));
  return {
    home,
    config: real(cwd, named('KRAFT_CONFIG_DIR') ?? join(home, 'config')),
    run: real(cwd, named('KRAFT_RUN_DIR') ?? join(home, 'run')),
  };
}

function real(cwd: string, path: string): string {
  const absolute = resolve(cwd, path);
  try {
    return realpathSync(absolute);
  } catch {
    return absolute;
  }
}
