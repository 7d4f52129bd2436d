import { resolve } from 'node:path';
import { asKraftError, type KraftError } from '../base/index.ts';
import { listChains, outlineChain, readChain, readChainFile, type ChainOutline } from '../chain/index.ts';
import { loadPolicyLayers } from '../config/index.ts';
import type { Environment } from './environment.ts';
import { openHome } from './open-home.ts';

/** The chain files of an environment's home. Needs no daemon and starts nothing. */
export interface Chains {
  /** Reads each file, or every known chain for an empty list, and gathers in place of throwing. */
  lint(files: readonly string[]): Promise<readonly LintedChain[]>;
  /** Errors: CHAIN_UNKNOWN, CHAIN_FILE_*, those of policy.yaml. */
  show(id: string): Promise<ChainOutline>;
}

export interface LintedChain {
  /** The file as it was given, or the id. */
  readonly name: string;
  /** Null: a sound chain. It may carry others. */
  readonly error: KraftError | null;
  /** Parts that do not run yet. */
  readonly unbuilt: readonly string[];
}

export function openChains(environment: Environment): Chains {
  const paths = openHome(environment);
  const lint = async (name: string, read: () => ReturnType<typeof readChain>): Promise<LintedChain> => {
    try {
      return { name, error: null, unbuilt: (await read()).chain.unbuilt };
    } catch (error) {
      return { name, error: asKraftError(error), unbuilt: [] };
    }
  };
  return {
    lint: async (files) =>
      files.length === 0
        ? Promise.all((await listChains(paths.config)).map((id) => lint(id, () => readChain(paths.config, id))))
        : Promise.all(
            files.map((file) => lint(file, () => readChainFile(paths.config, resolve(environment.cwd, file)))),
          ),
    show: async (id) => outlineChain(await readChain(paths.config, id), await loadPolicyLayers(paths)),
  };
}
