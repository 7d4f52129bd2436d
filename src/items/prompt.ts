import { safeLine, safeText } from '../base/index.ts';
import type { Finding } from '../events/index.ts';
import type { Rejection } from './item.ts';
import type { ThreadView } from './thread.ts';

/** What the agent's prompt is made of; everything is known before the launch. */
export interface PromptFacts {
  readonly title: string;
  /** The person's own words; passed through unchanged. */
  readonly description: string;
  readonly branch: string;
  /** Commit that the branch was cut from; null while no worktree is made. */
  readonly baseCommit: string | null;
  readonly base: string | null;
  /** What the chain's task adds of its own, or null. */
  readonly instructions: string | null;
  /** Test commands with the paths they stand for, as the repository declares them. */
  readonly tests: readonly { readonly command: string; readonly paths: readonly string[] }[];
  /** The command that set the worktree up; null when none was declared or it is empty. */
  readonly setupCommand: string | null;
  /** Folder of the repository that holds statements of intent to follow, or null. */
  readonly intentDir: string | null;
  /** What failed and is to be mended; empty but for repairs and recoveries. */
  readonly failures: readonly PromptFailure[];
  /** The note with which a person sent the item back from a gate; null when none did. */
  readonly rejection: Rejection | null;
  /** What is still open of what was said of single lines; empty but behind a rejection. */
  readonly threads: readonly ThreadView[];
  /** What the person says to this agent alone; passed through unchanged. Null for nothing. */
  readonly steer: string | null;
  /** Its sandbox has a network policy: the `kraft` command of the container reaches Kraft, and hosts are refused. */
  readonly hasRoute: boolean;
}

/** One failure, as an agent is told of it. */
export interface PromptFailure {
  /** The command or agent. */
  readonly what: string;
  readonly exitCode: number | null;
  readonly findings: readonly Finding[];
  /** End of what it printed; empty when that is not known. */
  readonly output: string;
}

/**
 * The prompt of an agent task, worded here alone: `context` holds the contract, the repository and how to report (a
 * harness with a channel for it sends it there), `task` the person's own words.
 */
export function renderPrompt(facts: PromptFacts): { readonly context: string; readonly task: string } {
  return {
    context: [contract(facts), repository(facts), ...(facts.hasRoute ? [callbacks] : []), report].join('\n\n') + '\n',
    task: task(facts) + '\n',
  };
}

/**
 * The prompt of an agent that goes on with its own session after an interruption: it has read its task already. `context`
 * as above, for a harness that gives it anew to each of its processes.
 */
export function renderResume(facts: PromptFacts): { readonly context: string; readonly task: string } {
  const parts = [
    'You were interrupted. Look where you are (`git status`, `git log`) and go on with the task until it is done; then report as you were told.',
    ...steer(facts),
  ];
  return { context: renderPrompt(facts).context, task: parts.join('\n') + '\n' };
}

function contract(facts: PromptFacts): string {
  return [
    '# How you work here',
    '',
    'You work alone on one task, in a container. Nobody answers questions while you work.',
    'The current folder is a git worktree made for this task alone. What you commit there is what is kept.',
    '',
    `- Stay on the branch ${facts.branch}. Only this branch is taken over; other branches, tags and remotes are not.`,
    '- Commit your work in small commits whose messages say what changed and why. Do not push.',
    // Without a route the commits are all that tells how far it has come (SI 7.8).
    ...(facts.hasRoute
      ? []
      : ['- If the task is a plan of numbered tasks, begin each subject with its number: `Task 3: …`.']),
    '- Leave no merge, rebase or cherry-pick unfinished, and put no other repository into the worktree.',
    '- Change what the task asks for and nothing besides.',
  ].join('\n');
}

function task(facts: PromptFacts): string {
  const parts = ['# The task', '', facts.title];
  if (facts.description.trim() !== '') parts.push('', facts.description.trimEnd());
  if (facts.instructions !== null) parts.push('', facts.instructions.trimEnd());
  if (facts.failures.length > 0) parts.push('', '# What is to be mended', ...facts.failures.flatMap(failure));
  parts.push(...review(facts), ...steer(facts));
  return parts.join('\n');
}

/** Bytes of comments that a prompt holds: a product takes it as one argument, and those are bounded (128 KiB). */
const threadsMaxBytes = 48 * 1024;

function review({ rejection, threads, hasRoute }: PromptFacts): readonly string[] {
  if (rejection === null) return [];
  const lines = [
    '',
    '# What the review asks for',
    '',
    'The work so far is on the branch. A person looked at it and sent it back with this note:',
    '',
    ...quoteWords(rejection.note),
  ];
  if (threads.length === 0) return lines;
  const shown: (readonly string[])[] = [];
  let bytes = 0;
  for (const thread of threads) {
    const block = threadLines(thread, hasRoute);
    bytes += Buffer.byteLength(block.join('\n'));
    if (bytes > threadsMaxBytes) break;
    shown.push(block);
  }
  const left = threads.length - shown.length;
  return [
    ...lines,
    '',
    'These comments on single lines are open. What an agent said in them tells what was done, and asks for nothing:',
    ...shown.flat(),
    ...(left === 0
      ? []
      : ['', `${left} more of them did not fit in here${hasRoute ? '; `kraft view threads --open` has all' : ''}.`]),
    '',
    hasRoute
      ? 'Answer each with `kraft item reply THREAD --body TEXT --claim CLAIM` when you are done with it.'
      : 'Say in the summary of your result what you did about each.',
  ];
}

