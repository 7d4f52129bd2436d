import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  setupSessionId,
  type Adoption,
  type LaunchPlan,
  type Launcher,
  type RunningLaunch,
} from '../../src/launch/index.ts';
import { isAlive } from '../../src/process/index.ts';
import { runtimeErrors, type ContainerState } from '../../src/runtime/index.ts';
import { FakeEngine } from '../support/fake-engine.ts';
import { openHome, quickBounds, readLog, recordOf, startShell, until, type Home } from './home.ts';

interface Left {
  readonly home: Home;
  readonly plan: LaunchPlan;
  readonly running: RunningLaunch;
  /** The next daemon's. */
  readonly launcher: Launcher;
}

/** A session whose daemon went away while it ran. */
async function leave(script: string, home = openHome()): Promise<Left> {
  const first = home.open();
  const { plan, running } = await startShell(home, `echo up; ${script}`, {}, first);
  await until(() => readLog(plan).includes('up'));
  await first[Symbol.asyncDispose]();
  return { home, plan, running, launcher: home.open() };
}

function go(left: Left): void {
  writeFileSync(join(left.home.worktree, 'go'), '');
}

/** Lets it end while no daemon is there. */
async function endAlone(left: Left): Promise<void> {
  go(left);
  await until(() => existsSync(left.plan.track.exitPath) && !isAlive(left.running.client));
}

function adopted(adoption: Adoption): RunningLaunch {
  return adoption.kind === 'adopted' ? adoption.running : expect.unreachable(`it is ${adoption.kind}`);
}

const wait = 'while [ ! -e go ]; do sleep 0.02; done';
const report = 'echo "{\\"status\\":\\"done\\"}" > "$KRAFT_RESULT_PATH"';

describe('a session that runs when the daemon comes back', () => {
  it('is taken over with everything that it printed meanwhile, and its first daemon does nothing more', async () => {
    const left = await leave(`${wait}; echo end; ${report}`);
    expect(left.home.engine.removed).toEqual([]);
    const running = adopted(await left.launcher.adopt(recordOf(left.plan, left.running)));
    go(left);
    expect(await running.finished).toMatchObject({
      status: 'done',
      exitCode: 0,
      output: null,
      result: { status: 'done' },
    });
    expect(readLog(left.plan)).toBe('up\nend\n');
    expect(await Promise.race([left.running.finished, Promise.resolve('unsettled')])).toBe('unsettled');
  });

  it('can be paused as before', async () => {
    const left = await leave(`trap "exit 7" INT; echo trapped; ${wait}`);
    await until(() => readLog(left.plan).includes('trapped'));
    const running = adopted(await left.launcher.adopt(recordOf(left.plan, left.running)));
    running.stop('pause');
    expect(await running.finished).toMatchObject({ status: 'paused', exitCode: 7 });
  });

  it('keeps the time cap that it was launched under, its time without a daemon included', async () => {
    const left = await leave(wait);
    const running = adopted(await left.launcher.adopt(recordOf(left.plan, left.running, { timeCapMs: 1 })));
    expect(await running.finished).toMatchObject({ status: 'capped_out' });
  });
});

/** An engine whose word on a container is the test's. */
class TellingEngine extends FakeEngine {
  say: (() => ContainerState | null) | null = null;

  override async inspectContainer(name: string): Promise<ContainerState | null> {
    return this.say === null ? await super.inspectContainer(name) : this.say();
  }
}

const over: ContainerState = { id: 'c', running: false, pid: null, exitCode: 0, oomKilled: false, memoryLimitBytes: 0 };

