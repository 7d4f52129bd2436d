import { opendir } from 'node:fs/promises';
import { join } from 'node:path';

const depthMax = 8;
const entriesMax = 50_000;

/**
 * Whether an agent's HOME still holds a file or folder whose name contains `name`: what its resume would read. A worker wrote
 * all of it, so that the look is bounded, follows no link and opens no file. Never throws.
 */
export async function holdsAgentSession(home: string, name: string): Promise<boolean> {
  let left = entriesMax;
  const look = async (dir: string, depth: number): Promise<boolean> => {
    const below: string[] = [];
    try {
      for await (const entry of await opendir(dir)) {
        if (entry.name.includes(name)) return true;
        if (--left <= 0) return false;
        if (entry.isDirectory() && depth < depthMax) below.push(join(dir, entry.name));
      }
    } catch {
      // Not there, or closed to Kraft: as if it held nothing.
    }
    for (const path of below) if (left > 0 && (await look(path, depth + 1))) return true;
    return false;
  };
  return look(home, 0);
}
