import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildImages, probeImages } from '../../src/images/index.ts';
import { fetchPackage } from '../../src/images/fetch.ts';
import { contentLabel } from '../../src/images/plan.ts';
import type { Engine, ImageInfo } from '../../src/runtime/index.ts';

let dir: string;
const env = Object.fromEntries(
  Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
);

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'kraft-images-'));
});
afterEach(() => {
  rmSync(dir, { recursive: true, force: true });
});

function put(path: string, text: string): string {
  const file = join(dir, path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, text, { mode: 0o600 });
  return file;
}

interface Built {
  readonly contextDir: string;
  readonly tags: readonly string[];
}

/** An engine that keeps images in memory: builds are recorded, and the context is looked at while it exists. */
function memoryEngine(look: (built: Built) => void): Engine & { readonly builds: Built[] } {
  const images = new Map<string, ImageInfo & { tags: readonly string[] }>();
  const builds: Built[] = [];
  const absent = (): never => {
    throw new TypeError('not asked for here');
  };
  return {
    builds,
    kind: 'docker',
    cli: '/usr/bin/docker',
    inspectImage: (reference) => Promise.resolve(images.get(reference) ?? null),
    listImages: (repository) =>
      Promise.resolve(
        [...new Set(images.values())].filter((image) => image.tags.some((tag) => tag.startsWith(`${repository}:`))),
      ),
    buildImage: ({ contextDir, tags, labels }) => {
      builds.push({ contextDir, tags });
      look({ contextDir, tags });
      const image = {
        id: `id-${builds.length}`,
        env: [],
        labels,
        sizeBytes: 7,
        createdAt: '2026-01-01T00:00:00.000Z',
        tags,
      };
      for (const tag of tags) images.set(tag, image);
      return Promise.resolve();
    },
    probe: absent,
    pullImage: absent,
    runThrowaway: absent,
    startContainer: absent,
    exec: absent,
    clientCommand: absent,
    inspectContainer: absent,
    removeContainer: absent,
    listContainers: absent,
    killContainer: absent,
  };
}

function request(engine: Engine) {
  return {
    engine,
    env,
    names: null,
    force: false,
    imagesDir: join(dir, 'images'),
    architecture: 'x64',
    temporaryDir: dir,
    onProgress: null,
  };
}

const imageFile = JSON.stringify({ repository: 'localhost/kraft-probe', description: 'a probe', fetch: [] });

