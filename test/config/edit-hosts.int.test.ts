import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { editHosts, type HomePaths, type HostEdit } from '../../src/config/index.ts';
import { makeHome } from './repos-file.ts';

const written = `# top
repos:
  - path: /srv/app
    sandbox:
      kind: docker
      image: i:1
      network:
        install: {allow: [registry.example.com]} # the registry
        # what agents reach
        runtime:
          allow:
            - api.example.com # the api
            - b.example.com:443
          deny:
            - bad.example.com
            - '*.ads.example.com' # never
  - path: /srv/policy
    policy:
      sandbox: {kind: docker, image: i:1, network: {runtime: {}}}
  - path: /srv/open
    sandbox: {kind: docker, image: i:1}
  - path: /srv/none
  - path: /srv/kit
    sandbox: {kind: kit, runtime: docker, kit: registry.example.com/kit@sha256:${'a'.repeat(64)}}
`;

const home = (): Promise<HomePaths> => makeHome({ 'repos.yaml': written });
const textOf = (paths: HomePaths): Promise<string> => readFile(join(paths.config, 'repos.yaml'), 'utf8');
const edit = (more: Partial<HostEdit>): HostEdit => ({
  repo: '/srv/app',
  list: 'allow',
  phase: 'runtime',
  hosts: ['new.example.com'],
  ...more,
});

describe('a host that is put on a list', () => {
  it('stands behind the others in canonical text, and every comment stays', async () => {
    const paths = await home();
    const edited = await editHosts(paths, edit({ hosts: [' NEW.example.com:8443 '] }));
    expect(edited).toMatchObject({ added: ['new.example.com:8443'], present: [], moved: [], denied: [] });
    expect(edited.repo.sandbox).toMatchObject({
      network: { runtime: { allow: ['api.example.com', 'b.example.com:443', 'new.example.com:8443'] } },
    });
    expect(await textOf(paths)).toBe(
      written.replace(
        '            - b.example.com:443\n',
        '            - b.example.com:443\n            - new.example.com:8443\n',
      ),
    );
  });

  it('goes into a phase that is written in one line, or not at all', async () => {
    const paths = await home();
    await editHosts(paths, edit({ phase: 'install' }));
    expect(await textOf(paths)).toContain('install: {allow: [registry.example.com, new.example.com]} # the registry');
    await editHosts(paths, edit({ phase: 'install', list: 'deny', hosts: ['x.example.com'] }));
    expect(await textOf(paths)).toMatch(/deny: \[? *\n? *-? *x\.example\.com/);
    const edited = await editHosts(paths, edit({ repo: '/srv/policy', phase: 'install' }));
    expect(edited.repo.sandbox).toMatchObject({
      network: { install: { allow: ['new.example.com'] }, runtime: { allow: [] } },
    });
  });

  it('changes nothing when an entry names it already, on this port or on all', async () => {
    const paths = await home();
    const hosts = ['api.example.com', 'api.example.com:443', 'b.example.com:443'];
    expect(await editHosts(paths, edit({ hosts }))).toMatchObject({ added: [], present: hosts });
    expect(await textOf(paths)).toBe(written);
  });

  it('is added beside a narrower entry, and once however often it is typed', async () => {
    const paths = await home();
    const edited = await editHosts(paths, edit({ hosts: ['b.example.com', 'B.example.com', '*.example.com'] }));
    expect(edited.added).toEqual(['b.example.com', '*.example.com']);
  });

  it('comes off the other list, so that what was typed last holds', async () => {
    const paths = await home();
    const edited = await editHosts(paths, edit({ hosts: ['bad.example.com'] }));
    expect(edited).toMatchObject({ added: ['bad.example.com'], moved: ['bad.example.com'], denied: [] });
    expect(await textOf(paths)).not.toContain("- bad.example.com\n            - '*.ads");
    const back = await editHosts(paths, edit({ list: 'deny', hosts: ['bad.example.com'] }));
    expect(back.repo.sandbox).toMatchObject({
      network: {
        runtime: {
          allow: ['api.example.com', 'b.example.com:443'],
          deny: ['*.ads.example.com', 'bad.example.com'],
        },
      },
    });
    expect(await textOf(paths)).toContain('# never');
  });

  it('is said to stay refused when a wider entry denies it', async () => {
    const edited = await editHosts(await home(), edit({ hosts: ['a.ads.example.com:443', 'ads.example.com'] }));
    expect(edited.denied).toEqual([{ host: 'a.ads.example.com:443', by: '*.ads.example.com' }]);
  });

  it('is refused with all that is wrong, and then nothing is written', async () => {
    const paths = await home();
    await expect(
      editHosts(paths, edit({ hosts: ['new.example.com', 'https://x.com/', '10.0.0.0/8'] })),
    ).rejects.toMatchObject({
      code: 'KRAFT_HOST_PATTERN_REFUSED',
      report: {
        remedy: expect.stringContaining('`x.com`') as string,
        others: [{ code: 'KRAFT_HOST_PATTERN_REFUSED' }],
      },
    });
    expect(await textOf(paths)).toBe(written);
  });

  it.each([
    ['/srv/open', 'REPO_EGRESS_OPEN', /egress open/, /network: \{runtime: \{\}\}/],
    ['/srv/none', 'REPO_SANDBOX_NONE', /no sandbox/, /kraft repo connect \/srv\/none/],
    ['/srv/kit', 'REPO_SANDBOX_KIT', /Kit/, /pin the new digest/],
    ['/srv/unknown', 'REPO_ENTRY_UNKNOWN', /not connected/, /kraft repo connect/],
  ])('%s has no list to add to: %s', async (repo, code, message, remedy) => {
    const paths = await home();
    for (const list of ['allow', 'deny'] as const) {
      await expect(editHosts(paths, edit({ repo, list }))).rejects.toMatchObject({
        code: `KRAFT_${code}`,
        message: expect.stringMatching(message) as string,
        remedy: expect.stringMatching(remedy) as string,
      });
    }
    expect(await textOf(paths)).toBe(written);
  });
});
