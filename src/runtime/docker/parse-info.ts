import { z } from 'zod';
import type { EngineFacts, LimitName } from '../engine.ts';

const identity = z.object({ SecurityOptions: z.array(z.string()) });
const limits = z.object({
  CpuCfsQuota: z.boolean(),
  MemoryLimit: z.boolean(),
  SwapLimit: z.boolean(),
  PidsLimit: z.boolean(),
});
const place = z.object({ OperatingSystem: z.string() });
const kernel = z.object({ KernelVersion: z.string().min(1) });
const version = z.object({ ServerVersion: z.string() });
const storage = z.object({ Driver: z.string() });

/**
 * Facts from the answer to `GET /info` (SI 1.3). Each group is read by itself and all of it or nothing: what does not
 * parse is `unknown`, never a default.
 */
export function parseDockerInfo(
  info: unknown,
  host: { readonly endpoint: string; readonly kernelRelease: string },
): EngineFacts {
  const options = identity.safeParse(info);
  const names = options.success ? new Set(options.data.SecurityOptions.map((option) => option.split(',')[0])) : null;
  return {
    kind: 'docker',
    serverVersion: version.safeParse(info).data?.ServerVersion ?? 'unknown',
    rootless: names?.has('name=rootless') ?? 'unknown',
    appliesSelinuxLabels: names?.has('name=selinux') ?? 'unknown',
    enforceable: parseLimits(info),
    remote: findVm(info, host),
    storageDriver: storage.safeParse(info).data?.Driver ?? null,
    endpoint: host.endpoint,
  };
}

function parseLimits(info: unknown): ReadonlySet<LimitName> | 'unknown' {
  const answer = limits.safeParse(info);
  if (!answer.success) return 'unknown';
  const { CpuCfsQuota, MemoryLimit, SwapLimit, PidsLimit } = answer.data;
  const told: readonly [LimitName, boolean][] = [
    ['cpu', CpuCfsQuota],
    ['memory', MemoryLimit],
    ['swap', SwapLimit],
    ['pids', PidsLimit],
  ];
  return new Set(told.flatMap(([name, enforced]) => (enforced ? [name] : [])));
}

/** A socket file may lead into a VM or to another machine: the kernel under the engine tells. */
function findVm(
  info: unknown,
  host: { readonly endpoint: string; readonly kernelRelease: string },
): EngineFacts['remote'] {
  const system = place.safeParse(info).data?.OperatingSystem ?? '';
  if (system.includes('Docker Desktop'))
    return { endpoint: host.endpoint, why: 'it is Docker Desktop, a virtual machine' };
  const release = kernel.safeParse(info).data?.KernelVersion;
  if (release !== undefined && release !== host.kernelRelease)
    return { endpoint: host.endpoint, why: `it runs on kernel ${release}, this machine on ${host.kernelRelease}` };
  return null;
}
