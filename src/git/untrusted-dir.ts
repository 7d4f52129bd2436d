import { constants } from 'node:fs';
import { open, opendir, type FileHandle } from 'node:fs/promises';

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

/**
 * A directory that a worker can write. Every step below it opens one name relative to the open directory (through
 * /proc/self/fd, in place of openat), never follows a symbolic link, never blocks on a FIFO and yields regular files and
 * directories only (SI 2.9). What is not so is null: absent and refused look alike, unless `probe` is asked.
 */
export class UntrustedDir implements AsyncDisposable {
  readonly #handle: FileHandle;

  private constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  /** Precondition: the way to `path` is Kraft's or the person's own; only the last component is checked. */
  static async open(path: string): Promise<UntrustedDir | null> {
    const handle = await openOrNull(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    return handle === null ? null : new UntrustedDir(handle);
  }

  async dir(name: string): Promise<UntrustedDir | null> {
    const path = this.#at(name);
    return path === null ? null : UntrustedDir.open(path);
  }

  /** The directory at the end of `names`, or null when a step is no real directory. */
  async walk(names: readonly string[]): Promise<UntrustedDir | null> {
    let at = await UntrustedDir.open(`/proc/self/fd/${this.#handle.fd}/.`);
    for (const name of names) {
      if (at === null) return null;
      await using parent = at;
      at = await parent.dir(name);
    }
    return at;
  }

  /** An open regular file, or null. The caller closes it. */
  async file(name: string): Promise<FileHandle | null> {
    const path = this.#at(name);
    if (path === null) return null;
    const handle = await openOrNull(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    if (handle === null) return null;
    if ((await handle.stat()).isFile()) return handle;
    await handle.close();
    return null;
  }

  /** The bytes of a regular file of at most `maxBytes`, or null. */
  async read(name: string, maxBytes: number): Promise<Buffer | null> {
    await using handle = await this.file(name);
    if (handle === null) return null;
    const chunks: Buffer[] = [];
    let size = 0;
    for (;;) {
      const chunk = Buffer.allocUnsafe(Math.min(65_536, maxBytes + 1 - size));
      const { bytesRead } = await handle.read(chunk, 0, chunk.length, null);
      if (bytesRead === 0) return Buffer.concat(chunks);
      chunks.push(chunk.subarray(0, bytesRead));
      size += bytesRead;
      if (size > maxBytes) return null;
    }
  }

  /** Whether a name exists at all, whatever it is. */
  async has(name: string): Promise<boolean> {
    const path = this.#at(name);
    if (path === null) return false;
    try {
      const handle = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
      await handle.close();
      return true;
    } catch (error) {
      return !isAbsence(error);
    }
  }

  /** The names in it, at most `max`; null when there are more. */
  async list(max: number): Promise<readonly string[] | null> {
    const names: string[] = [];
    for await (const entry of await opendir(`/proc/self/fd/${this.#handle.fd}`)) {
      if (names.length >= max) return null;
      names.push(entry.name);
    }
    return names;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close();
  }

  #at(name: string): string | null {
    const plain = name !== '' && name !== '.' && name !== '..' && !/[/\0]/u.test(name);
    return plain ? `/proc/self/fd/${this.#handle.fd}/${name}` : null;
  }
}

async function openOrNull(path: string, flags: number): Promise<FileHandle | null> {
  try {
    return await open(path, flags);
  } catch {
    return null;
  }
}

function isAbsence(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return code === 'ENOENT' || code === 'ENOTDIR';
}
