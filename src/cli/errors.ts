import { defineErrors } from '../base/index.ts';

const help = (command: string): string => `See \`${command} --help\`.`;

/** Faults of the command line itself: every one of them ends with exit code 2. */
export const usageErrors = defineErrors({
  COMMAND_UNKNOWN: {
    kind: 'usage',
    message: (p: { typed: string; meant: string | null; group: string }) => `\`${p.typed}\` is no command of Kraft.`,
    remedy: (p: { typed: string; meant: string | null; group: string }) =>
      p.meant === null ? help(p.group) : `Did you mean \`${p.meant}\`? ${help(p.group)}`,
  },
  OPTION_UNKNOWN: {
    kind: 'usage',
    message: (p: { command: string; option: string; meant: string | null }) =>
      `\`${p.command}\` has no option \`${p.option}\`.`,
    remedy: (p: { command: string; option: string; meant: string | null }) =>
      p.meant === null ? help(p.command) : `Did you mean \`${p.meant}\`? ${help(p.command)}`,
  },
  OPTION_VALUE: {
    kind: 'usage',
    message: (p: { command: string; option: string; problem: string }) => `\`${p.option}\` ${p.problem}.`,
    remedy: (p: { command: string; option: string; problem: string }) => help(p.command),
  },
  OPTIONS_CONFLICT: {
    kind: 'usage',
    message: (p: { command: string; options: readonly string[] }) =>
      `\`${p.options.join('` and `')}\` cannot be given together.`,
    remedy: (p: { command: string; options: readonly string[] }) => help(p.command),
  },
  ARGUMENT_MISSING: {
    kind: 'usage',
    message: (p: { command: string; argument: string }) => `\`${p.command}\` needs ${p.argument}.`,
    remedy: (p: { command: string; argument: string }) => help(p.command),
  },
  ARGUMENT_SURPLUS: {
    kind: 'usage',
    message: (p: { command: string; argument: string }) =>
      `\`${p.command}\` cannot use the argument \`${p.argument}\`.`,
    remedy: (p: { command: string; argument: string }) => `Quote an argument that holds spaces. ${help(p.command)}`,
  },
  TERMINAL_NEEDED: {
    kind: 'usage',
    message: (p: { command: string }) =>
      `\`${p.command}\` draws on a terminal, and this is none that it could draw on.`,
    remedy: () => 'See `kraft view list` for how items stand now, or `kraft view events -f` for what happens to them.',
  },
  ITEM_ID_MISSING: {
    kind: 'usage',
    message: (p: { command: string }) => `\`${p.command}\` needs the id of an item.`,
    remedy: () => 'Name it (`kraft view list` shows the ids), stand in its worktree, or set KRAFT_WORK_ITEM_ID.',
  },
});

export const cliErrors = defineErrors({
  CODE_UNKNOWN: {
    kind: 'usage',
    message: (p: { code: string; meant: string | null }) => `There is no error code ${p.code}.`,
    remedy: (p: { code: string; meant: string | null }) =>
      p.meant === null ? 'Copy the code as it was printed, with or without KRAFT_.' : `Did you mean ${p.meant}?`,
  },
  NOT_CONFIRMED: {
    kind: 'usage',
    message: (p: { action: string }) => `${p.action} was not confirmed.`,
    remedy: () => 'Say so with `--yes`.',
  },
  WORKTREE_MISSING: {
    kind: 'environment',
    message: (p: { id: string; status: string }) => `Item ${p.id} is ${p.status} and has no worktree.`,
    remedy: (p: { id: string }) => `A worktree is made when the item runs; see \`kraft view show ${p.id}\`.`,
  },
  DAEMON_DIED: {
    kind: 'environment',
    message: (p: { why: string; lastLines: readonly string[] }) => `The daemon did not come up: ${p.why}.`,
    remedy: () => 'Its last log lines are above; run `kraft admin start` without --detach to watch it.',
  },
  DAEMON_STAYS: {
    kind: 'environment',
    message: (p: { pid: number; seconds: number }) =>
      `The daemon (pid ${p.pid}) was asked to stop and is still there after ${p.seconds} seconds.`,
    remedy: (p: { pid: number; seconds: number }) =>
      `Look at run/logs/server.log; \`kill -9 ${p.pid}\` ends it, and sessions are adopted by the next one.`,
  },
});
