import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  unlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { relayErrors } from './errors.ts';

/** Names of the sockets in a relay's folder: what is carried, and what Kraft and its own relay say to each other. */
export const socketNames = { data: 's.sock', control: 'c.sock' } as const;

/** What a system takes as the path of a unix socket, in bytes (SI 0.5). */
const pathMaxBytes = { linux: 107, other: 103 };

export interface SocketDir {
  /** `run/sn`, resolved. */
  readonly socketsDir: string;
  readonly relayId: string;
  /** `process.platform`. */
  readonly platform: string;
}

/** Errors: CHANNEL_PATH_TOO_LONG. */
export function checkSocketPath({ socketsDir, relayId, platform }: SocketDir): void {
  const path = join(socketsDir, relayId, socketNames.data);
  const bytes = Buffer.byteLength(path);
  const maxBytes = platform === 'linux' ? pathMaxBytes.linux : pathMaxBytes.other;
  if (bytes > maxBytes) throw relayErrors.create('CHANNEL_PATH_TOO_LONG', { path, bytes, maxBytes });
}

/**
 * The folder of a relay's sockets, made or found again with its inode, and without sockets (SI 3.5). A relay can write
 * into it, so nothing in it is followed. Errors: CHANNEL_PATH_TOO_LONG, CHANNEL_FOLDER_UNSAFE, CHANNEL_NOT_OPENED.
 */
export function prepareSocketDir(dir: SocketDir): string {
  checkSocketPath(dir);
  const path = join(dir.socketsDir, dir.relayId);
  try {
    mkdirSync(dir.socketsDir, { recursive: true, mode: 0o700 });
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw relayErrors.create('CHANNEL_NOT_OPENED', { path, why: String(error) }, error);
  }
  closeToOthers(dir.socketsDir);
  closeToOthers(path);
  for (const name of Object.values(socketNames)) unlinkStale(join(path, name));
  return path;
}

/** Removes the folder with all that is in it; links in it are removed, not followed. */
export function removeSocketDir(socketsDir: string, relayId: string): void {
  rmSync(join(socketsDir, relayId), { recursive: true, force: true });
}

/** Ids of the relays that have a folder. */
export function listSocketDirs(socketsDir: string): readonly string[] {
  try {
    return readdirSync(socketsDir);
  } catch {
    return [];
  }
}

function closeToOthers(path: string): void {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch (error) {
    throw relayErrors.create('CHANNEL_FOLDER_UNSAFE', { path, why: 'it is no folder of its own' }, error);
  }
  try {
    if (fstatSync(fd).uid !== process.geteuid?.())
      throw relayErrors.create('CHANNEL_FOLDER_UNSAFE', { path, why: 'it belongs to another user' });
    fchmodSync(fd, 0o700);
  } finally {
    closeSync(fd);
  }
}

function unlinkStale(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (found.isDirectory())
    throw relayErrors.create('CHANNEL_FOLDER_UNSAFE', { path, why: 'there is a folder where a socket belongs' });
  unlinkSync(path);
}
