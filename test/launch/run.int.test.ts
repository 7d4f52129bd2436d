import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { KraftError } from '../../src/base/index.ts';
import { readDroppedRange } from '../../src/launch/index.ts';
import { runtimeErrors, type ClientCommand, type ContainerSpec, type ContainerState } from '../../src/runtime/index.ts';
import { FakeEngine } from '../support/fake-engine.ts';
import { answerVerification, openHome, readLog, startShell, until, type Home } from './home.ts';
import { plainRepo, plainSandbox } from './sample-launch.ts';

async function failure(promise: Promise<unknown>): Promise<KraftError> {
  return promise.then(
    () => expect.unreachable('nothing was refused'),
    (error: unknown) => error as KraftError,
  );
}

/** Named containers that were run: everything but probes. */
function started(home: Home): readonly ContainerSpec[] {
  return home.engine.specs.filter((spec) => spec.name !== null);
}

describe('a launch', () => {
  it('runs in the worktree with its own HOME and results, and takes the result from the file', async () => {
    const home = openHome();
    const result = '{"status":"done_with_concerns","concerns":"look here","summary":"did it"}';
    const { plan, running } = await startShell(
      home,
      `pwd; echo '${result}' > "$KRAFT_RESULT_PATH"; touch "$HOME/kept"; exit 4`,
    );
    const finished = await running.finished;
    expect(finished).toEqual({
      status: 'done_with_concerns',
      reason: null,
      code: null,
      remedy: null,
      exitCode: 4,
      oom: null,
      output: null,
      result: {
        status: 'done_with_concerns',
        concerns: 'look here',
        question: null,
        summary: 'did it',
        costUsd: null,
        model: null,
        usage: null,
        findings: [],
        droppedFindings: 0,
        verdict: null,
        suggestedAction: null,
      },
      leftBehind: null,
    });
    expect(readLog(plan)).toBe(`${home.worktree}\n`);
    expect(existsSync(join(home.paths.run, 'sandbox-home/abc/kept'))).toBe(true);
  });

  it('leaves log, exit code and result, and neither container nor client directory', async () => {
    const home = openHome();
    const { plan, running } = await startShell(home, 'echo out; echo err >&2');
    await running.finished;
    expect(readLog(plan)).toBe('out\nerr\n');
    expect(readFileSync(plan.track.exitPath, 'utf8')).toBe('0\n');
    expect(existsSync(plan.track.clientDir)).toBe(false);
    expect(home.engine.removed).toContain(plan.track.container);
    // What the engine called it is known after it is gone.
    expect(running.containerId).toMatch(/^[0-9a-f]{32}$/);
  });

  it('makes its own files for this user alone, whatever the umask', async () => {
    const home = openHome();
    const before = process.umask(0);
    const { plan, running } = await startShell(home, 'true').finally(() => process.umask(before));
    await running.finished;
    const modes = [dirname(plan.track.logPath), String(plan.resultDir), join(home.paths.run, 'sandbox-home/abc')].map(
      (path) => statSync(path).mode & 0o777,
    );
    expect(modes).toEqual([0o700, 0o700, 0o700]);
    expect(statSync(plan.track.logPath).mode & 0o777).toBe(0o600);
  });

  it('gives variables by name: the value of the repository before that of the daemon, and none that is unset', async () => {
    const home = openHome();
    home.env['BOTH'] = 'of-the-daemon';
    home.env['PASSED'] = 'pa55ed';
    const repo = { ...plainRepo, env: { BOTH: 'of-the-repository' }, envPassthrough: ['PASSED', 'UNSET', 'BOTH'] };
    const { plan, running } = await startShell(home, 'echo "$BOTH $PASSED ${UNSET-unset}"', { repo });
    await running.finished;
    expect(readLog(plan)).toBe('of-the-repository pa55ed unset\n');
    expect(JSON.stringify(started(home))).not.toMatch(/pa55ed|of-the-repository/u);
  });

  it('of a setup command has no results, and its exit code is its status', async () => {
    const home = openHome();
    const { plan, running } = await startShell(home, 'echo "[$KRAFT_RESULT_PATH]"; exit 3', {
      role: 'setup',
      phase: 'install',
    });
    expect(await running.finished).toMatchObject({
      status: 'failed',
      exitCode: 3,
      reason: 'it ended with exit code 3',
    });
    expect(readLog(plan)).toBe('[]\n');
    expect(existsSync(join(home.paths.run, 'results', plan.track.sessionId))).toBe(false);
  });
});