describe('a session whose client is gone', () => {
  it('goes on while its container lives, and is resolved by that', async () => {
    const engine = new TellingEngine();
    const left = await leave(wait, openHome(engine));
    process.kill(-left.running.client.pid, 'SIGKILL');
    await until(() => !isAlive(left.running.client));
    let polls = 0;
    engine.say = () => (++polls < 5 ? { ...over, running: true, exitCode: null } : over);
    const running = adopted(await left.launcher.adopt(recordOf(left.plan, left.running)));
    const finished = await running.finished;
    expect(finished).toMatchObject({ status: 'done', exitCode: 0 });
    expect(finished.output?.reason).toContain('ended before the container');
  });

  it.each([
    { what: 'its result, whatever its code', script: `${wait}; ${report}; exit 3`, harness: 'demo', status: 'done' },
    { what: 'its exit code, when it is no agent', script: `${wait}; exit 3`, harness: null, status: 'failed' },
    { what: 'the lack of a result, when it is an agent', script: wait, harness: 'demo', status: 'failed' },
  ])('is resolved from $what', async ({ script, harness, status }) => {
    const left = await leave(script);
    await endAlone(left);
    const adoption = await left.launcher.adopt(recordOf(left.plan, left.running, { harness }));
    expect(adoption).toMatchObject({ kind: 'ended', finished: { status } });
    expect(left.home.engine.removed).toContain(left.plan.track.container);
    expect(existsSync(left.plan.track.clientDir)).toBe(false);
  });

  // PF-X03: what a machine or an engine that goes down does says nothing about the task.
  it('and that a signal ended while nobody watched is of unknown end', async () => {
    const left = await leave(`${wait}; exit 143`);
    await endAlone(left);
    const adoption = await left.launcher.adopt(recordOf(left.plan, left.running, { harness: 'demo' }));
    expect(adoption).toMatchObject({ kind: 'ended', finished: { status: 'unknown', code: 'KRAFT_ENGINE_LOST' } });
  });

  // SI-9.3 C13
  it('is asked about its memory limit before its container goes', async () => {
    const engine = new TellingEngine();
    const left = await leave(wait, openHome(engine));
    await endAlone(left);
    engine.say = () => ({ ...over, exitCode: 137, oomKilled: true, memoryLimitBytes: 33_554_432 });
    const adoption = await left.launcher.adopt(recordOf(left.plan, left.running));
    expect(adoption).toMatchObject({
      kind: 'ended',
      finished: { status: 'config_error', oom: { memoryBytes: 33_554_432, confirmed: true } },
    });
  });

  // SI 6.4: exit 137 counts only when Kraft itself did not stop it.
  it('and that an earlier daemon was stopping is paused, and its 137 is nobody else’s', async () => {
    const engine = new TellingEngine();
    const left = await leave(wait, openHome(engine));
    await endAlone(left);
    engine.say = () => ({ ...over, exitCode: 137, oomKilled: false, memoryLimitBytes: 33_554_432 });
    const record = recordOf(left.plan, left.running, { harness: 'demo', stopRequested: true });
    const adoption = await left.launcher.adopt(record);
    expect(adoption).toMatchObject({ kind: 'ended', finished: { status: 'paused', oom: null } });
  });

  it('and that had ended by itself keeps its result, though a pause had been asked for', async () => {
    const left = await leave(`${wait}; ${report}`);
    await endAlone(left);
    const adoption = await left.launcher.adopt(recordOf(left.plan, left.running, { stopRequested: true }));
    expect(adoption).toMatchObject({ kind: 'ended', finished: { status: 'done' } });
  });

  it('and that was torn down already is not taken for one that never was', async () => {
    const left = await leave(wait);
    await endAlone(left);
    await left.home.engine.removeContainer(left.plan.track.container);
    rmSync(left.plan.track.clientDir, { recursive: true });
    const adoption = await left.launcher.adopt(recordOf(left.plan, left.running));
    expect(adoption).toMatchObject({ kind: 'ended', finished: { status: 'done', exitCode: 0 } });
  });

  it('and that left no evidence is unknown; its container goes', async () => {
    const engine = new TellingEngine();
    const left = await leave(wait, openHome(engine));
    await endAlone(left);
    rmSync(left.plan.track.exitPath);
    engine.say = () => null;
    const adoption = await left.launcher.adopt(recordOf(left.plan, left.running));
    expect(adoption).toMatchObject({ kind: 'unknown', leftBehind: null });
    expect(adoption).toHaveProperty('reason', expect.stringContaining('is gone'));
    expect(engine.removed).toContain(left.plan.track.container);
  });

  it('of another boot is unknown, whatever code its container has from the machine going down', async () => {
    const engine = new TellingEngine();
    const left = await leave(wait, openHome(engine));
    await endAlone(left);
    rmSync(left.plan.track.exitPath);
    engine.say = () => ({ ...over, exitCode: 255 });
    const record = recordOf(left.plan, left.running, { bootId: 'another-boot' });
    expect(await left.launcher.adopt(record)).toHaveProperty(
      'reason',
      expect.stringContaining('the machine was restarted'),
    );
  });

  it('is never taken for another process that has its number now', async () => {
    const engine = new TellingEngine();
    const left = await leave(wait, openHome(engine));
    await endAlone(left);
    rmSync(left.plan.track.exitPath);
    engine.say = () => null;
    const record = recordOf(left.plan, left.running, { pid: process.pid });
    expect(await left.launcher.adopt(record)).toHaveProperty('reason', expect.stringContaining('is another one now'));
  });

  it('is unknown when the engine gives no answer either, and what could not be removed is told', async () => {
    class SilentEngine extends TellingEngine {
      override removeContainer(): Promise<void> {
        return Promise.reject(runtimeErrors.create('ENGINE_TIMEOUT', { cli: 'fake', call: 'rm', timeoutMs: 1 }));
      }
    }
    const engine = new SilentEngine();
    const left = await leave(wait, openHome(engine));
    await endAlone(left);
    rmSync(left.plan.track.exitPath);
    engine.say = () => {
      throw runtimeErrors.create('ENGINE_TIMEOUT', { cli: 'fake', call: 'inspect', timeoutMs: 1 });
    };
    const adoption = await left.launcher.adopt(recordOf(left.plan, left.running));
    expect(adoption).toMatchObject({ kind: 'unknown' });
    expect(adoption).toHaveProperty('leftBehind', expect.stringContaining('no answer'));
  });
});

