// Small changes of a source text, one at a time: what the agent tries until the tests pass.

const swaps = [
  [/(?<![<>=!-])>(?![>=])/g, ['>=', '<']],
  [/(?<![<>=!])<(?![<=])/g, ['<=', '>']],
  [/>=(?!=)/g, ['>', '<=']],
  [/<=(?!=)/g, ['<', '>=']],
  [/===/g, ['!==']],
  [/!==/g, ['===']],
  [/&&/g, ['||']],
  [/\|\|/g, ['&&']],
  [/(?<= )\+(?= )/g, ['-']],
  [/(?<= )-(?= )/g, ['+']],
  [/(?<= )\*(?= )/g, ['/']],
  [/(?<= )\/(?= )/g, ['*']],
  [/\btrue\b/g, ['false']],
  [/\bfalse\b/g, ['true']],
  [/\bMath\.min\b/g, ['Math.max']],
  [/\bMath\.max\b/g, ['Math.min']],
  [/\bMath\.floor\b/g, ['Math.round', 'Math.ceil']],
  [/\bMath\.ceil\b/g, ['Math.round', 'Math.floor']],
  [/ [+-] 1\b/g, ['']],
  [/\b1\b/g, ['0']],
  [/\b0\b/g, ['1']],
];

/** Whether a place of the line is inside of a comment; a change there would change nothing. */
function isCommentLine(line) {
  return /^\s*(\/\/|\/?\*)/.test(line);
}

/**
 * Every text that differs from `source` by one small change, with what was changed.
 * @param {string} source
 * @returns {Generator<{text: string, line: number, before: string, after: string}>}
 */
export function* candidatesOf(source) {
  let offset = 0;
  for (const [index, line] of source.split('\n').entries()) {
    if (!isCommentLine(line)) {
      for (const [pattern, replacements] of swaps) {
        for (const match of line.matchAll(pattern)) {
          for (const after of replacements) {
            const at = offset + match.index;
            const text = source.slice(0, at) + after + source.slice(at + match[0].length);
            yield { text, line: index + 1, before: match[0].trim(), after: after.trim() };
          }
        }
      }
    }
    offset += line.length + 1;
  }
}
