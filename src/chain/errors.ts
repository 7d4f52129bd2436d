import { defineErrors } from '../base/index.ts';

export const chainErrors = defineErrors({
  CHAIN_UNKNOWN: {
    kind: 'config',
    message: (p: { id: string; known: readonly string[] }) =>
      `There is no chain ${JSON.stringify(p.id)}; known are ${p.known.join(', ')}.`,
    remedy: (p: { known: readonly string[] }) =>
      `Name a known one (\`--chain ${p.known[0] ?? 'quick-task'}\`, or default_chain_template in repos.yaml), or add config/chains/<name>.yaml.`,
  },
  CHAIN_FILE_INVALID: {
    kind: 'config',
    message: (p: { file: string; line: number; problem: string; remedy: string }) =>
      `${p.file}:${p.line}: ${p.problem}.`,
    remedy: (p: { remedy: string }) => p.remedy,
  },
  CHAIN_FILE_UNREADABLE: {
    kind: 'config',
    message: (p: { file: string; why: string }) => `The chain file ${p.file} cannot be read: ${p.why}.`,
    remedy: (p: { file: string }) => `Make ${p.file} a readable file, or remove it to have the packaged chain back.`,
  },
  CHAIN_PART_NOT_BUILT: {
    kind: 'config',
    message: (p: { chain: string; parts: readonly string[] }) =>
      `The chain ${p.chain} uses what this version of Kraft does not have yet: ${p.parts.join('; ')}.`,
    remedy: () => 'Choose another chain (`--chain quick-task`), or take these parts out of its file in config/chains.',
  },
  SANDBOX_LOCKED: {
    kind: 'config',
    message: (p: {
      chain: string;
      part: string;
      file: string;
      line: number;
      repo: string;
      repoLine: number;
      fields: readonly string[];
    }) =>
      `The chain ${p.chain} cannot change the sandbox of ${p.repo} (repos.yaml:${p.repoLine}): the policy of ${p.part} ` +
      `(${p.file}:${p.line}) differs in ${p.fields.join(', ')}.`,
    remedy: (p: { file: string; line: number; repoLine: number }) =>
      `Take \`sandbox\` out of line ${p.line} of ${p.file}, or make it equal to that of line ${p.repoLine} of repos.yaml.`,
  },
  COMMAND_UNSPLITTABLE: {
    kind: 'config',
    message: (p: { command: string; why: string }) => `The command \`${p.command}\` cannot be run as it is: ${p.why}.`,
    remedy: () => `Commands are split into words and run without a shell; where a shell is meant, write sh -c '…'.`,
  },
});
