import { describe, expect, it } from 'vitest';
import { containerLabels, renderCpus, renderRunArgs, type ContainerSpec } from '../../src/runtime/index.ts';
import { plainSpec } from '../contracts/engine.contract.ts';

const worktree = '/home/ada/.kraft/worktrees/k3';
const session: ContainerSpec = {
  ...plainSpec,
  name: 'kraft-s1',
  labels: containerLabels('/home/ada/.kraft', 'worker', 's1'),
  image: 'localhost/kraft-worker:latest',
  command: ['claude', '-p', '--', 'do it; now'],
  user: '1000:1000',
  mounts: [
    { source: worktree, target: worktree, readOnly: false },
    { source: '/home/ada/bundle.pem', target: '/etc/kraft/ca-bundle.pem', readOnly: true },
  ],
  workingDir: worktree,
  envLiterals: { HOME: '/kraft/home', GIT_CONFIG_COUNT: '1' },
  envNames: ['ANTHROPIC_API_KEY', 'HOME', 'ANTHROPIC_API_KEY'],
  network: null,
  init: true,
  cidFile: '/home/ada/.kraft/run/results/s1.cid',
};

/** Arguments that follow each `flag`. */
function after(args: readonly string[], flag: string): string[] {
  return args.flatMap((arg, index) => (arg === flag ? [args[index + 1] ?? ''] : []));
}

describe('the argv of a container', () => {
  it('is this for a session on rootful Docker (SI-9.1 A1, golden)', () => {
    expect(renderRunArgs(session, 'docker')).toEqual([
      'run',
      '--log-driver=none',
      '--init',
      '--label',
      'kraft.home=/home/ada/.kraft',
      '-u',
      '1000:1000',
      '--label',
      'kraft.role=worker',
      '--label',
      'kraft.session=s1',
      '--security-opt=no-new-privileges',
      '--cap-drop=ALL',
      '-w',
      worktree,
      '-v',
      `${worktree}:${worktree}`,
      '-v',
      '/home/ada/bundle.pem:/etc/kraft/ca-bundle.pem:ro',
      '--name',
      'kraft-s1',
      '--cidfile=/home/ada/.kraft/run/results/s1.cid',
      '-e',
      'ANTHROPIC_API_KEY',
      '-e',
      'HOME=/kraft/home',
      '-e',
      'GIT_CONFIG_COUNT=1',
      'localhost/kraft-worker:latest',
      'claude',
      '-p',
      '--',
      'do it; now',
    ]);
  });

  it.each([
    ['a named container is kept, without a log', 's', ['--log-driver=none'], ['--rm']],
    ['an unnamed one is thrown away', null, ['--rm'], ['--log-driver=none', '--name']],
  ])('%s (SI-9.3 C8)', (_, name, has, lacks) => {
    const args = renderRunArgs({ ...session, name }, 'docker');
    for (const flag of has) expect(args).toContain(flag);
    for (const flag of lacks) expect(args).not.toContain(flag);
  });

  it.each(['docker', 'podman'] as const)(
    'drops every capability and forbids new privileges on %s (SI-9.1 A1)',
    (kind) => {
      const args = renderRunArgs(plain({}), kind);
      expect(args).toContain('--cap-drop=ALL');
      expect(args).toContain('--security-opt=no-new-privileges');
      expect(args.join(' ')).not.toMatch(/--privileged|--cap-add|--device|--pid|--ipc|docker\.sock/u);
    },
  );

  it.each([
    ['docker', '1000:1000', null, ['-u', '1000:1000']],
    ['docker', '0:0', null, ['-u', '0:0']],
    ['podman', '1000:1000', null, ['-u', '1000:1000']],
    ['podman', '1000:1000', 'keep-id', ['-u', '1000:1000', '--userns=keep-id']],
  ] as const)(
    'puts the user of %s %s %s right after the first label (SI-9.1 A17)',
    (kind, user, userNamespace, flags) => {
      const args = renderRunArgs({ ...session, user, userNamespace }, kind);
      const label = args.indexOf('--label');
      expect(args.slice(label + 2, label + 2 + flags.length)).toEqual(flags);
      expect(args.some((arg) => arg.startsWith('--userns'))).toBe(userNamespace !== null);
    },
  );

  it('gives every mount the shared SELinux label when relabelling, and never the private one (SI-9.1 A18)', () => {
    const args = renderRunArgs({ ...session, selinux: 'relabel' }, 'podman');
    expect(after(args, '-v')).toEqual([
      `${worktree}:${worktree}:z`,
      '/home/ada/bundle.pem:/etc/kraft/ca-bundle.pem:ro,z',
    ]);
    expect(args).not.toContain('--security-opt=label=disable');
  });

  it('switches labels off for the container instead, where that is the choice (SI-9.1 A19)', () => {
    const args = renderRunArgs({ ...session, selinux: 'disable' }, 'podman');
    expect(args).toContain('--security-opt=label=disable');
    expect(after(args, '-v').filter((mount) => /[:,]z/iu.test(mount))).toEqual([]);
  });

  it('passes secrets bare, a literal never bare as well, and each name once (SI-9.1 A14)', () => {
    const passed = after(renderRunArgs(session, 'docker'), '-e');
    expect(passed).toEqual(['ANTHROPIC_API_KEY', 'HOME=/kraft/home', 'GIT_CONFIG_COUNT=1']);
  });

  it('keeps the variables of the Podman client out (PF-P04)', () => {
    const args = renderRunArgs(session, 'podman');
    expect(args).toContain('--http-proxy=false');
    expect(args).toContain('--env-host=false');
  });

  it('closes the network and pulls nothing where the spec says so', () => {
    const args = renderRunArgs(
      { ...session, network: 'none', pull: 'never', readOnlyRoot: true, entrypoint: 'sh' },
      'docker',
    );
    expect(args).toEqual(expect.arrayContaining(['--network=none', '--pull=never', '--read-only', '--entrypoint=sh']));
  });

  it('makes a tmpfs with its options', () => {
    expect(after(renderRunArgs(plain({ tmpfs: { '/kraft/oneshot-home': 'mode=1777' } }), 'docker'), '--tmpfs')).toEqual(
      ['/kraft/oneshot-home:mode=1777'],
    );
  });
});

