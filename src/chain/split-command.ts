import { chainErrors } from './errors.ts';

// Blank, single quotes, double quotes, an escaped character, or what stands for itself.
const token = /(\s+)|'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])|((?:[^\s'"\\|&;<>`$]|\$(?!\())+)/y;

/**
 * Splits a command into words as a POSIX shell quotes them, and does nothing else of a shell's: no variables, no globs.
 * Errors: COMMAND_UNSPLITTABLE for an open quote, nothing at all, or what only a shell could carry out.
 */
export function splitCommand(command: string): readonly [string, ...string[]] {
  const words: string[] = [];
  let word: string | null = null;
  for (let at = 0; at < command.length; at = token.lastIndex) {
    token.lastIndex = at;
    const match = token.exec(command);
    if (match === null) throw refusal(command, whyNot(command, at));
    if (match[1] === undefined) {
      word = (word ?? '') + readPart(match);
    } else if (word !== null) {
      words.push(word);
      word = null;
    }
  }
  if (word !== null) words.push(word);
  const [program, ...rest] = words;
  if (program === undefined || program === '') throw refusal(command, 'it names no program');
  const variable = /^([A-Za-z_]\w*)=/.exec(program)?.[1];
  if (variable !== undefined) throw refusal(command, `${variable}=… sets a variable, which takes a shell`);
  return [program, ...rest];
}

function readPart([, , single, double, escaped, plain]: readonly (string | undefined)[]): string {
  return single ?? unescapeQuoted(double) ?? escaped ?? plain ?? '';
}

/** Inside double quotes a backslash stays one, but before these. */
function unescapeQuoted(text: string | undefined): string | undefined {
  return text?.replace(/\\(["\\$`]|\n)/g, (_, char: string) => (char === '\n' ? '' : char));
}

function whyNot(command: string, at: number): string {
  const char = command.charAt(at);
  if (char === '\\') return 'it ends with a backslash';
  if (char === '"' || char === "'") return `a ${char} is not closed`;
  return `${char === '$' ? '$(' : char} means something to a shell alone`;
}

function refusal(command: string, why: string): Error {
  return chainErrors.create('COMMAND_UNSPLITTABLE', { command, why });
}
