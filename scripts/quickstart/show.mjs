// What came of the item: commits, diff, test result, events, and how to take it over.

import { runOrRefuse } from '../setup/commands.mjs';
import { say } from '../setup/progress.mjs';

function indent(text) {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => `   ${line}`)
    .join('\n');
}

/** @returns {Promise<boolean>} whether the item is completed */
export async function showOutcome(kraft, { playground, view, id }) {
  const { item } = view;
  say(`\nThe item is ${item.status}.`);
  if (item.status !== 'completed') {
    say(indent(await kraft.text(['view', 'show', id])));
    say(indent(await kraft.text(['view', 'events', id])));
    return false;
  }
  const { repository } = playground;
  const git = async (...args) => (await runOrRefuse('git', ['-C', repository, '--no-pager', ...args])).stdout;
  say(`\nCommits on its branch, ${item.branch}:`);
  say(indent(await git('log', '--format=%h %an: %s', `HEAD..${item.branch}`)));
  say('\nThe diff (kraft view diff):');
  say((await kraft.text(['view', 'diff', id])).trimEnd());
  say('\nThe tests, as Kraft ran them after the agent:');
  say(indent(renderTests(view)));
  say('\nThe events (kraft view events):');
  say(indent(await kraft.text(['view', 'events', id])));
  say('\nTo take it over:');
  say(`   cd ${repository}\n   git merge ${item.branch}\n   npm test`);
  return true;
}

function renderTests(view) {
  const tests = view.sessions.filter((session) => session.nodeId === 'verification');
  if (tests.length === 0) return 'no session ran tests';
  return tests
    .map((session) => `${session.command}: ${session.status === 'done' ? 'passed' : session.status}`)
    .join('\n');
}
