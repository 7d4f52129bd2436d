import { isAbsolute, join, normalize } from 'node:path';

/**
 * Object directories named by an `objects/info/alternates` file (SI 2.5): blank lines and `#` comments skipped, relative
 * entries resolved against the object directory that holds the file.
 */
export function parseAlternates(text: string, objectsDir: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => unquote(line))
    .map((line) => normalize(isAbsolute(line) ? line : join(objectsDir, line)));
}

// Git quotes an entry that holds its separator; the quoting is that of C strings.
function unquote(line: string): string {
  if (!line.startsWith('"') || !line.endsWith('"') || line.length < 2) return line;
  return line.slice(1, -1).replace(/\\([\\"])/gu, '$1');
}
