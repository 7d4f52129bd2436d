import { describe, expect, it } from 'vitest';
import {
  imageRootPaths,
  parseImageReader,
  parseProgramProbe,
  planImageReader,
  planProgramProbe,
  renderRunArgs,
} from '../../src/runtime/index.ts';

const limits = { cpu: 0.5, memoryBytes: 64 * 1024 ** 2, closeSwap: true, pids: 100 };
const look = { image: 'img', home: '/h', marker: 'k1', limits, selinux: null } as const;
const programs = ['git', 'claude'];
function ended(exitCode: number | null, stdout: string, over = {}): Parameters<typeof parseImageReader>[0] {
  return { exitCode, stdout, stderr: '', timedOut: false, ...over };
}

describe('the probe for programs (SI 1.8)', () => {
  it('keeps the entrypoint, has no network, and passes the repository’s variables bare (SI-9.1 A26)', () => {
    const args = renderRunArgs(planProgramProbe({ ...look, programs, envNames: ['NVM_DIR'] }), 'docker');
    expect(args).toEqual(
      expect.arrayContaining(['--rm', '--network=none', '--cap-drop=ALL', '--security-opt=no-new-privileges']),
    );
    expect(args.join(' ')).toContain('-e NVM_DIR img sh -c');
    expect(args.filter((arg) => /^--entrypoint|^-v$|^-u$/u.test(arg))).toEqual([]);
    expect(args.slice(-3)).toEqual(['k1', 'git', 'claude']);
  });

  it.each([
    ['all there', ended(0, 'k1 yes git\nk1 yes claude\nk1 end\n'), { kind: 'answered', missing: [] }],
    [
      'one missing',
      ended(0, 'hello\nk1 yes git\r\nk1 no claude\r\nk1 end\r\n'),
      { kind: 'answered', missing: ['claude'] },
    ],
    ['both missing', ended(0, 'k1 no git\nk1 no claude\nk1 end'), { kind: 'answered', missing: ['git', 'claude'] }],
  ])('reads %s', (_, result, answer) => {
    expect(parseProgramProbe(result, { programs, marker: 'k1' })).toEqual(answer);
  });

  it.each([
    ['no engine', ended(1, '', { stderr: 'cannot connect\n' }), 'cannot connect'],
    ['an entrypoint that is the agent', ended(0, 'usage: claude\n'), 'code 0'],
    ['no sh', ended(127, '', { stderr: 'sh: not found' }), 'sh: not found'],
    ['a time-out', ended(null, 'k1 no git\n', { timedOut: true }), 'in time'],
    ['half an answer', ended(0, 'k1 yes git\nk1 end\n'), 'claude'],
    ['another marker', ended(0, 'k2 no git\nk2 no claude\nk2 end\n'), 'code 0'],
  ])('never takes %s for a missing program', (_, result, why) => {
    const answer = parseProgramProbe(result, { programs, marker: 'k1' });
    expect(answer).toEqual({ kind: 'inconclusive', why: expect.stringContaining(why) as string });
  });
});

describe('a look into an image', () => {
  it.each([
    ['for programs', planProgramProbe({ ...look, programs, envNames: [] })],
    ['for users and certificates', planImageReader({ ...look, namedFiles: [] })],
  ])('%s is bound by the limits of the sandbox that asks (SI 6.2)', (_, spec) => {
    const args = renderRunArgs(spec, 'docker');
    expect(args).toEqual(
      expect.arrayContaining(['--cpus=0.5', '--memory=64m', '--memory-swap=64m', '--pids-limit=100']),
    );
  });
});

describe('the reader of an image (SI-9.4 D4)', () => {
  it('bypasses the entrypoint, has no network and no mount, and tries all three root files', () => {
    const args = renderRunArgs(planImageReader({ ...look, namedFiles: ['/opt/ca.pem'] }), 'podman');
    expect(args).toEqual(expect.arrayContaining(['--rm', '--network=none', '--cap-drop=ALL', '--entrypoint=sh']));
    expect(args).not.toContain('-v');
    for (const path of imageRootPaths) expect(args.join(' ')).toContain(path);
    expect(args.at(-1)).toBe('/opt/ca.pem');
  });

  it('gives PATH, users, roots and the named files', () => {
    const out =
      '\nk1 path\n/usr/bin:/bin\nk1 file passwd /etc/passwd\nroot:x:0\n\nk1 file group /etc/group\nroot:x:0:\n\nk1 file roots /etc/ssl/cert.pem\nPEM\n\nk1 file named /opt/a b.pem\nOWN\n\nk1 end\n';
    expect(parseImageReader(ended(0, out), 'k1')).toEqual({
      path: '/usr/bin:/bin',
      passwd: 'root:x:0\n',
      group: 'root:x:0:\n',
      roots: 'PEM\n',
      namedFiles: { '/opt/a b.pem': 'OWN\n' },
    });
  });

  it('takes an image without roots for an answer (SI-9.4 D2)', () => {
    expect(parseImageReader(ended(0, '\nk1 path\n/bin\nk1 end\n'), 'k1')).toMatchObject({ path: '/bin', roots: '' });
  });

  it.each([
    ['cut short', ended(0, '\nk1 path\n/bin\nk1 file roots /x\nPE')],
    ['of a container that failed', ended(1, '\nk1 path\n/bin\nk1 end\n')],
    ['of one that did not end', ended(null, '\nk1 path\n/bin\nk1 end\n', { timedOut: true })],
    ['without a word', ended(0, '')],
  ])('uses nothing of an answer %s (SI-9.4 D3)', (_, result) => {
    expect(parseImageReader(result, 'k1')).toBeNull();
  });
});
