import type { ProgramNeed } from './launch.ts';

/** What the tasks of an item run inside the image. */
export interface ItemCommands {
  /** The harness of the agent task; null when no agent runs. */
  readonly harness: { readonly id: string; readonly command: readonly string[]; readonly scripted: boolean } | null;
  /** Null or empty: none. */
  readonly setupCommand: string | null;
  readonly testCommands: readonly string[];
  /** Whether the container has a way to Kraft, whose shim is a script over curl (SI 1.8). */
  readonly hasRoute: boolean;
}

/** Every program that these tasks need, once each; the harness must also start (PF-D09, K11). Pure. */
export function listPrograms(commands: ItemCommands): readonly ProgramNeed[] {
  const needs: ProgramNeed[] = [
    { program: 'sh', neededBy: 'Kraft', startsWith: null },
    { program: 'git', neededBy: 'Kraft', startsWith: null },
  ];
  if (commands.hasRoute) needs.push({ program: 'curl', neededBy: 'Kraft’s shim under `network`', startsWith: null });
  const { harness, setupCommand } = commands;
  const [agent] = harness?.command ?? [];
  if (harness !== null && agent !== undefined)
    // A script takes any argument for its task and would begin to work on it.
    needs.push({
      program: agent,
      neededBy: `harness ${harness.id}`,
      startsWith: harness.scripted ? null : ['--version'],
    });
  if (setupCommand !== null) needs.push(...need(setupCommand, `setup command \`${setupCommand}\``));
  for (const command of commands.testCommands) needs.push(...need(command, `test command \`${command}\``));
  const first = new Map<string, ProgramNeed>();
  for (const entry of needs) if (!first.has(entry.program)) first.set(entry.program, entry);
  return [...first.values()];
}

/** The first word of a command, where it is plainly a program of the image: no shell syntax, no path of the worktree. */
function need(command: string, neededBy: string): ProgramNeed[] {
  const [word = ''] = command.trim().split(/\s+/u);
  return /^(?:\/[\w.+/-]+|[\w.+-]+)$/u.test(word) && word !== '.'
    ? [{ program: word, neededBy, startsWith: null }]
    : [];
}
