/** Cuts output chunks into lines for `onProgress`; carriage returns of progress bars end a line too. */
export function lineReader(onLine: ((line: string) => void) | null): ((chunk: string) => void) | null {
  if (onLine === null) return null;
  let rest = '';
  return (chunk) => {
    const lines = (rest + chunk).split(/\r\n|\n|\r/);
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.trim() !== '') onLine(line);
  };
}

/** The last lines of a failed command's output that say why, on one line; without a final period. */
export function lastWords(result: {
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut: boolean;
}): string {
  if (result.timedOut) return 'it did not end in time';
  const lines = `${result.stdout}\n${result.stderr}`
    .split('\n')
    .flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
  const words = lines.slice(-3).join(' | ').slice(-600).replace(/\.$/u, '');
  return words === '' ? 'it gave no reason' : words;
}
