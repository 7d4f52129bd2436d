import { lstat, mkdir, mkdtemp, readFile, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { availableParallelism, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { probeSelinuxEnforcing } from '../runtime/index.ts';
import type { HostProbe, ProbeDir } from './options.ts';

/** The real machine. `runDir` is where worktrees lie, so that the probe's directory is on their file system. */
export function openHostProbe(runDir: string): HostProbe {
  return {
    uid: process.getuid?.() ?? 0,
    gid: process.getgid?.() ?? 0,
    processors: availableParallelism(),
    totalMemoryBytes: totalmem,
    freeBytes,
    ownership: async (path) => {
      const found = await stat(path).catch(() => null);
      return found === null ? null : { mode: found.mode & 0o7777, uid: found.uid };
    },
    selinuxEnforcing: () => probeSelinuxEnforcing(),
    namesDockerProxies,
    makeProbeDir: () => makeProbeDir(runDir),
  };
}

async function freeBytes(path: string): Promise<number> {
  for (let at = path; ; at = dirname(at)) {
    const found = await statfs(at).catch(() => null);
    if (found !== null) return found.bavail * found.bsize;
    if (dirname(at) === at) return 0;
  }
}

const dockerConfig = z.object({ proxies: z.record(z.string(), z.record(z.string(), z.unknown())) });

async function namesDockerProxies(configFile: string): Promise<boolean> {
  try {
    const { proxies } = dockerConfig.parse(JSON.parse(await readFile(configFile, 'utf8')));
    return Object.values(proxies).some((names) => Object.keys(names).length > 0);
  } catch {
    return false;
  }
}

async function makeProbeDir(runDir: string): Promise<ProbeDir> {
  await mkdir(runDir, { recursive: true, mode: 0o700 });
  const parent = await mkdtemp(join(runDir, 'doctor-'));
  const path = join(parent, 'mounted');
  await mkdir(path, { mode: 0o700 });
  return {
    path,
    addFile: async (name, text) => {
      await writeFile(join(parent, name), text, { mode: 0o600 });
      return join(parent, name);
    },
    ownerOf: async (name) => (await lstat(join(path, name)).catch(() => null))?.uid ?? null,
    remove: () => rm(parent, { recursive: true, force: true }),
  };
}
