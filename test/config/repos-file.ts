import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HomePaths } from '../../src/config/index.ts';

/** A Kraft home of its own with the given configuration files. */
export async function makeHome(files: Readonly<Record<string, string | Uint8Array>>): Promise<HomePaths> {
  const home = await mkdtemp(join(tmpdir(), 'kraft-config-'));
  const paths = { home, config: join(home, 'config'), run: join(home, 'run') };
  if (Object.keys(files).length === 0) return paths;
  await mkdir(paths.config, { mode: 0o700 });
  for (const [name, text] of Object.entries(files)) await writeFile(join(paths.config, name), text);
  return paths;
}