describe('building Kraft’s images', () => {
  it('gives the engine a context that every uid can read, whatever the umask, and removes it', async () => {
    put('images/probe/image.json', imageFile);
    put('images/probe/Dockerfile', 'FROM scratch\n');
    const modes: number[] = [];
    const engine = memoryEngine(({ contextDir }) => {
      for (const path of ['.', 'Dockerfile']) modes.push(statSync(join(contextDir, path)).mode & 0o777);
    });
    const [built] = await buildImages(request(engine));
    expect(built).toMatchObject({ name: 'probe', built: true, id: 'id-1' });
    expect(built?.tags[0]).toMatch(/^localhost\/kraft-probe:[0-9a-f]{12}$/);
    expect(built?.tags[1]).toBe('localhost/kraft-probe:latest');
    expect(modes).toEqual([0o755, 0o644]);
    expect(existsSync(engine.builds[0]?.contextDir ?? '')).toBe(false);
  });

  it('builds the same content once, and again when it has changed', async () => {
    put('images/probe/image.json', imageFile);
    put('images/probe/Dockerfile', 'FROM scratch\n');
    const engine = memoryEngine(() => undefined);
    await buildImages(request(engine));
    expect((await buildImages(request(engine)))[0]?.built).toBe(false);
    expect((await probeImages(engine, join(dir, 'images'))).map((image) => image.state)).toEqual(['current']);
    put('images/probe/Dockerfile', 'FROM scratch\nENV A=1\n');
    expect((await probeImages(engine, join(dir, 'images'))).map((image) => image.state)).toEqual([
      'missing',
      'outdated',
    ]);
    expect((await buildImages(request(engine)))[0]?.built).toBe(true);
    expect(engine.builds).toHaveLength(2);
  });

  it('refuses a name that it does not have, and says which it has', async () => {
    put('images/probe/image.json', imageFile);
    await expect(buildImages({ ...request(memoryEngine(() => undefined)), names: ['other'] })).rejects.toMatchObject({
      code: 'KRAFT_IMAGE_UNKNOWN',
      message: expect.stringContaining('probe') as unknown,
    });
  });

  it('refuses a source whose image.json names a registry', async () => {
    put('images/probe/image.json', imageFile.replace('localhost/', 'example.org/'));
    await expect(buildImages(request(memoryEngine(() => undefined)))).rejects.toMatchObject({
      code: 'KRAFT_IMAGE_SOURCE_BROKEN',
    });
  });

  it('refuses an architecture that a part does not exist for, before anything is fetched', async () => {
    const fetch = [{ into: 'node', keep: null, packages: { x64: { spec: 'part@1.0.0', integrity: 'sha512-AAAA' } } }];
    put('images/probe/image.json', JSON.stringify({ ...(JSON.parse(imageFile) as object), fetch }));
    const engine = memoryEngine(() => undefined);
    await expect(buildImages({ ...request(engine), architecture: 'riscv64' })).rejects.toMatchObject({
      code: 'KRAFT_IMAGE_ARCHITECTURE_UNSUPPORTED',
    });
    expect(engine.builds).toEqual([]);
  });

  it('labels what it builds with the content it was built from', async () => {
    put('images/probe/image.json', imageFile);
    const engine = memoryEngine(() => undefined);
    const [built] = await buildImages(request(engine));
    const image = await engine.inspectImage('localhost/kraft-probe:latest');
    expect(built?.tags[0]?.endsWith(image?.labels[contentLabel] ?? 'none')).toBe(true);
  });
});

describe('fetching a part of an image', () => {
  /** A package as a registry gives it, packed from a folder, with its real checksum. */
  function packLocal(): { spec: string; integrity: string } {
    put('part/package.json', JSON.stringify({ name: 'part', version: '1.0.0', scripts: { prepack: 'touch ran' } }));
    put('part/bin/tool', 'tool');
    put('part/share/doc', 'doc');
    execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', dir], {
      cwd: join(dir, 'part'),
    });
    const archive = join(dir, 'part-1.0.0.tgz');
    return {
      spec: archive,
      integrity: `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`,
    };
  }

  it('keeps the named files alone and leaves nothing else behind', async () => {
    const part = packLocal();
    await fetchPackage({ part, into: join(dir, 'context', 'tool'), keep: ['bin/tool'], env });
    expect(readFileSync(join(dir, 'context', 'tool', 'bin', 'tool'), 'utf8')).toBe('tool');
    expect(existsSync(join(dir, 'context', 'tool', 'share'))).toBe(false);
  });

  it('unpacks nothing when the checksum is not the pinned one', async () => {
    const part = { ...packLocal(), integrity: 'sha512-AAAA' };
    await expect(fetchPackage({ part, into: join(dir, 'context', 'tool'), keep: null, env })).rejects.toMatchObject({
      code: 'KRAFT_IMAGE_PART_CHANGED',
    });
    expect(existsSync(join(dir, 'context', 'tool'))).toBe(false);
  });

  it('says what is missing when there is no npm', async () => {
    const part = { spec: 'part@1.0.0', integrity: 'sha512-AAAA' };
    await expect(
      fetchPackage({ part, into: join(dir, 'context', 'tool'), keep: null, env: { PATH: dir } }),
    ).rejects.toMatchObject({
      code: 'KRAFT_IMAGE_PART_NOT_FETCHED',
      remedy: expect.stringContaining('npm pack') as unknown,
    });
  });
});
