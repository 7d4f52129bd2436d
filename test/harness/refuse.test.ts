import { describe, expect, it } from 'vitest';
import type { ToolPolicy } from '../../src/config/index.ts';
import { type AgentLaunch, type Harness, loadHarnesses, refuseAgent } from '../../src/harness/index.ts';

const harnesses = await loadHarnesses('/nonexistent');
const none: ToolPolicy = { allowedTools: null, denyTools: [], grants: [] };
const allow: ToolPolicy = { ...none, allowedTools: ['Read', 'Edit', 'Bash'] };
const deny: ToolPolicy = { ...none, denyTools: ['WebFetch'] };

function packaged(id: string): Harness {
  return harnesses.get(id) ?? expect.unreachable(`no ${id}`);
}
const cursorLike: Harness = { ...packaged('codex'), id: 'cursor', permissionHook: 'cursor', proxyAware: false };
const rulesLike: Harness = { ...packaged('gemini'), id: 'opencode', permissionRules: 'opencode' };

function launch(harness: Harness, changes: Partial<AgentLaunch> = {}): AgentLaunch {
  return { harness, hasRoute: false, toolPolicy: none, policy: { allowedHarnesses: null }, ...changes };
}

// CC 3.7 and 4.4, "a tool policy stops only a launch whose harness has a permission mechanism" and the seed's refusals.
describe('refuseAgent', () => {
  it.each<[string, AgentLaunch, string]>([
    ['claude without a route', launch(packaged('claude')), 'HARNESS_NEEDS_NETWORK'],
    [
      'claude with one, while nobody answers it there',
      launch(packaged('claude'), { hasRoute: true }),
      'HARNESS_APPROVALS_UNBUILT',
    ],
    [
      'claude without a route, whatever the policy',
      launch(packaged('claude'), { toolPolicy: allow }),
      'HARNESS_NEEDS_NETWORK',
    ],
    ['codex with an allow list', launch(packaged('codex'), { toolPolicy: allow }), 'HARNESS_TOOL_POLICY_UNENFORCED'],
    [
      'codex with an empty allow list',
      launch(packaged('codex'), { toolPolicy: { ...none, allowedTools: [] } }),
      'HARNESS_TOOL_POLICY_UNENFORCED',
    ],
    ['codex with a denied tool', launch(packaged('codex'), { toolPolicy: deny }), 'HARNESS_TOOL_POLICY_UNENFORCED'],
    [
      'codex with a grant to push',
      launch(packaged('codex'), { toolPolicy: { ...none, grants: ['git-push'] } }),
      'HARNESS_TOOL_POLICY_UNENFORCED',
    ],
    ['cursor with a denied tool', launch(cursorLike, { toolPolicy: deny }), 'HARNESS_TOOL_POLICY_UNENFORCED'],
    ['gemini with an allow list', launch(packaged('gemini'), { toolPolicy: allow }), 'HARNESS_TOOL_POLICY_UNENFORCED'],
    ['gemini with a denied tool', launch(packaged('gemini'), { toolPolicy: deny }), 'HARNESS_TOOL_POLICY_UNENFORCED'],
    [
      'a harness of rules with an allow list',
      launch(rulesLike, { toolPolicy: allow }),
      'HARNESS_TOOL_POLICY_UNENFORCED',
    ],
    [
      'codex under a route, whose hook is not built',
      launch(packaged('codex'), { hasRoute: true, toolPolicy: allow }),
      'HARNESS_TOOL_POLICY_UNENFORCED',
    ],
    ['a harness that ignores a proxy, under a route', launch(cursorLike, { hasRoute: true }), 'HARNESS_IGNORES_PROXY'],
    [
      'a harness that the policy does not allow',
      launch(packaged('demo'), { policy: { allowedHarnesses: ['codex'] } }),
      'HARNESS_NOT_ALLOWED',
    ],
  ])('refuses %s', (_what, refused, code) => {
    expect(refuseAgent(refused)?.code).toBe(`KRAFT_${code}`);
    expect(refuseAgent(refused)?.message).toContain(refused.harness.id);
  });

  it.each<[string, AgentLaunch]>([
    [
      'demo with every kind of tool policy',
      launch(packaged('demo'), { toolPolicy: { ...allow, ...deny, grants: ['git-push'] } }),
    ],
    ['codex without a tool policy', launch(packaged('codex'))],
    [
      'codex with the grant to commit alone',
      launch(packaged('codex'), { toolPolicy: { ...none, grants: ['git-commit'] } }),
    ],
    ['gemini without a tool policy', launch(packaged('gemini'))],
    [
      'gemini with grants, which mean nothing to it',
      launch(packaged('gemini'), { toolPolicy: { ...none, grants: ['git-push'] } }),
    ],
    ['a harness that the policy names', launch(packaged('demo'), { policy: { allowedHarnesses: ['demo'] } })],
    ['a harness that ignores a proxy, without a route', launch(cursorLike)],
  ])('lets %s run', (_what, allowed) => {
    expect(refuseAgent(allowed)).toBeNull();
  });
});
