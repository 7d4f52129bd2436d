import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder with `bin/node` and the installed package: what a stranger has after `npm install kraft`. */
    readonly installed: string;
  }
}

const projectDir = resolve(import.meta.dirname, '..', '..');

/** Packs and installs the project once, where every account of this machine can read it. */
export function setup(project: TestProject): () => void {
  const dir = mkdtempSync(join(tmpdir(), 'kraft-e2e-'));
  chmodSync(dir, 0o755);
  const npm = (args: readonly string[], cwd: string): void => {
    execFileSync('npm', [...args], { cwd, stdio: ['ignore', 'ignore', 'inherit'], timeout: 180_000 });
  };
  npm(['run', '--silent', 'build'], projectDir);
  npm(['pack', '--silent', '--ignore-scripts', '--pack-destination', dir], projectDir);
  const tarball = readdirSync(dir).find((name) => name.endsWith('.tgz'));
  if (tarball === undefined) throw new Error('npm pack made no tarball');
  npm(
    [
      'install',
      '--silent',
      '--omit=dev',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--prefix',
      dir,
      join(dir, tarball),
    ],
    dir,
  );
  mkdirSync(join(dir, 'bin'));
  copyFileSync(process.execPath, join(dir, 'bin', 'node'));
  chmodSync(join(dir, 'bin', 'node'), 0o755);
  execFileSync('chmod', ['-R', 'a+rX', dir]);
  project.provide('installed', dir);
  return () => rmSync(dir, { recursive: true, force: true });
}
