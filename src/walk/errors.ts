import { defineErrors } from '../base/index.ts';

export const walkErrors = defineErrors({
  TITLE_EMPTY: {
    kind: 'usage',
    message: () => 'An item needs a title of at least one visible character and at most 200.',
    remedy: () => 'Say in a few words what is to be done: `kraft item create "Mend the basket’s total"`.',
  },
  REPO_NOT_CONNECTED: {
    kind: 'usage',
    message: (p: { repo: string }) => `The repository ${p.repo} is not connected to Kraft.`,
    remedy: (p: { repo: string }) =>
      `Run \`kraft repo connect ${p.repo}\`; \`kraft repo list\` shows the connected ones.`,
  },
  REPO_DISABLED: {
    kind: 'config',
    message: (p: { repo: string }) => `The repository ${p.repo} is switched off (enabled: false in repos.yaml).`,
    remedy: () => 'Set `enabled: true` in its entry of repos.yaml.',
  },
  REPO_UNUSABLE: {
    kind: 'config',
    message: (p: { repo: string; why: string }) => `The repository ${p.repo} cannot be worked on: ${p.why}.`,
    remedy: (p: { repo: string }) =>
      `Mend that, then look with \`kraft admin doctor\`; \`kraft repo connect ${p.repo}\` says the same.`,
  },
  BASE_BRANCH_INVALID: {
    kind: 'usage',
    message: (p: { branch: string }) => `${JSON.stringify(p.branch)} is no name that git would take for a branch.`,
    remedy: () => 'Give the branch as `git branch` prints it, without `origin/` or `refs/heads/`.',
  },
  SANDBOX_MISSING: {
    kind: 'config',
    message: (p: { repo: string }) => `The repository ${p.repo} has no sandbox, and Kraft runs nothing on the host.`,
    remedy: (p: { repo: string }) =>
      `Run \`kraft repo connect ${p.repo} --image IMAGE\`, then start or retry the item.`,
  },
  ITEM_NEEDS_UNBUILT: {
    kind: 'config',
    message: (p: { parts: readonly string[] }) =>
      `The repository’s entry asks for what this version of Kraft does not have yet: ${p.parts.join(', ')}.`,
    remedy: () => 'Take it out of the entry in repos.yaml to run without it, then retry the item.',
  },
  IDENTITY_MISSING: {
    kind: 'config',
    message: (p: { repo: string }) => `Git has no name and e-mail address for commits in ${p.repo}.`,
    remedy: (p: { repo: string }) =>
      `Run \`git -C ${p.repo} config user.name "…"\` and \`git -C ${p.repo} config user.email …\`, then retry the item.`,
  },
  SETUP_UNDECIDED: {
    kind: 'config',
    message: (p: { repo: string }) => `Nobody has decided how a worktree of ${p.repo} is set up (setup_command).`,
    remedy: (p: { repo: string }) =>
      `Run \`kraft repo connect ${p.repo} --setup-command '…'\` (an empty one for none), then retry the item.`,
  },
  SETUP_FAILED: {
    kind: 'config',
    message: (p: { command: string; why: string }) => `The setup command \`${p.command}\` ${p.why}.`,
    remedy: () =>
      'Read its output in the stop’s facts, mend the command in repos.yaml or what it needs, then retry the item. Worktree and branch have been removed.',
  },
  TESTS_UNDECLARED: {
    kind: 'config',
    message: (p: { repo: string }) => `Nobody has decided how ${p.repo} is tested.`,
    remedy: (p: { repo: string }) =>
      `Run \`kraft repo connect ${p.repo} --test-command '…'\` (or --no-tests), then retry the item.`,
  },
  BRANCH_NOT_PUBLISHED: {
    kind: 'environment',
    message: (p: { branch: string; why: string; keptAs: string | null }) =>
      `The branch ${p.branch} could not be carried into the repository: ${p.why}.`,
    remedy: (p: { keptAs: string | null }) =>
      p.keptAs === null
        ? 'Mend what is named, then retry the item.'
        : `The commits are kept as ${p.keptAs}. Mend what is named, then retry the item.`,
  },
  WORKTREE_PLANTED: {
    kind: 'denied',
    message: (p: { paths: readonly string[]; id: string }) =>
      `The worker put repositories of its own into the worktree, and Kraft runs no git there: ${p.paths.join(', ')}.`,
    remedy: (p: { id: string }) =>
      `Look at them, remove them, and run \`kraft item retry ${p.id}\`; or throw the item away with \`kraft item abandon ${p.id}\`.`,
  },
  WORKTREE_OFF_BRANCH: {
    kind: 'environment',
    message: (p: { why: string; worktree: string }) => `The worktree is not as a finished task leaves it: ${p.why}.`,
    remedy: (p: { worktree: string }) => `Put it in order in ${p.worktree}, then retry the item.`,
  },
  LEFTOVERS_NOT_COMMITTED: {
    kind: 'environment',
    message: (p: { why: string; worktree: string }) =>
      `What the agent left uncommitted could not be committed: ${p.why}.`,
    remedy: (p: { worktree: string }) => `Look with \`git status\` in ${p.worktree}, mend it, then retry the item.`,
  },
  JUDGE_STOPS: {
    kind: 'denied',
    message: (p: { node: string; verdict: string | null; why: string | null; id: string }) =>
      `The judge of ${p.node} ${p.verdict === null ? 'gave no verdict' : 'says that another repair is not worth its while'}${p.why === null ? '.' : `: ${p.why}`}`,
    remedy: (p: { id: string }) =>
      `Look at the findings with \`kraft view show ${p.id}\`, mend them in the worktree, then run \`kraft item retry ${p.id}\`.`,
  },
  AGENT_PROFILE_UNKNOWN: {
    kind: 'config',
    message: (p: { name: string; known: readonly string[] }) =>
      `There is no agent profile ${JSON.stringify(p.name)} in harnesses.yaml${p.known.length === 0 ? '' : `; it has ${p.known.join(', ')}`}.`,
    remedy: (p: { name: string }) =>
      `Add ${p.name} under \`profiles\` in config/harnesses.yaml, or name another \`profile\` in the chain’s file.`,
  },
  TIME_CAP_REACHED: {
    kind: 'limit',
    message: (p: { why: string; source: string; id: string }) => `The time is used up: ${p.why}.`,
    remedy: (p: { source: string; id: string }) => `Raise ${p.source}, then run \`kraft item retry ${p.id}\`.`,
  },
  BUDGET_REACHED: {
    kind: 'limit',
    message: (p: { why: string; source: string; id: string; isDaily: boolean }) => `A budget is used up: ${p.why}.`,
    remedy: (p: { source: string; id: string; isDaily: boolean }) =>
      `Raise ${p.source}${p.isDaily ? ' or wait for the next day (UTC)' : ''}, then run \`kraft item retry ${p.id}\`.`,
  },
  RATE_LIMITED: {
    kind: 'upstream',
    message: (p: { task: string; times: number; id: string }) =>
      `Every harness that ${p.task} may run on was limited by its provider, ${p.times} times in a row.`,
    remedy: (p: { id: string }) =>
      `Wait until the provider takes more, or name another harness as \`fallback\` of the task or its profile, then run \`kraft item retry ${p.id}\`. How often it is tried is rate_limit_retries in policy.yaml.`,
  },
  WORKER_CALL_REFUSED: {
    kind: 'denied',
    message: (p: { sessionId: string }) =>
      `Session ${p.sessionId} may not ask that: a worker asks of its own item alone, and while its session runs.`,
    remedy: () => 'Nothing is to be done; a person asks with the `kraft` command on the host.',
  },
  WORKER_RETRY_RUNS: {
    kind: 'denied',
    message: (p: { id: string; task: string }) =>
      `Item ${p.id} is at work, by ${p.task} of this very session, and what still runs is not retried.`,
    remedy: () => 'Say in the result file how the task ended: "failed" with "concerns" lets Kraft decide what follows.',
  },
  WORKER_CALLS_FULL: {
    kind: 'limit',
    message: (p: { id: string; max: number }) =>
      `Item ${p.id} has reported its progress ${p.max} times, and no more is kept.`,
    remedy: () => 'Go on with the work; what was done is on the branch.',
  },
  PLAN_TASK_INVALID: {
    kind: 'usage',
    message: (p: { max: number }) => `The task of a plan is a whole number from 1 to ${p.max}.`,
    remedy: () => 'Give the number that the plan has for it.',
  },
  NODE_UNKNOWN: {
    kind: 'config',
    message: (p: { node: string; chain: string }) => `The chain ${p.chain} has no node ${p.node} (any more).`,
    remedy: () => 'Put the node back into the chain’s file, or abandon the item and file it anew.',
  },
  CONTAINER_LEFT_BEHIND: {
    kind: 'environment',
    message: (p: { container: string; why: string }) =>
      `The container ${p.container} could not be removed, so its work was not taken over: ${p.why}.`,
    remedy: (p: { container: string }) =>
      `Remove it (\`docker rm -f ${p.container}\` or with podman), then retry the item.`,
  },
  ABANDON_FAILED: {
    kind: 'environment',
    message: (p: { id: string; why: string }) => `Not everything of item ${p.id} could be removed: ${p.why}`,
    remedy: (p: { id: string }) => `Mend that and run \`kraft item abandon ${p.id}\` again.`,
  },
  ARCHIVE_LOSES: {
    kind: 'usage',
    message: (p: { id: string; count: number; paths: readonly string[]; why: string | null; worktree: string }) =>
      p.why === null
        ? `Archiving item ${p.id} would remove what lies uncommitted in its worktree: ${p.paths.join(', ')}${p.count > p.paths.length ? ` and ${p.count - p.paths.length} more` : ''}.`
        : `Archiving item ${p.id} would remove its worktree, and whether anything lies uncommitted there cannot be told: ${p.why}`,
    remedy: (p: { id: string; worktree: string }) =>
      `Look into ${p.worktree} and save what you need, then run \`kraft item archive ${p.id} --yes\`.`,
  },
  ARCHIVE_FAILED: {
    kind: 'environment',
    message: (p: { id: string; why: string }) => `Not everything of item ${p.id} could be removed: ${p.why}`,
    remedy: (p: { id: string }) => `Mend that and run \`kraft item archive ${p.id}\` again.`,
  },
  ITEM_HAS_NO_WORKTREE: {
    kind: 'usage',
    message: (p: { id: string }) => `Item ${p.id} has no worktree yet, and a launch is planned over one.`,
    remedy: (p: { id: string }) => `Start it with \`kraft item start ${p.id}\`.`,
  },
});
