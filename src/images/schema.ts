import { z } from 'zod';

/** One package of the npm registry, pinned. */
const FetchedPackage = z.strictObject({
  /** What `npm pack` is asked for: name and exact version. */
  spec: z.string().regex(/^[a-z0-9@/._-]+@\d+\.\d+\.\d+$/),
  /** Subresource integrity of the tarball; a tarball with another one is never unpacked. */
  integrity: z.string().regex(/^sha512-[A-Za-z0-9+/]+=*$/),
});

/** What is fetched into the build context because it must not be redistributed or would bloat the package. */
const Fetch = z.strictObject({
  /** Folder of the build context, relative. */
  into: z.string().regex(/^[a-z0-9_-]+(\/[a-z0-9_-]+)*$/),
  /** Paths inside the package to keep; null keeps all. */
  keep: z.array(z.string()).nullable(),
  /** By CPU architecture as Node names it, or `any`. */
  packages: z.record(z.enum(['x64', 'arm64', 'any']), FetchedPackage.optional()),
});

/** `images/<name>/image.json`. */
export const ImageFile = z.strictObject({
  /** Repository part of the tag. It starts with `localhost/`, so that no engine ever looks for it elsewhere. */
  repository: z.string().startsWith('localhost/'),
  description: z.string(),
  fetch: z.array(Fetch),
});

export type ImageFile = z.infer<typeof ImageFile>;
export type FetchedPackage = z.infer<typeof FetchedPackage>;
