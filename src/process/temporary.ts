import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { randomHex16 } from '../base/index.ts';

/** A part of a name that says whose temporary file it is: `<pid>-<16 hex>`. */
export function temporaryName(): string {
  return `${process.pid}-${randomHex16()}`;
}

const named = /(?:^|[.-])(\d+)-[0-9a-f]{16}(?:\.|$)/u;

/**
 * Paths in `dir` whose names hold a `temporaryName` of a process that is gone: it did not live to remove them. Own ones
 * count as such too when asked before anything was made (`starting`): a daemon in a container has the same pid each time.
 */
export function listAbandoned(dir: string, { starting }: { readonly starting: boolean }): readonly string[] {
  return listNames(dir).flatMap((name) => {
    const [, pid] = named.exec(name) ?? [];
    if (pid === undefined || isRunning(Number(pid), starting)) return [];
    return [join(dir, name)];
  });
}

function isRunning(pid: number, starting: boolean): boolean {
  if (pid === process.pid) return !starting;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function listNames(dir: string): readonly string[] {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
}