describe('the config files of an agent', () => {
  const configDir = { variable: 'SETTINGS', names: null, files: { 'own.json': '{"kept":true}\n' } };

  it('are there before anything runs, for every user of the container, and gone behind it', async () => {
    const home = openHome();
    const seen: string[] = [];
    home.engine.onThrowaway = (spec) => {
      const mount = spec.mounts.find(({ target }) => target === '/kraft/agent-config/own.json');
      if (mount !== undefined)
        seen.push(readFileSync(mount.source, 'utf8'), (statSync(mount.source).mode & 0o777).toString(8));
      return answerVerification(spec);
    };
    const { plan, running } = await startShell(home, 'true', { configDir });
    await running.finished;
    expect(seen).toEqual([configDir.files['own.json'], '644']);
    expect(plan.files.filter(({ path }) => existsSync(path))).toEqual([]);
  });

  it('are written anew over what is in their place, and a link is not followed', async () => {
    const home = openHome();
    const request = home.request({ configDir });
    const plan = await home.launcher.plan(request);
    const path = plan.files[0]?.path ?? expect.unreachable('no file is planned');
    const elsewhere = join(home.worktree, 'elsewhere');
    writeFileSync(elsewhere, 'as it was');
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(elsewhere, path);
    let written = '';
    await home.launcher.start(plan, request.repo, {
      confirm: () => {
        written = readFileSync(path, 'utf8');
        return Promise.resolve(false);
      },
      onProgress: null,
    });
    expect(written).toBe(configDir.files['own.json']);
    expect(readFileSync(elsewhere, 'utf8')).toBe('as it was');
  });

  it('of a launch that never ended are swept with its client’s directory', async () => {
    const home = openHome();
    const request = home.request({ configDir });
    const plan = await home.launcher.plan(request);
    const path = plan.files[0]?.path ?? expect.unreachable('no file is planned');
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, '{}');
    await home.launcher.sweep({ sessionIds: [request.sessionId], itemIds: ['abc'] });
    expect(existsSync(path)).toBe(true);
    await home.launcher.sweep({ sessionIds: [], itemIds: ['abc'] });
    expect(existsSync(path)).toBe(false);
  });
});