describe('a session whose start was never confirmed', () => {
  it('is torn down and unknown, even when something runs under its name', async () => {
    const left = await leave(wait);
    const adoption = await left.launcher.adopt(recordOf(left.plan, left.running, { pid: null }));
    expect(adoption).toMatchObject({ kind: 'unknown', leftBehind: null });
    await until(() => !isAlive(left.running.client));
    expect(left.home.engine.removed).toEqual([left.plan.track.container]);
  });
});

// SI 1.16, SI-9.1 A24, PF-G16, PF-X01
describe('sweep', () => {
  it('removes what no live session owns, with its client directory, and lets the others run', async () => {
    const home = openHome();
    const [live, dead] = [await leave(wait, home), await leave(wait, home)];
    const stray = join(home.paths.run, 'sandbox-client/kraft-gone');
    mkdirSync(stray);
    const report = await home.launcher.sweep({ sessionIds: [live.plan.track.sessionId], itemIds: [] });
    expect(report).toEqual({ removed: [dead.plan.track.container], problems: [] });
    expect(isAlive(live.running.client)).toBe(true);
    expect([live.plan.track.clientDir, dead.plan.track.clientDir, stray].map((dir) => existsSync(dir))).toEqual([
      true,
      false,
      false,
    ]);
    expect(readFileSync(dead.plan.track.logPath, 'utf8')).toBe('up\n');
  });

  it('touches nothing of another home on the same engine', async () => {
    const engine = new FakeEngine();
    const [mine, theirs] = [await leave(wait, openHome(engine)), await leave(wait, openHome(engine))];
    const report = await mine.launcher.sweep({ sessionIds: [], itemIds: [] });
    expect(report).toEqual({ removed: [mine.plan.track.container], problems: [] });
    expect(isAlive(theirs.running.client)).toBe(true);
    expect(existsSync(theirs.plan.track.clientDir)).toBe(true);
    expect(adopted(await theirs.launcher.adopt(recordOf(theirs.plan, theirs.running))).containerId).not.toBeNull();
  });

  it('removes the container that a client wrote down, drafts, codes and HOMEs that nobody owns, and keeps what has an owner', async () => {
    const home = openHome();
    const { run } = home.paths;
    const [id, gone] = ['d'.repeat(64), '4194304-0123456789abcdef'];
    const left = [
      'sandbox-client/kraft-gone/cid',
      `engine-client/throwaway-${gone}.cid`,
      `sandbox-image/a.json.${gone}.tmp`,
    ];
    const more = [`sandbox-ca/a.pem.${gone}.tmp`, 'results/gone.exit.tmp', 'sandbox-home/noitem/.cache/x'];
    const kept = ['sandbox-home/abc/.cache/x', 'results/live.exit.tmp', 'results/gone.exit', 'sandbox-image/a.json'];
    for (const path of [...left, ...more, ...kept]) {
      mkdirSync(dirname(join(run, path)), { recursive: true });
      writeFileSync(join(run, path), path.endsWith('/cid') ? id : '');
    }
    const report = await home.launcher.sweep({ sessionIds: ['live'], itemIds: ['abc'] });
    expect(report.problems).toEqual([]);
    expect(home.engine.removed).toEqual([id]);
    expect([...left, ...more].filter((path) => existsSync(join(run, path)))).toEqual([]);
    expect(kept.filter((path) => existsSync(join(run, path)))).toEqual(kept);
  });

  it('removes nothing when the list fails', async () => {
    class BlindEngine extends FakeEngine {
      override listContainers(): Promise<never> {
        return Promise.reject(runtimeErrors.create('ENGINE_TIMEOUT', { cli: 'fake', call: 'ps', timeoutMs: 1 }));
      }
    }
    const left = await leave(wait, openHome(new BlindEngine()));
    const swept = await left.launcher.sweep({ sessionIds: [], itemIds: [] });
    expect(swept.removed).toEqual([]);
    expect(swept.problems.join()).toContain('could not be listed');
    expect(left.home.engine.removed).toEqual([]);
    expect(existsSync(left.plan.track.clientDir)).toBe(true);
  });

  it('goes on past a container that cannot be removed, and tells it', async () => {
    class StickyEngine extends FakeEngine {
      override removeContainer(name: string): Promise<void> {
        return this.removed.length === 0 && this.removed.push(name) === 1
          ? Promise.reject(runtimeErrors.create('ENGINE_CALL_FAILED', { cli: 'fake', call: 'rm', why: 'it is busy' }))
          : super.removeContainer(name);
      }
    }
    const home = openHome(new StickyEngine());
    const [first, second] = [await leave(wait, home), await leave(wait, home)];
    const swept = await home.launcher.sweep({ sessionIds: [], itemIds: [] });
    expect(swept.removed).toEqual([second.plan.track.container]);
    expect(swept.problems.join()).toContain(`${first.plan.track.container} could not be removed`);
  });
});

