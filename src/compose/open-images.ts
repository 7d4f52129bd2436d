import { tmpdir } from 'node:os';
import { silentLog } from '../base/index.ts';
import { buildImages, packagedImagesDir, probeImages, type BuiltImage, type ListedImage } from '../images/index.ts';
import type { Environment } from './environment.ts';
import { openHome } from './open-home.ts';
import { openParts } from './open-parts.ts';

/** Kraft's own images on this host's engine. Needs no daemon. */
export interface Images {
  list(): Promise<readonly ListedImage[]>;
  build(request: {
    /** Null: all. */
    readonly names: readonly string[] | null;
    readonly force: boolean;
    readonly onProgress: ((line: string) => void) | null;
  }): Promise<readonly BuiltImage[]>;
}

/** Errors of each call: ENGINE_*, IMAGE_*. */
export function openImages(environment: Environment): Images {
  const paths = openHome(environment);
  const { engines } = openParts(environment, paths, { log: silentLog, serving: null });
  return {
    list: async () => probeImages((await engines.byKind(null)).engine, packagedImagesDir),
    build: async (request) =>
      buildImages({
        ...request,
        engine: (await engines.byKind(null)).engine,
        imagesDir: packagedImagesDir,
        architecture: process.arch,
        temporaryDir: environment.variables['TMPDIR'] ?? tmpdir(),
        env: environment.variables,
      }),
  };
}
