// Lines `demo: VERB ARGUMENTS` of the task's description: what a test wants the agent to do, step by step.

const pattern = /^[\s>|]*demo:[ \t]+([a-z-]+)[ \t]*(.*)$/;
const verbs = new Set([
  'write',
  'append',
  'commit',
  'sh',
  'wait-for',
  'print',
  'say',
  'result',
  'report',
  'exit',
  'no-result',
]);

/**
 * The directives of a prompt, in order.
 * @param {string} prompt
 * @returns {{verb: string, argument: string}[]}
 */
export function parseDirectives(prompt) {
  const found = [];
  for (const line of prompt.split('\n')) {
    const match = pattern.exec(line.trimEnd());
    if (match !== null && verbs.has(match[1])) found.push({ verb: match[1], argument: match[2] });
  }
  return found;
}

/** `FILE TEXT` with `\n` in the text meaning a line break. */
export function parseFileAndText(argument) {
  const at = argument.indexOf(' ');
  const [file, text] = at === -1 ? [argument, ''] : [argument.slice(0, at), argument.slice(at + 1)];
  return { file, text: `${text.replaceAll('\\n', '\n')}\n` };
}
