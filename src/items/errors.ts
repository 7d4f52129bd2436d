import { defineErrors } from '../base/index.ts';

export const itemErrors = defineErrors({
  ITEM_UNKNOWN: {
    kind: 'usage',
    message: (p: { id: string }) => `There is no item whose id starts with "${p.id}".`,
    remedy: () => 'See the ids with `kraft view list --all`.',
  },
  ITEM_AMBIGUOUS: {
    kind: 'usage',
    message: (p: { id: string; matches: readonly string[] }) =>
      `Several items start with "${p.id}": ${p.matches.join(', ')}.`,
    remedy: () => 'Type one more character of the id.',
  },
  ITEM_ALREADY_STARTED: {
    kind: 'usage',
    message: (p: { id: string }) =>
      `Item ${p.id} was started before and is paused; \`start\` is for an item that has only been filed.`,
    remedy: (p: { id: string }) => `Run \`kraft item resume ${p.id}\`.`,
  },
  ITEM_NOT_STARTED: {
    kind: 'usage',
    message: (p: { id: string; verb: string }) =>
      `Item ${p.id} is filed and has never been started, so there is nothing to ${p.verb}.`,
    remedy: (p: { id: string }) => `Run \`kraft item start ${p.id}\`.`,
  },
  ITEM_STOPPED: {
    kind: 'usage',
    message: (p: { id: string; verb: string; reason: string }) =>
      `Item ${p.id} has stopped for a person, and \`${p.verb}\` does not take it on: ${p.reason}`,
    remedy: (p: { id: string }) => `Mend what stopped it, then run \`kraft item retry ${p.id}\`.`,
  },
  ITEM_NOT_STOPPED: {
    kind: 'usage',
    message: (p: { id: string; status: string }) =>
      `Item ${p.id} is ${p.status}; \`retry\` is for an item that has stopped for a person.`,
    remedy: (p: { id: string; status: string }) =>
      p.status === 'paused' || p.status === 'rate_limited'
        ? `Run \`kraft item resume ${p.id}\`.`
        : `See where it stands with \`kraft view show ${p.id}\`.`,
  },
  ITEM_ENDED: {
    kind: 'usage',
    message: (p: { id: string; status: string; verb: string }) =>
      `Item ${p.id} is ${p.status}, so it cannot ${p.verb} any more.`,
    remedy: () => 'File a new item with `kraft item create`.',
  },
  STEER_REFUSED: {
    kind: 'usage',
    message: (p: { max: number }) =>
      `The words for the next agent must not be empty, and at most ${p.max} characters together with those that it has not read yet.`,
    remedy: () => 'Say it more shortly, or put the rest into a file of the worktree and name it.',
  },
  STEER_NOT_TAKEN: {
    kind: 'usage',
    message: (p: { id: string; status: string }) =>
      `Item ${p.id} is ${p.status} already, so the words of \`--steer\` were not taken.`,
    remedy: (p: { id: string }) =>
      `Run \`kraft item pause ${p.id}\`, then \`kraft item resume ${p.id} --steer '…'\`: an agent that works reads nothing new.`,
  },
  STEER_UNREAD: {
    kind: 'usage',
    message: (p: { id: string; node: string }) =>
      `No agent works on item ${p.id} any more from ${p.node} on, so nobody would read the words of \`--steer\`.`,
    remedy: (p: { id: string }) =>
      `Leave \`--steer\` out, or file a new item for what is still to be done. \`kraft view show ${p.id}\` lists the nodes that are left.`,
  },
  ITEM_AT_GATE: {
    kind: 'usage',
    message: (p: { id: string; verb: string; gate: string }) =>
      `Item ${p.id} waits at the gate ${p.gate} for an answer, and \`${p.verb}\` is none.`,
    remedy: (p: { id: string }) =>
      `Look with \`kraft view diff ${p.id}\`, then run \`kraft item approve ${p.id}\` or \`kraft item reject ${p.id} --note '…'\`.`,
  },
  ITEM_NOT_AT_GATE: {
    kind: 'usage',
    message: (p: { id: string; status: string; started: boolean; reason: string | null }) =>
      `Item ${p.id} waits at no gate; it is ${p.status}${p.reason === null ? '.' : `: ${p.reason}`}`,
    remedy: (p: { id: string; status: string; started: boolean }) => {
      if (p.status === 'needs_human') return `Mend what stopped it, then run \`kraft item retry ${p.id}\`.`;
      if (p.status === 'paused') return `Run \`kraft item ${p.started ? 'resume' : 'start'} ${p.id}\`.`;
      return `See where it stands with \`kraft view show ${p.id}\`.`;
    },
  },
  GATE_OTHER: {
    kind: 'usage',
    message: (p: { id: string; waits: string; named: string }) =>
      `Item ${p.id} waits at the gate ${p.waits}, not at ${p.named}.`,
    remedy: (p: { waits: string }) => `Name it (\`--gate ${p.waits}\`), or leave \`--gate\` out.`,
  },
  REJECT_NODE_UNKNOWN: {
    kind: 'usage',
    message: (p: { gate: string; node: string | null; possible: readonly string[] }) =>
      p.node === null
        ? `No node that runs anything stands before the gate ${p.gate}, so there is nothing to go back to.`
        : `${p.node} is no node that runs anything before the gate ${p.gate}.`,
    remedy: (p: { possible: readonly string[] }) =>
      p.possible.length === 0
        ? 'Approve the item, or abandon it and file it on another chain.'
        : `Give one of these as \`--node\`: ${p.possible.join(', ')}.`,
  },
  REVIEW_TEXT_INVALID: {
    kind: 'usage',
    message: (p: { what: string; why: string }) => `The ${p.what} cannot be taken: ${p.why}.`,
    remedy: (p: { what: string }) =>
      p.what === 'note'
        ? 'Say with `--note` in a few sentences what is to be done.'
        : 'Say with `--body` in a few sentences what you mean.',
  },
  CHAIN_PATH_UNKNOWN: {
    kind: 'usage',
    message: (p: { id: string; chain: string; path: string; known: readonly string[] }) =>
      `The chain ${p.chain} of item ${p.id} has no part ${JSON.stringify(p.path)}; its parts are ${p.known.join(', ')}.`,
    remedy: (p: { id: string }) =>
      `Name one of them with \`--path\`, or begin anew with \`kraft item retry ${p.id} --restart\`.`,
  },
  RETRY_PATH_AHEAD: {
    kind: 'usage',
    message: (p: { id: string; path: string; node: string }) =>
      `${p.path} lies ahead of ${p.node}, where item ${p.id} stands, and a retry only goes back.`,
    remedy: (p: { id: string }) =>
      `Pass over what lies before it with \`kraft item skip ${p.id} --note '…'\`, or begin anew with \`kraft item retry ${p.id} --restart\`.`,
  },
  PART_NOT_SKIPPABLE: {
    kind: 'denied',
    message: (p: { part: string; file: string; line: number }) =>
      `${p.part} may not be passed over: \`skippable: false\` (${p.file}:${p.line}).`,
    remedy: () =>
      'Let it run with `kraft item retry`; or take that line out of the file, and retry the item so that it takes the change.',
  },
  SKIP_RUNNING: {
    kind: 'usage',
    message: (p: { id: string; status: string; pausing: boolean }) =>
      `Item ${p.id} is ${p.pausing ? 'about to pause' : p.status}, and nothing is passed over under a walk.`,
    remedy: (p: { id: string; pausing: boolean }) =>
      p.pausing
        ? `Wait until \`kraft view show ${p.id}\` says paused, then run \`kraft item skip\` again.`
        : `Run \`kraft item pause ${p.id}\`, then \`kraft item skip\` again.`,
  },
  SKIP_ELSEWHERE: {
    kind: 'usage',
    message: (p: { id: string; path: string; node: string; known: readonly string[] }) =>
      `Item ${p.id} stands at ${p.node}, and ${JSON.stringify(p.path)} is no part of it.`,
    remedy: (p: { known: readonly string[] }) =>
      p.known.length === 0
        ? 'Its chain does not have that node any more; run `kraft item retry --restart`.'
        : `Name one of these with \`--path\`: ${p.known.join(', ')}.`,
  },
  NOTHING_TO_SKIP: {
    kind: 'usage',
    message: (p: { id: string }) =>
      `Item ${p.id} has not come to a node of its chain yet, and its worktree cannot be passed over.`,
    remedy: (p: { id: string }) =>
      `Mend what \`kraft view show ${p.id}\` names, then run \`kraft item retry ${p.id}\`.`,
  },
  ITEM_OPEN: {
    kind: 'usage',
    message: (p: { id: string; status: string }) =>
      `Item ${p.id} is ${p.status}; only an item that has ended is archived.`,
    remedy: (p: { id: string }) => `Let it end, or give it up with \`kraft item abandon ${p.id}\`.`,
  },
  REVIEW_PLACE_INVALID: {
    kind: 'usage',
    message: (p: { place: string }) => `${JSON.stringify(p.place)} names no line of a file inside the repository.`,
    remedy: () => 'Write FILE:LINE with the path as `kraft view diff --name-only` prints it and lines counted from 1.',
  },
  COMMENT_NEEDS_PLACE: {
    kind: 'usage',
    message: (p: { id: string }) =>
      `A review that only comments answers no gate of item ${p.id} and has no words of its own: its comments belong to lines.`,
    remedy: (p: { id: string }) =>
      `Write them with \`kraft item comment ${p.id} FILE:LINE --body '…'\`, and leave \`--body\` and \`--gate\` out of the review.`,
  },
  REVIEW_EMPTY: {
    kind: 'usage',
    message: (p: { id: string }) => `There is no draft on item ${p.id} that could be submitted.`,
    remedy: (p: { id: string }) => `Write one first: \`kraft item comment ${p.id} FILE:LINE --body '…'\`.`,
  },
  REVIEW_FULL: {
    kind: 'limit',
    message: (p: { what: string; max: number; of: string }) =>
      `There are ${p.max} ${p.of} on ${p.what}, and no more fit.`,
    remedy: () => 'Say the rest in a note: `kraft item reject ID --note …`.',
  },
  THREAD_UNKNOWN: {
    kind: 'usage',
    message: (p: { thread: string }) => `There is no thread ${JSON.stringify(p.thread)}.`,
    remedy: () => 'See the threads of an item with `kraft view threads ID`.',
  },
  THREAD_AMBIGUOUS: {
    kind: 'usage',
    message: (p: { thread: string; matches: readonly string[] }) =>
      `Several threads start with "${p.thread}": ${p.matches.join(', ')}.`,
    remedy: () => 'Type one more character of the id.',
  },
  ITEM_PAUSING: {
    kind: 'usage',
    message: (p: { id: string }) => `Item ${p.id} is about to pause and its session is still ending.`,
    remedy: (p: { id: string }) =>
      `Wait until \`kraft view show ${p.id}\` says paused, then run \`kraft item resume ${p.id}\`.`,
  },
});
