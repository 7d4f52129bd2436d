import { z } from 'zod';
import { InspectedContainer, toContainerState } from '../container-state.ts';
import type { ContainerState, ImageInfo, ListedContainer } from '../engine.ts';

const labels = z
  .record(z.string(), z.string())
  .nullish()
  .transform((value) => value ?? {});

const image = z.object({
  Id: z.string(),
  Created: z.string().optional(),
  Size: z.number(),
  Config: z.object({ Env: z.array(z.string()).nullish(), Labels: labels }).nullish(),
});

/** `GET /images/{name}/json`. */
export function parseImage(answer: unknown): ImageInfo {
  const value = image.parse(answer);
  return {
    id: value.Id.replace(/^sha256:/u, ''),
    env: value.Config?.Env ?? [],
    labels: value.Config?.Labels ?? {},
    sizeBytes: value.Size,
    createdAt: value.Created ?? '',
  };
}

/** `GET /containers/{name}/json`. */
export function parseContainer(answer: unknown): ContainerState {
  return toContainerState(InspectedContainer.parse(answer));
}

const listed = z.array(z.object({ Id: z.string(), Names: z.array(z.string()), Labels: labels }));

/** `GET /containers/json`. Names come with a leading slash. */
export function parseContainers(answer: unknown): readonly ListedContainer[] {
  return listed.parse(answer).map((row) => ({
    id: row.Id,
    name: (row.Names[0] ?? row.Id).replace(/^\//u, ''),
    labels: row.Labels,
  }));
}

const images = z.array(z.object({ Id: z.string(), RepoTags: z.array(z.string()).nullish() }));

/** `GET /images/json`: ids with their tags. */
export function parseImages(answer: unknown): readonly { readonly id: string; readonly tags: readonly string[] }[] {
  return images.parse(answer).map((row) => ({
    id: row.Id,
    tags: (row.RepoTags ?? []).filter((tag) => !tag.includes('<none>')),
  }));
}