describe('before a launch starts', () => {
  it('the walk has the last word', async () => {
    const home = openHome();
    const request = home.request();
    const plan = await home.launcher.plan(request);
    const answer = await home.launcher.start(plan, request.repo, {
      confirm: () => Promise.resolve(false),
      onProgress: null,
    });
    expect(answer).toBeNull();
    expect(started(home)).toEqual([]);
    expect(existsSync(plan.track.clientDir)).toBe(false);
  });

  // PF-G21, PF-G22
  it('one look inside per item finds every mount as planned, and a wrong one stops it', async () => {
    const home = openHome();
    home.engine.onThrowaway = (spec) => {
      const answer = answerVerification(spec);
      return answer === null ? null : { ...answer, stdout: answer.stdout.replace(' /kraft/home ', ' /elsewhere ') };
    };
    const error = await failure(startShell(home, 'true'));
    expect(error.code).toBe('KRAFT_SANDBOX_MOUNTS_WRONG');
    expect(error.message).toContain('/kraft/home is not mounted');
    expect(started(home)).toEqual([]);
    home.engine.onThrowaway = answerVerification;
    const looks = (): number =>
      home.engine.specs.filter((spec) => JSON.stringify(spec.command).includes('mountinfo')).length;
    await (
      await startShell(home, 'true')
    ).running.finished;
    await (
      await startShell(home, 'true')
    ).running.finished;
    expect(looks()).toBe(2);
  });

  // PF-U01: the first container under keep-id may copy the whole image.
  it('says why a first one takes long, once per item, and takes that time out of the time cap', async () => {
    const home = openHome(new FakeEngine({ kind: 'podman', facts: { rootless: true } }));
    const said: string[] = [];
    const run = async (): Promise<string> => {
      const plan = await home.launcher.plan(home.request({ command: ['true'], timeCapMs: 60_000 }));
      const hooks = { confirm: () => Promise.resolve(true), onProgress: (line: string) => said.push(line) };
      const running = await home.launcher.start(plan, plainRepo, hooks);
      return (await running?.finished)?.status ?? 'not started';
    };
    home.engine.onThrowaway = (spec) => {
      // The cap runs from the start of the client, which comes after this look.
      expect(started(home)).toEqual([]);
      return answerVerification(spec);
    };
    expect(await run()).not.toBe('capped_out');
    home.engine.onThrowaway = answerVerification;
    await run();
    expect(said).toEqual([expect.stringContaining('minutes')]);
  });

  it('an engine that cannot make the container says so in its own words', async () => {
    const home = openHome();
    const words = 'Error: potentially insufficient UIDs or GIDs available in user namespace';
    home.engine.onThrowaway = (spec) =>
      spec.command.join().includes('mountinfo') ? { exitCode: 125, stdout: '', stderr: words, timedOut: false } : null;
    expect((await failure(startShell(home, 'true'))).code).toBe('KRAFT_SUBORDINATE_IDS_TOO_FEW');
  });

  // SI 1.10
  it('a path of another owner stops it on a rootless engine', async () => {
    const home = openHome(new FakeEngine({ kind: 'podman', facts: { rootless: true } }));
    const launcher = home.open({ uid: (process.getuid?.() ?? 0) + 1 });
    const error = await failure(startShell(home, 'true', {}, launcher));
    expect(error.code).toBe('KRAFT_FOREIGN_OWNER');
    expect(error.message).toContain('sandbox-home/abc');
  });

  it('a link in place of a directory of Kraft’s own stops it', async () => {
    const home = openHome();
    mkdirSync(join(home.paths.run, 'sandbox-home'));
    symlinkSync(home.worktree, join(home.paths.run, 'sandbox-home/abc'));
    const error = await failure(startShell(home, 'true'));
    expect(error.code).toBe('KRAFT_STATE_PATH_REFUSED');
  });
});

describe('a launch that Kraft ends', () => {
  it('hears SIGINT first when it is paused, and what it still says is kept', async () => {
    const home = openHome();
    const { plan, running } = await startShell(
      home,
      'trap "echo flushed; exit 7" INT; echo up; while :; do sleep 0.02; done',
    );
    await until(() => readLog(plan).includes('up'));
    running.stop('pause');
    running.stop('cancel');
    expect(await running.finished).toMatchObject({ status: 'paused', exitCode: 7, output: null, leftBehind: null });
    expect(readLog(plan)).toBe('up\nflushed\n');
  });

  it('is killed after the grace when it does not listen', async () => {
    const home = openHome();
    const { plan, running } = await startShell(home, 'trap "" INT TERM; echo up; while :; do sleep 0.02; done');
    await until(() => readLog(plan).includes('up'));
    running.stop('pause');
    expect(await running.finished).toMatchObject({ status: 'paused', exitCode: 137, oom: null });
  });

  it('is capped out at its time cap', async () => {
    const home = openHome();
    const { running } = await startShell(home, 'sleep 60', { timeCapMs: 300 });
    expect(await running.finished).toMatchObject({ status: 'capped_out', reason: 'its time cap was reached' });
  });

  it('is failed when it was cancelled, even beside a result', async () => {
    const home = openHome();
    const { plan, running } = await startShell(
      home,
      'echo "{\\"status\\":\\"done\\"}" > "$KRAFT_RESULT_PATH"; echo up; exec sleep 60',
    );
    await until(() => readLog(plan).includes('up'));
    running.stop('cancel');
    expect(await running.finished).toMatchObject({ status: 'failed', reason: 'it was cancelled', exitCode: 143 });
  });
});

