import { chmod, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openHostProbe } from '../../src/doctor/index.ts';

let dir = '';
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'kraft-host-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

describe('the real host', () => {
  it('tells who runs Kraft and how much memory there is', () => {
    const host = openHostProbe(dir);
    expect([host.uid, host.gid]).toEqual([process.getuid?.(), process.getgid?.()]);
    expect(host.totalMemoryBytes()).toBeGreaterThan(64 * 1024 ** 2);
  });

  it('counts free space under a path that is not made yet', async () => {
    const host = openHostProbe(dir);
    const [made, unmade] = [await host.freeBytes(dir), await host.freeBytes(join(dir, 'a/b/c'))];
    expect(made).toBeGreaterThan(0);
    expect(Math.abs(made - unmade)).toBeLessThan(1024 ** 3);
  });

  it('tells mode and owner, and nothing of what is not there', async () => {
    await writeFile(join(dir, 'file'), '');
    await chmod(join(dir, 'file'), 0o640);
    const host = openHostProbe(dir);
    expect(await host.ownership(join(dir, 'file'))).toEqual({ mode: 0o640, uid: process.getuid?.() });
    expect(await host.ownership(join(dir, 'absent'))).toBeNull();
  });
});

describe('the configuration of the docker CLI', () => {
  it.each([
    ['{"proxies":{"default":{"httpProxy":"http://p:1"}}}', true],
    ['{"proxies":{"default":{}}}', false],
    ['{"auths":{}}', false],
    ['not JSON', false],
  ])('%s names proxies: %s', async (text, named) => {
    const file = join(dir, 'config.json');
    expect(await openHostProbe(dir).namesDockerProxies(file)).toBe(false);
    await writeFile(file, text);
    expect(await openHostProbe(dir).namesDockerProxies(file)).toBe(named);
  });
});

describe('the directory that a container is given', () => {
  it('is empty, private, and gone afterwards with the files beside it', async () => {
    const probe = await openHostProbe(join(dir, 'run')).makeProbeDir();
    expect(await readdir(probe.path)).toEqual([]);
    expect((await stat(probe.path)).mode & 0o777).toBe(0o700);
    expect((await stat(join(dir, 'run'))).mode & 0o777).toBe(0o700);
    const beside = await probe.addFile('ca.pem', 'certificates');
    expect(await readFile(beside, 'utf8')).toBe('certificates');
    expect(dirname(beside)).not.toBe(probe.path);
    await probe.remove();
    expect(await readdir(join(dir, 'run'))).toEqual([]);
  });

  it('tells whose a written file is, and does not follow a link that a container left', async () => {
    const probe = await openHostProbe(dir).makeProbeDir();
    await writeFile(join(probe.path, 'written'), 'x');
    await symlink('/nowhere/at/all', join(probe.path, 'dangling'));
    expect(await probe.ownerOf('written')).toBe(process.getuid?.());
    expect(await probe.ownerOf('dangling')).toBe(process.getuid?.());
    expect(await probe.ownerOf('absent')).toBeNull();
    await probe.remove();
  });
});
