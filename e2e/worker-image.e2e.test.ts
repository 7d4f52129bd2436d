import { GenericContainer, type StartedTestContainer } from 'testcontainers';
import { describe, expect, it, vi } from 'vitest';
import { workerImage } from '../src/images/index.ts';
import { containerPaths, planPasswd } from '../src/runtime/index.ts';
import { onHosts, type EngineHost } from './support/hosts.ts';

/** A container of the worker image that only waits, started by a client that shares no code with Kraft. */
async function startWorker(host: EngineHost, user: string): Promise<StartedTestContainer> {
  vi.stubEnv('DOCKER_HOST', host.env['DOCKER_HOST']);
  // Its own image for removing leftovers comes from a registry; these tests remove what they start.
  vi.stubEnv('TESTCONTAINERS_RYUK_DISABLED', 'true');
  return await new GenericContainer(workerImage)
    .withUser(user)
    .withEnvironment({ HOME: '/tmp' })
    .withNetworkMode('none')
    .withCommand(['sleep', '300'])
    .start();
}

/** Runs a shell text inside, as the user of the container; what it printed, trimmed. */
async function sh(container: StartedTestContainer, text: string): Promise<string> {
  const { exitCode, output } = await container.exec(['sh', '-ec', text]);
  expect(exitCode, output).toBe(0);
  return output.trim();
}

const serveAndFetch = `
node -e "require('node:http').createServer((_, answer) => answer.end('served')).listen(8080, '127.0.0.1')" &
curl --silent --fail --retry 20 --retry-connrefused --retry-delay 1 http://127.0.0.1:8080/
kill $!`;

const countRoots = `
node -e "
  const { readFileSync } = require('node:fs');
  const { X509Certificate } = require('node:crypto');
  const blocks = readFileSync('/etc/ssl/certs/ca-certificates.crt', 'utf8').match(/-----BEGIN[^]*?-----END CERTIFICATE-----/g);
  console.log(blocks.filter((block) => new X509Certificate(block).ca).length);
"`;

const commitOnce = `
git init --quiet --initial-branch=main /tmp/repository
cd /tmp/repository
echo content >file
git add file
GIT_AUTHOR_NAME=Ada GIT_AUTHOR_EMAIL=ada@example.org GIT_COMMITTER_NAME=Ada GIT_COMMITTER_EMAIL=ada@example.org \\
  git commit --quiet -m 'First'
git fsck --strict
git log --format='%an %s'`;

// An account that the image knows, a usual one that it does not, and a large one.
onHosts(['docker'], 'the worker image', (host) => {
  describe.each([
    [0, 0],
    [4711, 815],
    [2_000_000_000, 2_000_000_000],
  ])('under user %i:%i', (uid, gid) => {
    it('has git, sh, curl, node and CA certificates that work without a passwd entry, and commits', async () => {
      await using container = await startWorker(host, `${uid}:${gid}`);
      expect(await sh(container, 'echo "$(id -u):$(id -g)"')).toBe(`${uid}:${gid}`);
      const known = await container.exec(['getent', 'passwd', String(uid)]);
      expect(known.exitCode === 0).toBe(uid === 0);
      expect(await sh(container, serveAndFetch)).toBe('served');
      expect(Number(await sh(container, countRoots))).toBeGreaterThan(100);
      expect(await sh(container, commitOnce)).toMatch(/Ada First$/);
      await sh(container, 'npm --version && git lfs version && command -v kraft-demo-agent');
    });

    it('has an ssh and a userInfo() that need the entry that Kraft gives (PF-U05, PF-U06)', async () => {
      await using container = await startWorker(host, `${uid}:${gid}`);
      const [passwd, group] = [await sh(container, 'cat /etc/passwd'), await sh(container, 'cat /etc/group')];
      const needy = `ssh -V 2>&1 && node -p "require('node:os').userInfo().homedir" && id -un`;
      const before = await container.exec(['sh', '-ec', needy]);
      const plan = planPasswd({ passwd: `${passwd}\n`, group: `${group}\n`, uid, gid, home: containerPaths.home });
      expect(before.exitCode === 0).toBe(plan.passwd === null);
      const files = Object.entries({ passwd: plan.passwd, group: plan.group }).flatMap(([name, content]) =>
        content === null ? [] : [{ content, target: `/etc/${name}`, mode: 0o644 }],
      );
      if (files.length > 0) await container.copyContentToContainer(files);
      expect(await sh(container, needy)).toContain(uid === 0 ? '/root' : containerPaths.home);
    });
  });
});