/** An engine whose word on a container differs from what its client did. */
class TellingEngine extends FakeEngine {
  say: ((name: string) => ContainerState | null) | null = null;

  override async inspectContainer(name: string): Promise<ContainerState | null> {
    return this.say === null ? await super.inspectContainer(name) : this.say(name);
  }
}

const ended: ContainerState = {
  id: 'c',
  running: false,
  pid: null,
  exitCode: 0,
  oomKilled: false,
  memoryLimitBytes: 0,
};

// PF-R20
describe('the attached stream', () => {
  it('decides nothing: a client that is lost leaves the container to go on, and the log is said to lack the rest', async () => {
    const engine = new TellingEngine();
    const home = openHome(engine);
    const { plan, running } = await startShell(home, 'echo up; sleep 60');
    await until(() => readLog(plan).includes('up'));
    let polls = 0;
    engine.say = () => (++polls < 8 ? { ...ended, running: true, exitCode: null } : ended);
    process.kill(-running.client.pid, 'SIGKILL');
    const finished = await running.finished;
    expect(polls).toBe(8);
    expect(finished).toMatchObject({ status: 'done', exitCode: 0 });
    expect(finished.output?.reason).toContain('ended before the container');
  });

  it('is incomplete when client and container ended differently, and the result counts all the same', async () => {
    const engine = new TellingEngine();
    const home = openHome(engine);
    engine.say = () => ended;
    const { running } = await startShell(home, 'echo "{\\"status\\":\\"done\\"}" > "$KRAFT_RESULT_PATH"; exit 9');
    const finished = await running.finished;
    expect(finished).toMatchObject({ status: 'done', exitCode: 0 });
    expect(finished.output?.reason).toContain('ended with code 9 and the container with 0');
  });

  it('may end while the engine gives no answer: the launch ends within its bound, on what the client says', async () => {
    const engine = new TellingEngine();
    const home = openHome(engine);
    engine.say = () => {
      throw runtimeErrors.create('ENGINE_TIMEOUT', { cli: 'fake', call: 'inspect', timeoutMs: 1 });
    };
    const { running } = await startShell(home, 'exit 5');
    expect(await running.finished).toMatchObject({ status: 'failed', exitCode: 5, leftBehind: null });
  });
});

// PF-X03, X08: what became of the engine says nothing about the task.
describe('a session whose engine is lost', () => {
  const silent = (): never => {
    throw runtimeErrors.create('ENGINE_TIMEOUT', { cli: 'fake', call: 'inspect', timeoutMs: 1 });
  };
  it.each([
    ['was restarted while it ran', 'exit 125', () => ({ ...ended, exitCode: 143 }), 'connection to it broke'],
    ['was reset, the container with it', 'exit 137', () => null, 'removed by somebody else'],
    ['gives no answer any more', 'exit 125', silent, 'gives no answer'],
  ])('because it %s is of unknown end', async (_how, script, say, reason) => {
    const engine = new TellingEngine();
    const home = openHome(engine);
    engine.say = say;
    const { running } = await startShell(home, script, { role: 'agent' });
    const finished = await running.finished;
    expect(finished).toMatchObject({ status: 'unknown', code: 'KRAFT_ENGINE_LOST' });
    expect(finished.reason).toContain(reason);
  });

  it('has failed all the same where the task itself ended with that code', async () => {
    const engine = new TellingEngine();
    const home = openHome(engine);
    engine.say = () => ({ ...ended, exitCode: 125 });
    const { running } = await startShell(home, 'exit 125');
    expect(await running.finished).toMatchObject({ status: 'failed', exitCode: 125 });
  });

  it('in good order, which ends the container by a signal first, is of unknown end too', async () => {
    const engine = new TellingEngine();
    const home = openHome(engine);
    // What watches the memory asks too, until the end is known.
    let told = 0;
    engine.say = () => {
      if (!existsSync(join(home.worktree, 'over'))) return { ...ended, running: true, exitCode: null };
      told += 1;
      return told <= 2 ? { ...ended, exitCode: 143 } : silent();
    };
    const { running } = await startShell(home, 'touch over; exit 143', { role: 'agent' });
    const finished = await running.finished;
    expect(finished).toMatchObject({ status: 'unknown', code: 'KRAFT_ENGINE_LOST' });
    expect(finished.reason).toContain('went down');
  });

  it('is not what ended by a signal while the engine stays', async () => {
    const engine = new TellingEngine();
    const home = openHome(engine);
    engine.say = () => ({ ...ended, exitCode: 137 });
    const { running } = await startShell(home, 'exit 137', { role: 'agent' });
    expect(await running.finished).toMatchObject({ status: 'failed', exitCode: 137 });
  });
});

