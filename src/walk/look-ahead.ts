import { asKraftError, type KraftError } from '../base/index.ts';
import { chainErrors, refuseSandboxChange, type Chain } from '../chain/index.ts';
import type { ResolvedRepo } from '../config/index.ts';
import type { Harness, SelectedHarness } from '../harness/index.ts';
import type { DockerSandbox, ProgramNeed } from '../launch/index.ts';
import type { WalkPorts } from './ports.ts';
import { checkSandbox, listNeeds, openForCommits, selectHarnesses } from './ready.ts';

/** What an item on a repository would meet, told before there is one. */
export interface Outlook {
  /** Everything that would stop it before the engine is asked, in the order in which it would be met. */
  readonly refusals: readonly KraftError[];
  readonly programs: readonly ProgramNeed[];
  /** Those that its agent tasks run; empty when they do not load. */
  readonly harnesses: readonly Harness[];
}

/** The harness of an item that names none. */
const usualHarness = 'demo';

/** Asks what `readyItem` asks, of a repository and its default chain, and gathers in place of stopping. Never throws. */
export async function lookAhead(
  ports: Pick<WalkPorts, 'git' | 'loadChain' | 'loadHarness' | 'loadAgentProfiles'>,
  repo: ResolvedRepo,
): Promise<Outlook> {
  const refusals: KraftError[] = [];
  const collect = async <T>(step: () => Promise<T> | T): Promise<T | null> => {
    try {
      return await step();
    } catch (error) {
      refusals.push(asKraftError(error));
      return null;
    }
  };
  const chain = await collect<Chain>(() => ports.loadChain(repo.defaultChain));
  if (chain !== null && chain.unbuilt.length > 0) {
    refusals.push(chainErrors.create('CHAIN_PART_NOT_BUILT', { chain: chain.id, parts: chain.unbuilt }));
  }
  if (chain !== null) refusals.push(...refuseSandboxChange(repo, chain));
  const sandbox = await collect<DockerSandbox>(() => checkSandbox(repo));
  const harnesses =
    chain === null || sandbox === null
      ? null
      : await collect(() => selectHarnesses(ports, { harness: usualHarness }, { repo, chain, sandbox }));
  await collect(() => openForCommits(ports, repo));
  const programs =
    chain === null ? [] : listNeeds({ repo, chain, harnesses: harnesses ?? new Map<string, SelectedHarness>() });
  return { refusals, programs, harnesses: [...(harnesses?.values() ?? [])].map(({ harness }) => harness) };
}
