import { safeLine, safeText } from '../base/index.ts';
import type { ReviewAnswer, ThreadComment, ThreadView } from '../compose/index.ts';
import { renderActed } from './render-item.ts';
import { renderLocalTime } from './render-time.ts';
import type { Style } from './terminal.ts';

/** `view threads`: one block for each thread, everything that was said in it below. */
export function renderThreads(threads: readonly ThreadView[], style: Style): string {
  return threads.map((thread) => renderThread(thread, style)).join('\n');
}

function renderThread(thread: ThreadView, style: Style): string {
  const state = thread.status === 'open' ? style.yellow('open') : style.green('resolved');
  const draft = thread.draft ? ` ${style.bold('(draft)')}` : '';
  return [
    `${style.bold(thread.id)}  ${state}${draft}  ${safeLine(thread.file)}:${thread.line}`,
    ...thread.comments.flatMap((comment) => renderComment(comment, style)),
    '',
  ].join('\n');
}

const names: Readonly<Record<ThreadComment['author'], string>> = { human: 'you', agent: 'agent', kraft: 'kraft' };

function renderComment({ author, claim, body, createdAt }: ThreadComment, style: Style): readonly string[] {
  const claimed = claim === null ? '' : ` (${claim})`;
  return [
    `  ${names[author]}${claimed} ${style.dim(renderLocalTime(createdAt))}`,
    ...safeText(body)
      .trimEnd()
      .split('\n')
      .map((line) => `    ${line}`.trimEnd()),
  ];
}

/** One sentence after a thread was changed: what was done, and what to do about a draft. */
export function renderThreadActed(done: string, thread: ThreadView): string {
  const lines = [`${done} ${safeLine(thread.file)}:${thread.line}; thread ${thread.id} is now ${thread.status}.`];
  if (thread.draft) {
    lines.push(
      `It is a draft until you submit it: \`kraft item review ${thread.itemId} --outcome comment\`, or approve or reject the item.`,
    );
  }
  return `${lines.join('\n')}\n`;
}

/** What a review did. */
export function renderReview({ view, threads, event }: ReviewAnswer): string {
  const count = `${threads.length} ${threads.length === 1 ? 'thread' : 'threads'}`;
  const lines = [renderActed(`Submitted ${count} on`, view).trimEnd()];
  if (event?.payload.reason === 'no_route') {
    lines.push('No agent answers them: the item’s sandbox has no network, so an agent would have no route.');
  } else if (event !== null) {
    lines.push('No agent answers them: this version of Kraft has none that does.');
  }
  return `${lines.join('\n')}\n`;
}