describe('the limits of a container', () => {
  const limited = { cpu: 2, memoryBytes: 4 * 1024 ** 3, closeSwap: true, pids: 512 };
  it.each([
    ['all of them', limited, ['--cpus=2', '--memory=4g', '--memory-swap=4g', '--pids-limit=512']],
    ['swap left open', { ...limited, closeSwap: false }, ['--cpus=2', '--memory=4g', '--pids-limit=512']],
    ['none', { cpu: null, memoryBytes: null, closeSwap: false, pids: null }, []],
    [
      'odd bytes',
      { ...limited, memoryBytes: 6_292_480 },
      ['--cpus=2', '--memory=6145k', '--memory-swap=6145k', '--pids-limit=512'],
    ],
  ])('are spelled: %s (SI-9.3 C1)', (_, limits, flags) => {
    const args = renderRunArgs({ ...session, limits }, 'docker');
    expect(args.filter((arg) => /^--(cpus|memory|memory-swap|pids-limit)=/u.test(arg))).toEqual(flags);
  });

  it.each([
    [2, '2'],
    [0.5, '0.5'],
    [0.01, '0.01'],
    [1.1234567, '1.1234567'],
    [1e-7, '0.0000001'],
    [1.25e-7, '0.000000125'],
    [1e21, '1000000000000000000000'],
  ])('write %d CPUs without exponent and rounding (SI-9.3 C5)', (cpu, text) => {
    expect(renderCpus(cpu)).toBe(text);
  });
});

describe('a spec that could become another command', () => {
  it.each([
    [
      'a colon in a mounted path',
      { mounts: [{ source: '/a:b', target: '/a', readOnly: false }] },
      'MOUNT_PATH_UNSUPPORTED',
    ],
    ['a colon in a target', { mounts: [{ source: '/a', target: '/a:rw', readOnly: true }] }, 'MOUNT_PATH_UNSUPPORTED'],
    [
      'a relative path, which is a volume',
      { mounts: [{ source: 'vol', target: '/a', readOnly: false }] },
      'MOUNT_PATH_UNSUPPORTED',
    ],
    ['a newline in a path', { mounts: [{ source: '/a\nb', target: '/a', readOnly: false }] }, 'MOUNT_PATH_UNSUPPORTED'],
    ['an image that is a flag', { image: '--privileged' }, 'CONTAINER_SPEC_INVALID'],
    ['an empty image', { image: '' }, 'CONTAINER_SPEC_INVALID'],
    ['a bare name that names all variables', { envNames: ['AWS_*'] }, 'CONTAINER_SPEC_INVALID'],
    ['a bare name with a value', { envNames: ['A=B'] }, 'CONTAINER_SPEC_INVALID'],
    ['a literal without a name', { envLiterals: { '': 'x' } }, 'CONTAINER_SPEC_INVALID'],
  ])('is refused: %s', (_, over, code) => {
    expect(() => renderRunArgs(plain(over), 'docker')).toThrow(
      expect.objectContaining({ code: `KRAFT_${code}` }) as Error,
    );
  });
});

function plain(over: Partial<ContainerSpec>): ContainerSpec {
  return { ...plainSpec, image: 'debian', ...over };
}