class RefusingEngine extends FakeEngine {
  override clientCommand(spec: ContainerSpec, env: Readonly<Record<string, string>>): ClientCommand {
    const command = super.clientCommand(spec, env);
    if (spec.name === null) return command;
    const text =
      'echo "docker: Error response from daemon: no room." >&2; echo "See \'docker run --help\'." >&2; exit 125';
    return { ...command, args: ['-c', text] };
  }
}

describe('a container that was never created', () => {
  it('is no other from one that was made and could not be started: the engine’s words say why', async () => {
    const engine = new TellingEngine();
    engine.say = () => ({ ...ended, exitCode: null });
    const script = 'echo "OCI runtime create failed: no such device." >&2; exit 127';
    const { running } = await startShell(openHome(engine), script, { role: 'agent' });
    expect(await running.finished).toMatchObject({
      status: 'config_error',
      code: 'KRAFT_CONTAINER_NOT_CREATED',
      reason: 'The engine did not create the container: OCI runtime create failed: no such device.',
    });
  });

  it('makes a configuration error with the words of the engine', async () => {
    const home = openHome(new RefusingEngine());
    const { running } = await startShell(home, 'true', { role: 'agent' });
    const finished = await running.finished;
    expect(finished).toMatchObject({
      status: 'config_error',
      code: 'KRAFT_CONTAINER_NOT_CREATED',
      exitCode: 125,
      output: null,
    });
    expect(finished.reason).toBe(
      'The engine did not create the container: docker: Error response from daemon: no room.',
    );
    expect(finished.remedy).toContain('kraft item retry');
  });

  // SI-9.1 A23
  it('is Podman’s exit code 125 alone; 3 and 127 are of the task', async () => {
    for (const [code, status] of [
      [125, 'config_error'],
      [3, 'failed'],
      [127, 'failed'],
    ] as const) {
      const home = openHome(new FakeEngine({ kind: 'podman' }));
      const { running } = await startShell(home, `exit ${code}`);
      expect(await running.finished).toMatchObject({ status, exitCode: code });
    }
  });
});

describe('a container that cannot be removed', () => {
  it('is told, so that nobody publishes under it; everything else is done', async () => {
    class StickyEngine extends FakeEngine {
      override removeContainer(): Promise<void> {
        return Promise.reject(
          runtimeErrors.create('ENGINE_CALL_FAILED', { cli: 'fake', call: 'rm', why: 'it is busy' }),
        );
      }
    }
    const home = openHome(new StickyEngine());
    const { plan, running } = await startShell(home, 'true');
    const finished = await running.finished;
    expect(finished).toMatchObject({ status: 'done', exitCode: 0 });
    expect(finished.leftBehind).toContain('it is busy');
    expect(existsSync(plan.track.clientDir)).toBe(false);
  });
});

