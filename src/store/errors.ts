import { defineErrors } from '../base/index.ts';

export const storeErrors = defineErrors({
  STORE_TOO_NEW: {
    kind: 'environment',
    message: (p: { path: string; found: number; known: number }) =>
      `The database ${p.path} has version ${p.found}; this Kraft knows versions up to ${p.known}.`,
    remedy: (p: { path: string; known: number }) =>
      `Run the newer Kraft that wrote it, or put a copy of version ${p.known} (${p.path}.v<number>.bak) in its place.`,
  },
  STORE_CORRUPT: {
    kind: 'environment',
    message: (p: { path: string; why: string }) => `The database ${p.path} cannot be read: ${p.why}.`,
    remedy: (p: { path: string }) =>
      `Stop Kraft and move ${p.path} away (with its -wal and -shm files), or put a copy of it back; Kraft makes a new one when there is none. Branches and worktrees are not touched by this.`,
  },
  STORE_UNUSABLE: {
    kind: 'environment',
    message: (p: { path: string; why: string }) => `The database ${p.path} cannot be opened: ${p.why}.`,
    remedy: (p: { path: string }) => `Check that the folder of ${p.path} exists, is writable and lies on a local disk.`,
  },
  STORE_FULL: {
    kind: 'environment',
    message: (p: { path: string }) => `The disk is full, and nothing could be written to ${p.path}.`,
    remedy: () => 'Free some space; Kraft goes on by itself. `kraft admin doctor` shows how much is free.',
  },
  STORE_CLOSED: {
    kind: 'bug',
    message: (p: { what: string }) => `The database was asked for ${p.what} after it had been closed.`,
    remedy: () => 'Please report it with the output of `kraft admin doctor --json`.',
  },
  ITEM_MOVED: {
    kind: 'usage',
    message: (p: { id: string; status: string; expected: readonly string[] }) =>
      `Item ${p.id} is ${p.status} by now and no longer ${p.expected.join(' or ')}; nothing was changed.`,
    remedy: (p: { id: string }) => `See where it stands with \`kraft view show ${p.id}\`, then ask again.`,
  },
});
