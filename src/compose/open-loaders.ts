import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { gatherErrors } from '../base/index.ts';
import { loadChain, type Chain } from '../chain/index.ts';
import {
  loadHarnessProfiles,
  loadPolicySettings,
  loadRepos,
  loadSandboxSettings,
  worldReadableEnv,
  type HarnessProfiles,
  type HomePaths,
  type LoadedRepos,
  type PolicySettings,
  type SandboxSettings,
} from '../config/index.ts';
import { checkProfiles, loadHarnesses, selectHarness, type SelectedHarness } from '../harness/index.ts';

/** The configuration of a home, read anew at each call; each throws the file's own errors. */
export interface Loaders {
  readonly repos: () => Promise<LoadedRepos>;
  readonly policy: () => Promise<PolicySettings>;
  readonly sandbox: () => Promise<SandboxSettings>;
  readonly chain: (id: string) => Promise<Chain>;
  /** A profile of harnesses.yaml, or a harness id. */
  readonly harness: (name: string) => Promise<SelectedHarness>;
  /** The agent profiles of harnesses.yaml. */
  readonly agentProfiles: () => Promise<HarnessProfiles['profiles']>;
  /** Chains, harness files and profiles: resolves when all of them load. */
  readonly others: () => Promise<void>;
  readonly readableEnv: () => ReturnType<typeof worldReadableEnv>;
}

/** Opens nothing; each reader opens its file. */
export function openLoaders(paths: HomePaths): Loaders {
  return {
    repos: () => loadRepos(paths),
    policy: () => loadPolicySettings(paths),
    sandbox: () => loadSandboxSettings(paths),
    chain: (id) => loadChain(paths.config, id),
    harness: async (name) => {
      const [harnesses, profiles] = await Promise.all([loadHarnesses(paths.config), loadHarnessProfiles(paths)]);
      return selectHarness(name, harnesses, profiles.harnesses);
    },
    agentProfiles: async () => (await loadHarnessProfiles(paths)).profiles,
    others: async () => {
      const harnesses = await loadHarnesses(paths.config);
      const [first, ...rest] = checkProfiles(await loadHarnessProfiles(paths), harnesses);
      if (first !== undefined) throw gatherErrors([first, ...rest]);
      for (const id of ['default', ...(await listOwnChains(paths))]) await loadChain(paths.config, id);
    },
    readableEnv: () => worldReadableEnv(paths),
  };
}

async function listOwnChains(paths: HomePaths): Promise<readonly string[]> {
  try {
    const names = await readdir(join(paths.config, 'chains'));
    return names.filter((name) => name.endsWith('.yaml')).map((name) => name.slice(0, -'.yaml'.length));
  } catch {
    return [];
  }
}
