/** What is known before any object is touched. */
export interface PublishFacts {
  /** Branch that the trusted sidecar names; null for the store of a setup command. */
  readonly recordedBranch: string | null;
  readonly branch: string;
  /** Value of the branch in the store, null when there is none that counts. */
  readonly stored: string | null;
  /** Value when last published; null when the branch did not exist. */
  readonly synced: string | null;
}

export type PublishDecision =
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'refuse'; readonly reason: string }
  | { readonly kind: 'publish'; readonly to: string };

/** Whether the branch of a store is to be carried over (SI 2.4, steps 1 to 3). */
export function decidePublish(facts: PublishFacts): PublishDecision {
  if (facts.recordedBranch === null) return { kind: 'unchanged' };
  if (facts.recordedBranch !== facts.branch) {
    return { kind: 'refuse', reason: `the ref store belongs to the branch ${facts.recordedBranch}` };
  }
  if (facts.stored === facts.synced) return { kind: 'unchanged' };
  if (facts.stored === null) {
    return { kind: 'refuse', reason: `the session left no commit that can be read on ${facts.branch}` };
  }
  return { kind: 'publish', to: facts.stored };
}

/** Why a compare-and-swap did not take place, from what the person's repository says now. */
export function explainConflict(facts: {
  readonly branch: string;
  readonly current: string | null;
  readonly synced: string | null;
  readonly gitSaid: string;
}): string {
  if (facts.current === null && facts.synced !== null)
    return `the branch ${facts.branch} was deleted in the repository`;
  if (facts.current !== facts.synced) return `the branch ${facts.branch} was moved in the repository`;
  return `git refused to move ${facts.branch}: ${facts.gitSaid}`;
}
