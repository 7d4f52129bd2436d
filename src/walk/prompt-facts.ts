import type { AgentChainTask } from '../chain/index.ts';
import type { Item, PromptFacts } from '../items/index.ts';
import type { Frozen } from './frozen.ts';
import { hasRoute } from './has-route.ts';

/** The facts that the prompt of an agent task is worded from. */
export function promptFacts(
  item: Item,
  { repo }: Pick<Frozen, 'repo'>,
  { task, failures, threads }: { readonly task: AgentChainTask | null } & Pick<PromptFacts, 'failures' | 'threads'>,
): PromptFacts {
  return {
    title: item.title,
    description: item.description,
    branch: item.branch,
    baseCommit: item.baseCommit,
    base: item.base,
    instructions: task?.prompt ?? null,
    tests: repo.tests.kind === 'scopes' ? repo.tests.scopes : [],
    setupCommand: repo.setupCommand === '' ? null : repo.setupCommand,
    intentDir: repo.intentDir,
    failures,
    rejection: item.rejection,
    threads,
    steer: item.steer,
    hasRoute: hasRoute(repo),
  };
}