// SI 1.15, 1.16: what was under way when the daemon died comes about after it.
describe('a client that nobody knows of', () => {
  it('is ended before its container is removed, so that it makes none afterwards', async () => {
    const left = await leave(wait);
    const engine = left.home.engine;
    const remove = engine.removeContainer.bind(engine);
    const seen: boolean[] = [];
    engine.removeContainer = (name) => {
      seen.push(isAlive(left.running.client));
      return remove(name);
    };
    const adoption = await left.launcher.adopt(recordOf(left.plan, left.running, { pid: null }));
    expect(adoption).toMatchObject({ kind: 'unknown', leftBehind: null });
    expect(seen).toEqual([false]);
  });

  it('is ended by the sweep too, when it belongs to no session (a setup command)', async () => {
    const left = await leave(wait);
    await left.launcher.sweep({ sessionIds: [], itemIds: [] });
    expect(isAlive(left.running.client)).toBe(false);
  });
});

// SI 1.15
describe('a session that is younger than half a minute', () => {
  it('is looked at once more, for its end may be about to be written down', async () => {
    const engine = new TellingEngine();
    const left = await leave(wait, openHome(engine));
    await endAlone(left);
    rmSync(left.plan.track.exitPath);
    let asked = 0;
    engine.say = () => {
      asked += 1;
      if (asked === 2) writeFileSync(left.plan.track.exitPath, '0\n');
      return null;
    };
    expect(await left.launcher.adopt(recordOf(left.plan, left.running))).toMatchObject({
      kind: 'ended',
      finished: { status: 'done', exitCode: 0 },
    });
  });

  it('is not, when it is older', async () => {
    const engine = new TellingEngine();
    const left = await leave(wait, openHome(engine));
    await endAlone(left);
    rmSync(left.plan.track.exitPath);
    let asked = 0;
    engine.say = () => ((asked += 1), null);
    const old = new Date(Date.now() - 31_000).toISOString();
    await left.launcher.adopt(recordOf(left.plan, left.running, { startedAt: old }));
    expect(asked).toBe(1);
  });

  it('shares its wait with the others of the scan', async () => {
    const home = openHome();
    const left = [await leave('true', home), await leave('true', home), await leave('true', home)];
    await until(() => left.every(({ running }) => !isAlive(running.client)));
    const launcher = home.open({ bounds: { ...quickBounds, lookAgainMs: 1_000 } });
    const beganMs = performance.now();
    const adoptions = await Promise.all(
      left.map(({ plan, running }) => launcher.adopt(recordOf(plan, running, { pid: null }))),
    );
    expect(adoptions.map(({ kind }) => kind)).toEqual(['unknown', 'unknown', 'unknown']);
    expect(performance.now() - beganMs).toBeGreaterThanOrEqual(990);
    expect(performance.now() - beganMs).toBeLessThan(2_000);
  });
});

