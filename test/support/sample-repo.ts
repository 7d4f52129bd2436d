import type { ResolvedRepo } from '../../src/config/index.ts';

/** An entry of `repos.yaml` in which nothing is set but what is given. */
export function sampleRepo(given: Partial<ResolvedRepo> & Pick<ResolvedRepo, 'path'>): ResolvedRepo {
  return {
    label: given.path,
    id: null,
    enabled: true,
    managed: true,
    defaultChain: 'default',
    forge: null,
    project: null,
    models: {},
    tests: { kind: 'undeclared' },
    areas: {},
    intentDir: null,
    setupCommand: null,
    env: {},
    envPassthrough: [],
    localFiles: [],
    steering: [],
    sandbox: null,
    toolPolicy: { allowedTools: null, denyTools: [], grants: [] },
    policy: {
      allowedHarnesses: null,
      timeoutMinutes: null,
      maxAttempts: null,
      timeCapMinutes: null,
      totalTimeCapMinutes: null,
      tokenBudget: null,
      budgetUsd: null,
      escalationHarness: null,
    },
    policyLayer: null,
    automatedReview: null,
    ciChecks: true,
    unknownKeys: [],
    line: 1,
    ...given,
  };
}
