import { type ChildProcess, spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  endOrphans,
  endProcessesIn,
  identify,
  listAbandoned,
  markStarted,
  temporaryName,
} from '../../src/process/index.ts';

function folder(): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'kraft-orphans-')));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** `sleep` under another name, with these variables and in this folder. */
async function start(name: string, env: Readonly<Record<string, string>>, cwd = tmpdir()): Promise<ChildProcess> {
  const program = join(folder(), name);
  copyFileSync('/bin/sleep', program);
  const child = spawn(program, ['60'], { env: { ...env }, cwd, stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'spawn');
  return child;
}

const lives = (child: ChildProcess): boolean => identify(child.pid ?? 0) !== null;

/** The mark of a process that is gone. */
function deadMark(dir: string): Record<string, string> {
  const [name = ''] = Object.keys(markStarted(dir));
  return { [name]: `${process.pid} 1 ${dir}` };
}

describe('processes that a daemon did not live to wait for', () => {
  it('are ended: those of git and of engines that were started for this directory by one that is gone', async () => {
    const dir = folder();
    const [git, docker] = [await start('git', deadMark(dir)), await start('docker', deadMark(dir))];
    expect(await endOrphans(dir, 2_000)).toBe(2);
    expect([git, docker].map(lives)).toEqual([false, false]);
  });

  it('are left alone while who started them lives, of another directory, and what they started for others', async () => {
    const [dir, other] = [folder(), folder()];
    const spared = [
      await start('git', markStarted(dir)),
      await start('git', deadMark(other)),
      await start('ssh', deadMark(dir)),
      await start('git', {}),
    ];
    expect(await endOrphans(dir, 200)).toBe(0);
    expect(spared.map(lives)).toEqual([true, true, true, true]);
  });

  it('are found by the folder that they were started in', async () => {
    const [dir, other] = [folder(), folder()];
    const [inside, outside] = [await start('client', {}, dir), await start('client', {}, other)];
    expect(await endProcessesIn(dir, 2_000)).toBe(1);
    expect([inside, outside].map(lives)).toEqual([false, true]);
  });
});

describe('temporary files', () => {
  it('are abandoned once who made them is gone, and its own are before it has made any', async () => {
    const dir = folder();
    const gone = spawn('/bin/true');
    await once(gone, 'exit');
    const hex = '0123456789abcdef';
    const left = `a.json.${gone.pid ?? 0}-${hex}.tmp`;
    const own = `b.${temporaryName()}.tmp`;
    for (const name of [left, own, 'c.json', `d.${process.ppid}-${hex}.tmp`]) writeFileSync(join(dir, name), '');
    mkdirSync(join(dir, `${gone.pid ?? 0}-${hex}`));
    expect(listAbandoned(dir, { starting: false }).toSorted()).toEqual(
      [join(dir, left), join(dir, `${gone.pid ?? 0}-${hex}`)].toSorted(),
    );
    expect(listAbandoned(dir, { starting: true })).toContain(join(dir, own));
    expect(listAbandoned(join(dir, 'absent'), { starting: true })).toEqual([]);
  });
});