// SI 1.17
describe('releaseItem', () => {
  it('removes the HOME of the item, read-only folders and all, and follows no link out of it', async () => {
    const home = openHome();
    const script =
      'mkdir -p "$HOME/mod/cache"; touch "$HOME/mod/cache/f"; chmod 0500 "$HOME/mod/cache" "$HOME/mod"; ln -s "$PWD" "$HOME/out"';
    const { running } = await startShell(home, script);
    await running.finished;
    writeFileSync(join(home.worktree, 'mine'), '');
    await home.launcher.releaseItem('abc');
    expect(existsSync(join(home.paths.run, 'sandbox-home/abc'))).toBe(false);
    expect(existsSync(join(home.worktree, 'mine'))).toBe(true);
    await home.launcher.releaseItem('abc');
  });
});

describe('releaseSessions', () => {
  it('removes what the item’s sessions and setup commands left, their logs when that is meant, and nothing of others', async () => {
    const home = openHome();
    const { run } = home.paths;
    const names = ['s1', setupSessionId('abc', 'x'), 's2', setupSessionId('abcd', 'x')];
    const left = (id: string): readonly string[] => [
      join(run, 'results', id, 'result.json'),
      join(run, 'results', `${id}.exit`),
      join(run, 'sandbox-client', `kraft-${id}`, 'cid'),
      join(run, 'logs', `${id}.log`),
      join(run, 'egress', `${id}.jsonl`),
    ];
    for (const path of names.flatMap(left)) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, '');
    }
    const there = (): readonly string[] => names.flatMap(left).filter((path) => existsSync(path));
    const others = names.slice(2).flatMap(left);

    await home.launcher.releaseSessions({ itemId: 'abc', sessionIds: ['s1'], logs: false });
    expect(there()).toEqual([...names.slice(0, 2).flatMap((id) => left(id).slice(3)), ...others]);

    await home.launcher.releaseSessions({ itemId: 'abc', sessionIds: ['s1'], logs: true });
    expect(there()).toEqual(others);
    await home.launcher.releaseSessions({ itemId: 'abc', sessionIds: ['s1'], logs: true });
  });
});
