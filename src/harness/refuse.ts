import type { KraftError } from '../base/index.ts';
import type { RepoPolicy, ToolPolicy } from '../config/index.ts';
import { harnessErrors } from './errors.ts';
import type { Harness } from './harness.ts';

/** What an agent launch would run under. */
export interface AgentLaunch {
  readonly harness: Harness;
  /** Whether the sandbox has `network`: a route from the container to Kraft. */
  readonly hasRoute: boolean;
  readonly toolPolicy: ToolPolicy;
  readonly policy: Pick<RepoPolicy, 'allowedHarnesses'>;
}

/** The reason why an agent may not be launched so, as the error that stops the item; null when it may (CC 3.7, 4.4). */
export function refuseAgent(launch: AgentLaunch): KraftError | null {
  const { harness, policy } = launch;
  const allowed = policy.allowedHarnesses;
  if (allowed !== null && !allowed.includes(harness.id))
    return harnessErrors.create('HARNESS_NOT_ALLOWED', { harness: harness.id, allowed });
  if (launch.hasRoute && !harness.proxyAware)
    return harnessErrors.create('HARNESS_IGNORES_PROXY', { harness: harness.id });
  if (harness.capabilities.approvalChannel !== null) {
    const code = launch.hasRoute ? 'HARNESS_APPROVALS_UNBUILT' : 'HARNESS_NEEDS_NETWORK';
    return harnessErrors.create(code, { harness: harness.id });
  }
  return refuseToolPolicy(launch);
}

/** Only what the product has a mechanism for can be enforced; a script has nothing that a policy could bind. */
function refuseToolPolicy({ harness, hasRoute, toolPolicy }: AgentLaunch): KraftError | null {
  if (harness.scripted) return null;
  const named = namePolicy(harness, toolPolicy);
  if (named === null) return null;
  const refuse = (why: string): KraftError =>
    harnessErrors.create('HARNESS_TOOL_POLICY_UNENFORCED', { harness: harness.id, policy: named, why });
  if (harness.permissionHook !== null && !hasRoute)
    return refuse('its permission hook asks Kraft, and without `network` the container has no route to Kraft');
  if (
    harness.permissionHook !== null ||
    harness.permissionRules !== null ||
    harness.capabilities.approvalChannel !== null
  )
    return refuse('its permission mechanism is not built in this version of Kraft');
  return refuse('it has no permission mechanism that Kraft could drive');
}

/** The parts of the policy that would need a mechanism; null when there is none. */
function namePolicy(harness: Harness, policy: ToolPolicy): string | null {
  const parts = [
    ...(policy.allowedTools === null ? [] : ['allowed_tools']),
    ...(policy.denyTools.length === 0 ? [] : ['deny_tools']),
    // Committing needs no grant where there is a worktree of its own; a grant means something to a mechanism alone.
    ...(harness.permissionHook !== null && policy.grants.some((grant) => grant !== 'git-commit') ? ['grants'] : []),
  ];
  return parts.length === 0 ? null : parts.join(' and ');
}
