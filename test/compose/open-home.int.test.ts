import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openHome } from '../../src/compose/index.ts';
import { findPaths } from '../../src/daemon-client/index.ts';

let dir = '';
beforeEach(() => (dir = realpathSync(mkdtempSync(join(tmpdir(), 'kh-')))));
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const open = (variables: Readonly<Record<string, string>>) => openHome({ variables, cwd: dir });
const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8);

describe('openHome', () => {
  it('makes a home for its owner alone', async () => {
    const paths = await open({ KRAFT_HOME: join(dir, 'deep', 'home') });
    expect(paths).toEqual({
      home: join(dir, 'deep/home'),
      config: join(dir, 'deep/home/config'),
      run: join(dir, 'deep/home/run'),
    });
    expect([paths.home, paths.config, paths.run, join(paths.run, 'logs')].map(mode)).toEqual([
      '700',
      '700',
      '700',
      '700',
    ]);
  });

  it('lies at ~/.kraft when nothing is said, and follows the three variables', () => {
    const env = (variables: Readonly<Record<string, string>>) => ({ env: (name: string) => variables[name], cwd: dir });
    expect(findPaths(env({ HOME: dir })).home).toBe(join(dir, '.kraft'));
    expect(findPaths(env({ HOME: dir, KRAFT_HOME: 'rel', KRAFT_RUN_DIR: '/r', KRAFT_CONFIG_DIR: '/c' }))).toEqual({
      home: join(dir, 'rel'),
      config: '/c',
      run: '/r',
    });
  });

  it('answers real paths behind a link', async () => {
    mkdirSync(join(dir, 'real'), { mode: 0o700 });
    symlinkSync(join(dir, 'real'), join(dir, 'link'));
    expect((await open({ KRAFT_HOME: join(dir, 'link') })).run).toBe(join(dir, 'real', 'run'));
  });

  it('closes a home of its own that others could read', async () => {
    mkdirSync(join(dir, 'home'));
    chmodSync(join(dir, 'home'), 0o755);
    await open({ KRAFT_HOME: join(dir, 'home') });
    expect(mode(join(dir, 'home'))).toBe('700');
  });

  it('refuses a home that others can write to, with the command that mends it', async () => {
    mkdirSync(join(dir, 'home'));
    chmodSync(join(dir, 'home'), 0o775);
    await expect(open({ KRAFT_HOME: join(dir, 'home') })).rejects.toMatchObject({
      code: 'KRAFT_HOME_UNSAFE',
      remedy: expect.stringContaining(`chmod 700 ${join(dir, 'home')}`) as unknown,
    });
  });

  it('refuses a run directory that others can write to', async () => {
    mkdirSync(join(dir, 'run'));
    chmodSync(join(dir, 'run'), 0o777);
    await expect(open({ KRAFT_HOME: join(dir, 'home'), KRAFT_RUN_DIR: join(dir, 'run') })).rejects.toMatchObject({
      code: 'KRAFT_HOME_UNSAFE',
    });
  });

  it('says why a home cannot be made', async () => {
    writeFileSync(join(dir, 'file'), '');
    await expect(open({ KRAFT_HOME: join(dir, 'file', 'home') })).rejects.toMatchObject({
      code: 'KRAFT_HOME_UNUSABLE',
    });
  });
});
