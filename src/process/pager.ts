import { spawn } from 'node:child_process';

/** A text and the program that shows it page by page. */
export interface PagerRequest {
  readonly text: string;
  /** A command line as $PAGER holds it; the shell splits it, as it does for every program that reads $PAGER. */
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Shows a text in a pager on this terminal and waits until it is closed; false when the pager could not be run. While it
 * runs an interrupt is the pager's alone.
 */
export async function showInPager(request: PagerRequest): Promise<boolean> {
  const ignore = (): void => undefined;
  process.on('SIGINT', ignore);
  try {
    const child = spawn('/bin/sh', ['-c', request.command], {
      env: { ...request.env },
      stdio: ['pipe', 'inherit', 'inherit'],
    });
    // A pager that is closed before the end of the text is no fault.
    child.stdin.on('error', ignore);
    child.stdin.end(request.text);
    const code = await new Promise<number | null>((resolve) => {
      child.once('error', () => resolve(127));
      child.once('close', resolve);
    });
    return code !== 126 && code !== 127;
  } finally {
    process.off('SIGINT', ignore);
  }
}