// SI 6.4, SI-9.3 C11
describe('the memory limit', () => {
  const sandbox = { ...plainSandbox, resources: { cpu: null, memoryBytes: 32 * 1024 ** 2, pids: null } };

  it('that killed the container makes a configuration error that names it', async () => {
    const home = openHome();
    const { plan, running } = await startShell(home, 'echo up; while [ ! -e go ]; do sleep 0.02; done; exit 1', {
      sandbox,
    });
    await until(() => readLog(plan).includes('up'));
    home.engine.markOomKilled(plan.track.container);
    writeFileSync(join(home.worktree, 'go'), '');
    const finished = await running.finished;
    expect(finished).toMatchObject({
      status: 'config_error',
      code: 'KRAFT_MEMORY_LIMIT_REACHED',
      oom: { memoryBytes: 32 * 1024 ** 2, confirmed: true },
    });
    expect(finished.reason).toContain('32m');
  });

  it('may have killed one that ended with 137, and that is said to be unconfirmed', async () => {
    const home = openHome();
    const { running } = await startShell(home, 'kill -9 $$', { sandbox });
    expect(await running.finished).toMatchObject({ status: 'config_error', oom: { confirmed: false }, exitCode: 137 });
  });

  // SI-9.3 C10
  it('shows on Podman by the file that conmon leaves where the client ran', async () => {
    const home = openHome(new FakeEngine({ kind: 'podman' }));
    const { plan, running } = await startShell(home, 'echo up; while [ ! -e go ]; do sleep 0.02; done; exit 137', {
      sandbox,
    });
    await until(() => readLog(plan).includes('up'));
    writeFileSync(join(plan.track.clientDir, 'oom'), '');
    writeFileSync(join(home.worktree, 'go'), '');
    expect(await running.finished).toMatchObject({ oom: { confirmed: true } });
    expect(existsSync(plan.track.clientDir)).toBe(false);
  });
});

describe('the log of a launch', () => {
  const logCap = { headBytes: 64 * 1024, tailBytes: 64 * 1024, slackBytes: 64 * 1024 };
  const chatter =
    'echo first; i=0; while [ $i -lt 4000 ]; do echo "line $i ........................................................................................................................"; i=$((i+1)); done; echo last';

  it('is kept under its cap by a hole in its middle, and the session goes on', async () => {
    const home = openHome();
    const { plan, running } = await startShell(home, chatter, {}, home.open({ logCap }));
    const finished = await running.finished;
    const dropped = await readDroppedRange(plan.track.logPath);
    const log = readFileSync(plan.track.logPath);
    expect(finished.status).toBe('done');
    expect(finished.output?.droppedBytes).toBe(Number(dropped?.to) - Number(dropped?.from));
    expect(log.subarray(0, 6).toString()).toBe('first\n');
    expect(log.subarray(-5).toString()).toBe('last\n');
    expect(log.subarray(dropped?.from, dropped?.to).every((byte) => byte === 0)).toBe(true);
    expect(log.length - Number(finished.output?.droppedBytes)).toBeLessThan(200 * 1024);
    expect(statSync(plan.track.logPath).blocks * 512).toBeLessThan(220 * 1024);
    expect(log.subarray(0, dropped?.from).includes(0)).toBe(false);
    expect(log.subarray(dropped?.to).includes(0)).toBe(false);
    expect(statSync(`${plan.track.logPath}.cap.json`).mode & 0o777).toBe(0o600);
  });

  it('stops the session when no hole can be made, so that the disk does not fill', async () => {
    const home = openHome();
    const launcher = home.open({ logCap });
    home.env['PATH'] = '/nonexistent';
    const { running } = await startShell(home, `${chatter}; sleep 60`, {}, launcher);
    expect(await running.finished).toMatchObject({ status: 'config_error', code: 'KRAFT_LOG_CAP_FAILED' });
  });
});
