import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { randomHex16 } from '../../src/base/index.ts';
import { startClient, type StartedClient } from '../../src/process/index.ts';
import { containerLabels, type ContainerSpec, type ContainerState, type Engine } from '../../src/runtime/index.ts';

/** An engine under test, and an image in it that has `sh`, `cat` and `sleep`. */
export interface EngineUnderTest {
  readonly engine: Engine;
  readonly image: string;
}

/** What every implementation of `Engine` does; run against the fake in the unit tier and against real engines in e2e. */
export function engineContract(name: string, open: () => Promise<EngineUnderTest>): void {
  describe(`the engine contract of ${name}`, () => {
    const home = `/kraft-contract/${randomHex16()}`;
    let dir = '';
    let it_: EngineUnderTest;
    beforeAll(async () => {
      it_ = await open();
      dir = mkdtempSync(join(tmpdir(), 'engine-contract-'));
      chmodSync(dir, 0o777); // the engine may work as another user than the tests
    });
    afterAll(async () => {
      for (const row of await it_.engine.listContainers({ key: 'kraft.home', value: home }))
        await it_.engine.removeContainer(row.name);
      rmSync(dir, { recursive: true, force: true });
    });

    const spec = (over: Partial<ContainerSpec>): ContainerSpec => ({
      ...plainSpec,
      labels: containerLabels(home, 'probe', null),
      image: it_.image,
      ...over,
    });
    const start = (over: Partial<ContainerSpec>): { spec: ContainerSpec; client: Promise<StartedClient> } => {
      const sessionId = `c${randomHex16()}`;
      const named = spec({ name: `kraft-${sessionId}`, labels: containerLabels(home, 'worker', sessionId), ...over });
      const command = it_.engine.clientCommand(named, {});
      const at = join(dir, sessionId);
      mkdirSync(at);
      chmodSync(at, 0o777);
      return {
        spec: named,
        client: startClient({ ...command, cwd: at, logPath: join(at, 'log'), exitPath: join(at, 'exit') }),
      };
    };
    const until = async (
      name: string,
      accept: (state: ContainerState | null) => boolean,
    ): Promise<ContainerState | null> => {
      await expect.poll(async () => accept(await it_.engine.inspectContainer(name)), { timeout: 30_000 }).toBe(true);
      return await it_.engine.inspectContainer(name);
    };

    it('says what it is', async () => {
      const facts = await it_.engine.probe(30_000);
      expect(facts.kind).toBe(it_.engine.kind);
      expect(facts.rootless).toBeTypeOf('boolean');
      expect(facts.appliesSelinuxLabels).toBeTypeOf('boolean');
      expect(facts.enforceable).toBeInstanceOf(Set);
      expect(facts.remote).toBeNull();
    });

    it('tells an image that is here from one that is not', async () => {
      expect((await it_.engine.inspectImage(it_.image))?.id).toMatch(/^[0-9a-f]{64}$/u);
      expect(await it_.engine.inspectImage('localhost/kraft-no-such-image:1')).toBeNull();
    });

    it('fails a pull of an image that nobody has, with the reason', async () => {
      await expect(
        it_.engine.pullImage('localhost:1/kraft-no-such-image:1', { timeoutMs: 30_000, onProgress: null }),
      ).rejects.toMatchObject({ code: 'KRAFT_IMAGE_PULL_FAILED' });
    });

    it('gives the output and the exit code of a throw-away container, and keeps nothing of it', async () => {
      const result = await it_.engine.runThrowaway(
        spec({ command: ['sh', '-c', 'cat; echo out; echo err >&2; exit 7'], interactive: true }),
        { env: {}, timeoutMs: 60_000, input: 'in ' },
      );
      expect(result).toMatchObject({ exitCode: 7, stdout: 'in out\n', timedOut: false });
      expect(result.stderr).toContain('err');
      expect(await it_.engine.listContainers({ key: 'kraft.home', value: home })).toEqual([]);
    });

    it('ends and removes a throw-away container that does not end in time', async () => {
      const result = await it_.engine.runThrowaway(spec({ command: ['sleep', '300'], init: true }), {
        env: {},
        timeoutMs: 4_000,
        input: null,
      });
      expect(result).toMatchObject({ timedOut: true });
      expect(await it_.engine.listContainers({ key: 'kraft.home', value: home })).toEqual([]);
    });

    it('passes bare names by value, literals as they are, and nothing else (SI-9.1 A14)', async () => {
      const print =
        'printf "[%s]" "${GIVEN-unset}" "${UNSET-unset}" "${LITERAL-unset}" "${BOTH-unset}" "${STRAY-unset}"';
      const result = await it_.engine.runThrowaway(
        spec({
          command: ['sh', '-c', print],
          envNames: ['GIVEN', 'UNSET', 'BOTH'],
          envLiterals: { LITERAL: 'a=b c', BOTH: 'literal' },
        }),
        { env: { GIVEN: 'value, with = and "quotes"', BOTH: 'bare', STRAY: 'stray' }, timeoutMs: 60_000, input: null },
      );
      expect(result.stdout).toBe('[value, with = and "quotes"][unset][a=b c][literal][unset]');
    });

    it('hands a repository its own value of a variable that steers the client, and keeps the client on its way', async () => {
      const result = await it_.engine.runThrowaway(
        spec({
          command: ['sh', '-c', 'echo "$DOCKER_HOST $CONTAINER_HOST"'],
          envNames: ['DOCKER_HOST', 'CONTAINER_HOST'],
        }),
        {
          env: { DOCKER_HOST: 'tcp://192.0.2.1:1', CONTAINER_HOST: 'tcp://192.0.2.1:2' },
          timeoutMs: 60_000,
          input: null,
        },
      );
      expect(result.stdout).toBe('tcp://192.0.2.1:1 tcp://192.0.2.1:2\n');
    });

    it('mounts a path with blanks and commas', async () => {
      const source = join(dir, 'a b,c');
      mkdirSync(source);
      writeFileSync(join(source, 'file'), 'content');
      const result = await it_.engine.runThrowaway(
        spec({ command: ['cat', '/kraft/home/file'], mounts: [{ source, target: '/kraft/home', readOnly: true }] }),
        { env: {}, timeoutMs: 60_000, input: null },
      );
      expect(result.stdout).toBe('content');
    });

    it('keeps a named container after its end, with exit code, limit and id file, until it is removed', async () => {
      const cidFile = join(dir, 'session.cid');
      const limits = { ...plainSpec.limits, memoryBytes: 256 * 1024 * 1024, closeSwap: true };
      const { enforceable } = await it_.engine.probe(30_000);
      const enforced = enforceable !== 'unknown' && enforceable.has('memory');
      const run = start({
        command: ['sh', '-c', 'echo hello; exit 3'],
        cidFile,
        limits: enforced ? limits : plainSpec.limits,
      });
      await (
        await run.client
      ).ended;
      const name = run.spec.name ?? '';
      const state = await until(name, (seen) => seen?.running === false);
      expect(state).toMatchObject({
        exitCode: 3,
        oomKilled: false,
        memoryLimitBytes: enforced ? limits.memoryBytes : 0,
      });
      expect(readFileSync(cidFile, 'utf8').trim()).toBe(state?.id);
      expect(readFileSync(join(dir, name.replace(/^kraft-/u, ''), 'log'), 'utf8')).toContain('hello');
      const listed = await it_.engine.listContainers({ key: 'kraft.home', value: home });
      expect(listed).toEqual([{ name, id: state?.id, labels: expect.objectContaining(run.spec.labels) as object }]);
      await it_.engine.removeContainer(name);
      expect(await it_.engine.inspectContainer(name)).toBeNull();
      expect(await it_.engine.listContainers({ key: 'kraft.home', value: home })).toEqual([]);
    });

    it('signals a running container, and ends its client with it', async () => {
      const run = start({
        command: ['sh', '-c', 'trap "exit 42" INT; echo ready; while :; do sleep 0.1; done'],
        init: true,
      });
      const client = await run.client;
      const name = run.spec.name ?? '';
      const log = join(dir, name.replace(/^kraft-/u, ''), 'log');
      await expect.poll(() => readFileSync(log, 'utf8'), { timeout: 30_000 }).toContain('ready');
      await until(name, (seen) => seen?.running === true);
      await expect
        .poll(
          async () => {
            await it_.engine.killContainer(name, 'SIGINT');
            return (await it_.engine.inspectContainer(name))?.running;
          },
          { timeout: 30_000, interval: 300 },
        )
        .toBe(false);
      await client.ended;
      expect(await it_.engine.inspectContainer(name)).toMatchObject({ running: false, exitCode: 42 });
      await it_.engine.removeContainer(name);
    });

    it('removes a running container by force', async () => {
      const run = start({ command: ['sleep', '300'], init: true });
      const client = await run.client;
      await until(run.spec.name ?? '', (seen) => seen?.running === true);
      await it_.engine.removeContainer(run.spec.name ?? '');
      expect(await it_.engine.inspectContainer(run.spec.name ?? '')).toBeNull();
      await client.ended;
    });

    it('starts a container that goes on by itself, runs a program in it, and removes it', async () => {
      const named = { ...spec({ command: ['sleep', '300'], init: true }), name: `kraft-c${randomHex16()}` };
      const id = await it_.engine.startContainer(named);
      expect(await it_.engine.inspectContainer(named.name)).toMatchObject({ id, running: true });
      const options = { input: 'in ', timeoutMs: 30_000 };
      const done = await it_.engine.exec(named.name, ['sh', '-c', 'cat; echo out; echo err >&2; exit 7'], options);
      expect(done).toMatchObject({ exitCode: 7, stdout: 'in out\n', timedOut: false });
      expect(done.stderr).toContain('err');
      await it_.engine.removeContainer(named.name);
      expect((await it_.engine.exec(named.name, ['true'], { input: null, timeoutMs: 30_000 })).exitCode).not.toBe(0);
    });

    it('fails a start that cannot be done with the reason, and keeps nothing of it', async () => {
      const name = `kraft-c${randomHex16()}`;
      const image = 'localhost/kraft-no-such-image:1';
      await expect(it_.engine.startContainer({ ...spec({ image, pull: 'never' }), name })).rejects.toMatchObject({
        code: 'KRAFT_CONTAINER_NOT_STARTED',
        message: expect.stringContaining('kraft-no-such-image') as string,
      });
      expect(await it_.engine.inspectContainer(name)).toBeNull();
    });

    it('takes removing and signalling what is not there for done', async () => {
      await it_.engine.removeContainer('kraft-no-such-container');
      await it_.engine.killContainer('kraft-no-such-container', 'SIGTERM');
      expect(await it_.engine.inspectContainer('kraft-no-such-container')).toBeNull();
    });

    it('lists no container of another home (SI-9.1 A24)', async () => {
      expect(await it_.engine.listContainers({ key: 'kraft.home', value: `${home}/other` })).toEqual([]);
    });

    it('builds an image under its tags and lists it with its labels', async () => {
      const tag = 'localhost/kraft-contract:built'; // the same each time, so that runs leave one image at most
      const lines: string[] = [];
      writeFileSync(join(dir, 'Dockerfile'), `FROM ${it_.image}\nENV CONTRACT=yes\n`);
      await it_.engine.buildImage({
        contextDir: dir,
        tags: [tag],
        labels: { 'kraft.contract': 'yes' },
        timeoutMs: 120_000,
        onProgress: (line) => lines.push(line),
      });
      const [image] = await it_.engine.listImages(tag);
      expect(image?.labels).toMatchObject({ 'kraft.contract': 'yes' });
      expect(image?.tags).toContain(tag);
      expect(lines).not.toEqual([]);
    });

    it('fails a build that cannot be done, with the reason', async () => {
      const contextDir = join(dir, 'empty');
      mkdirSync(contextDir);
      chmodSync(contextDir, 0o777);
      const tags = ['localhost/kraft-contract:never'];
      await expect(
        it_.engine.buildImage({ contextDir, tags, labels: {}, timeoutMs: 120_000, onProgress: null }),
      ).rejects.toMatchObject({
        code: 'KRAFT_IMAGE_BUILD_FAILED',
        message: expect.stringContaining('Dockerfile') as string,
      });
    });
  });
}

/** A spec that asks for nothing. */
export const plainSpec: ContainerSpec = {
  name: null,
  labels: {},
  image: '',
  command: [],
  entrypoint: null,
  user: null,
  userNamespace: null,
  mounts: [],
  tmpfs: {},
  workingDir: null,
  envLiterals: {},
  envNames: [],
  network: 'none',
  limits: { cpu: null, memoryBytes: null, closeSwap: false, pids: null },
  init: false,
  readOnlyRoot: false,
  interactive: false,
  cidFile: null,
  pull: null,
  selinux: null,
};