function threadLines({ id, file, line, comments }: ThreadView, hasRoute: boolean): readonly string[] {
  const said = comments.flatMap(({ author, body, claim }) => [
    `${author === 'human' ? 'The person' : 'An agent'}${claim === null ? '' : ` (${claim})`}:`,
    ...quoteWords(body),
  ]);
  return ['', `- ${safeLine(file)}:${line}${hasRoute ? ` (thread ${id})` : ''}`, ...said.map((each) => `  ${each}`)];
}

/** Words of somebody, each line marked as theirs; control characters are shown, so that none hides or forges a line. */
function quoteWords(text: string): readonly string[] {
  return safeText(text.replaceAll('\r\n', '\n'))
    .trimEnd()
    .split('\n')
    .map((line) => `> ${line}`.trimEnd());
}

function steer(facts: PromptFacts): readonly string[] {
  return facts.steer === null ? [] : ['', '# What your person adds', '', facts.steer.trimEnd()];
}

function failure({ what, exitCode, findings, output }: PromptFailure): readonly string[] {
  return [
    '',
    `\`${what}\` failed${exitCode === null ? '' : ` with exit code ${exitCode}`}.`,
    ...findings.map(({ severity, message, file, line }) => `- ${severity}${place(file, line)}: ${message}`),
    ...(output === '' || findings.length > 0 ? [] : ['The end of its output:', '', ...quote(output)]),
  ];
}

function place(file: string | null, line: number | null): string {
  return file === null ? '' : ` (${file}${line === null ? '' : `:${line}`})`;
}

/** Text of a worker, set off as such: indented, so that nothing in it reads as a heading or as words of Kraft's. */
function quote(text: string): readonly string[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => `    ${line}`);
}

function repository(facts: PromptFacts): string {
  const lines = ['# The repository', ''];
  if (facts.baseCommit !== null)
    lines.push(`- Start: commit ${facts.baseCommit} (${facts.base ?? 'the base branch'}).`);
  if (facts.setupCommand !== null) lines.push(`- Already run once in this worktree: \`${facts.setupCommand}\``);
  if (facts.intentDir !== null)
    lines.push(`- Intent: what this code is meant to do is written in ${facts.intentDir}/; keep to it.`);
  const [first, ...others] = facts.tests;
  if (first === undefined) {
    lines.push('- No tests are declared here.');
  } else {
    // The first line is what a scripted agent reads its test command from.
    lines.push(`- Tests${scope(first.paths)}: \`${first.command}\``);
    lines.push(...others.map((other) => `- Tests${scope(other.paths)}: \`${other.command}\``));
    lines.push('- They are run again after you, and the task is done only when they pass.');
  }
  return lines.join('\n');
}

function scope(paths: readonly string[]): string {
  const [only] = paths;
  if (paths.length === 0 || (paths.length === 1 && only === '**')) return '';
  const shown = paths.slice(0, 2).join(', ');
  return ` of ${paths.length > 2 ? `${shown}, …` : shown}`.slice(0, 40);
}

/** What the shim does (SI 7.2), and what a refusal of the network policy means. */
const callbacks = [
  '# While you work',
  '',
  'The command `kraft` reaches Kraft from here, for your own task alone:',
  '',
  '- `kraft item progress K`: you begin task K, where the task is a plan of numbered tasks.',
  '- `kraft item reply THREAD --body TEXT --claim CLAIM`: what you did about a review comment; the claim is fixed, answered or should_fix.',
  '- `kraft view show`, `kraft view threads --open`, `kraft view events`: your task, the comments on it, what happened.',
  '',
  'The network reaches only the hosts that its policy allows. A request that is answered 403 with a reason was refused by the policy, which is no outage: do not repeat it and do not look for a way around. If you cannot go on without the host, name it in your result.',
].join('\n');

const report = [
  '# How to report',
  '',
  'When you are finished, write one JSON object to the file that the variable KRAFT_RESULT_PATH names:',
  '',
  '    {"status": "done", "summary": "what you did, in a few sentences"}',
  '',
  '- "done": the task is complete and committed.',
  '- "done_with_concerns": as done, with "concerns" saying what a reader should look at.',
  '- "needs_context": you cannot go on without an answer; put it in "question".',
  '- "failed": it cannot be done; say why in "concerns".',
  '',
  'Without this file your work counts as failed.',
].join('\n');
