import { z } from 'zod';
import { InspectedContainer, toContainerState } from '../container-state.ts';
import type { ContainerState, EngineFacts, ImageInfo, LimitName, ListedContainer } from '../engine.ts';

const identity = z.object({
  host: z.object({ security: z.object({ rootless: z.boolean(), selinuxEnabled: z.boolean() }) }),
});
const controllers = z.object({ host: z.object({ cgroupControllers: z.array(z.string()) }) });
const place = z.object({ host: z.object({ serviceIsRemote: z.boolean() }) });
const kernel = z.object({ host: z.object({ kernel: z.string().min(1) }) });
const version = z.object({ version: z.object({ Version: z.string() }) });
const storage = z.object({ store: z.object({ graphDriverName: z.string() }) });

/**
 * Facts from `podman info --format json` (SI 1.3). Each group is read by itself and all of it or nothing: what does
 * not parse is `unknown`, never a default.
 */
export function parsePodmanInfo(
  info: unknown,
  host: { readonly endpoint: string; readonly kernelRelease: string },
): EngineFacts {
  const security = identity.safeParse(info).data?.host.security;
  return {
    kind: 'podman',
    serverVersion: version.safeParse(info).data?.version.Version ?? 'unknown',
    rootless: security?.rootless ?? 'unknown',
    appliesSelinuxLabels: security?.selinuxEnabled ?? 'unknown',
    enforceable: parseControllers(info),
    remote: findRemote(info, host),
    storageDriver: storage.safeParse(info).data?.store.graphDriverName ?? null,
    endpoint: host.endpoint,
  };
}

function parseControllers(info: unknown): ReadonlySet<LimitName> | 'unknown' {
  const names = controllers.safeParse(info).data?.host.cgroupControllers;
  if (names === undefined) return 'unknown';
  const limits: LimitName[] = [];
  if (names.includes('cpu')) limits.push('cpu');
  if (names.includes('memory')) limits.push('memory', 'swap');
  if (names.includes('pids')) limits.push('pids');
  return new Set(limits);
}

function findRemote(
  info: unknown,
  host: { readonly endpoint: string; readonly kernelRelease: string },
): EngineFacts['remote'] {
  if (place.safeParse(info).data?.host.serviceIsRemote === true)
    return {
      endpoint: host.endpoint,
      why: 'Podman here is a client of a service elsewhere (a machine or CONTAINER_HOST)',
    };
  const release = kernel.safeParse(info).data?.host.kernel;
  if (release !== undefined && release !== host.kernelRelease)
    return { endpoint: host.endpoint, why: `it runs on kernel ${release}, this machine on ${host.kernelRelease}` };
  return null;
}

const labels = z
  .record(z.string(), z.string())
  .nullish()
  .transform((value) => value ?? {});

const images = z.array(
  z.object({
    Id: z.string(),
    Created: z.string().optional(),
    Size: z.number(),
    Labels: labels,
    RepoTags: z.array(z.string()).nullish(),
    Config: z.object({ Env: z.array(z.string()).nullish() }).nullish(),
  }),
);

/** `podman image inspect --format json`: one row per image. */
export function parseImages(answer: unknown): readonly (ImageInfo & { readonly tags: readonly string[] })[] {
  return images.parse(answer).map((value) => ({
    id: value.Id.replace(/^sha256:/u, ''),
    env: value.Config?.Env ?? [],
    labels: value.Labels,
    sizeBytes: value.Size,
    createdAt: value.Created ?? '',
    tags: value.RepoTags ?? [],
  }));
}

const imageIds = z.array(z.object({ Id: z.string() }));

/** `podman images --format json`: an image with several tags has several rows. */
export function parseImageIds(answer: unknown): readonly string[] {
  return [...new Set((imageIds.nullable().parse(answer) ?? []).map((row) => row.Id))];
}

/** `podman container inspect`. */
export function parseContainer(answer: unknown): ContainerState {
  const [first] = z.tuple([InspectedContainer]).rest(InspectedContainer).parse(answer);
  return toContainerState(first);
}

const listed = z.array(z.object({ Id: z.string(), Names: z.array(z.string()).nullish(), Labels: labels }));

/** `podman ps --format json`. */
export function parseContainers(answer: unknown): readonly ListedContainer[] {
  return (listed.nullable().parse(answer) ?? []).map((row) => ({
    id: row.Id,
    name: row.Names?.[0] ?? row.Id,
    labels: row.Labels,
  }));
}
