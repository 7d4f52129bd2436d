import { defineErrors } from '../base/index.ts';

export const harnessErrors = defineErrors({
  HARNESS_ID_MISMATCH: {
    kind: 'config',
    message: (p: { file: string; line: number; id: string; stem: string }) =>
      `${p.file}:${p.line}: id is ${JSON.stringify(p.id)}, but the file is named ${p.stem}.yaml.`,
    remedy: (p: { stem: string }) => `Write \`id: ${p.stem}\`, or rename the file.`,
  },
  HARNESS_FILES_UNREADABLE: {
    kind: 'config',
    message: (p: { dir: string; why: string }) => `The folder of harness files ${p.dir} cannot be read: ${p.why}.`,
    remedy: (p: { dir: string }) =>
      `Make ${p.dir} a readable folder, or remove it to have the packaged harnesses back.`,
  },
  HARNESS_UNKNOWN: {
    kind: 'config',
    message: (p: { name: string; known: readonly string[] }) =>
      `There is no harness or profile ${JSON.stringify(p.name)}; known are ${p.known.join(', ')}.`,
    remedy: (p: { name: string }) =>
      `Name a known one (\`kraft item create --harness …\`), or add config/harnesses/${p.name}.yaml or a profile in config/harnesses.yaml.`,
  },
  HARNESS_PROFILE_DISABLED: {
    kind: 'config',
    message: (p: { name: string }) => `The profile ${p.name} of harnesses.yaml is switched off (enabled: false).`,
    remedy: (p: { name: string }) =>
      `Set \`enabled: true\` under ${p.name} in config/harnesses.yaml, or choose another harness.`,
  },
  PROFILE_NAMES_UNKNOWN: {
    kind: 'config',
    message: (p: { where: string; what: string; name: string; known: readonly string[] }) =>
      `${p.where} of harnesses.yaml names the ${p.what} ${JSON.stringify(p.name)}, which there is not; known are ${p.known.join(', ') || 'none'}.`,
    remedy: (p: { where: string; what: string }) =>
      `Correct ${p.where} in config/harnesses.yaml, or add that ${p.what}.`,
  },
  PROFILE_VALUE_REFUSED: {
    kind: 'config',
    message: (p: { where: string; harness: string; option: string; value: string; allowed: readonly string[] }) =>
      `${p.where} of harnesses.yaml sets ${p.option} ${JSON.stringify(p.value)}, which the harness ${p.harness} does not take${p.allowed.length === 0 ? '' : ` (it takes ${p.allowed.join(', ')})`}.`,
    remedy: (p: { where: string; option: string }) =>
      `Correct or remove ${p.option} in ${p.where} of config/harnesses.yaml.`,
  },
  HARNESS_OPTION_UNSUPPORTED: {
    kind: 'config',
    message: (p: { harness: string; option: string }) =>
      `The harness ${p.harness} has no way to set ${p.option}, so what was asked for could not be done.`,
    remedy: (p: { option: string; harness: string }) =>
      `Leave ${p.option} out for ${p.harness}, choose another harness, or declare capabilities.${p.option} in its harness file.`,
  },
  HARNESS_VALUE_REFUSED: {
    kind: 'config',
    message: (p: { harness: string; option: string; value: string; allowed: readonly string[] }) =>
      `The harness ${p.harness} takes no ${p.option} ${JSON.stringify(p.value)}; it takes ${p.allowed.join(', ')}.`,
    remedy: (p: { option: string }) => `Choose one of these for ${p.option}.`,
  },
  HARNESS_SESSION_REFUSED: {
    kind: 'config',
    message: (p: { harness: string; session: string }) =>
      `The log of ${p.harness} names a session to go on with that cannot be one: ${JSON.stringify(p.session.slice(0, 60))}.`,
    remedy: () => 'Retry the item: it starts a new session of the agent.',
  },
  HARNESS_NEEDS_NETWORK: {
    kind: 'config',
    message: (p: { harness: string }) =>
      `The harness ${p.harness} asks Kraft before it uses a tool, and without \`network\` in its sandbox the container has no route to Kraft: it would end at its first question.`,
    remedy: () =>
      'Give the sandbox a `network` in repos.yaml (`network: {runtime: {}}` lists nothing but what the agent needs), or choose a harness that needs no route (`demo`).',
  },
  HARNESS_TOOL_POLICY_UNENFORCED: {
    kind: 'config',
    message: (p: { harness: string; policy: string; why: string }) =>
      `The tool policy of this repository (${p.policy}) cannot be enforced on the harness ${p.harness}: ${p.why}.`,
    remedy: (p: { policy: string }) =>
      `Remove ${p.policy} from the entry in repos.yaml, or choose a harness that the policy can bind.`,
  },
  HARNESS_APPROVALS_UNBUILT: {
    kind: 'config',
    message: (p: { harness: string }) =>
      `The harness ${p.harness} asks Kraft for each permission, and this version of Kraft does not answer yet: it would end at once.`,
    remedy: () => 'Choose another harness with `--harness`, or wait for the version that answers.',
  },
  HARNESS_IGNORES_PROXY: {
    kind: 'config',
    message: (p: { harness: string }) =>
      `The harness ${p.harness} ignores a proxy, so under \`network\` it could reach nothing at all.`,
    remedy: () => 'Choose another harness, or remove `network` from the sandbox.',
  },
  HARNESS_NOT_ALLOWED: {
    kind: 'config',
    message: (p: { harness: string; allowed: readonly string[] }) =>
      `The policy of this repository allows the harnesses ${p.allowed.join(', ')}, and not ${p.harness}.`,
    remedy: () => 'Choose an allowed one with `--harness`, or add it to `policy.allowed_harnesses` in repos.yaml.',
  },
});
