// Where the scripts keep what they bring. Nothing outside of these places is written, but for system packages.

import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

export const projectDir = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..');

/** Tools and caches of this checkout; ignored by git. */
export const toolsDir = path.join(projectDir, '.tools');

/** Environment of the engines that the setup settled on, for later commands. */
export const engineEnvFile = path.join(toolsDir, 'engine', 'env.json');

/** The engines that answered: name, version, and the variables that reach each of them. */
export const enginesFile = path.join(toolsDir, 'engine', 'engines.json');

/** The account of the end-to-end tests and how it reaches its engines. */
export const testUserFile = path.join(toolsDir, 'engine', 'test-user.json');

/**
 * State of an engine that the scripts start. It belongs to the machine and not to the checkout: a second checkout uses
 * the same engine, and a deleted checkout does not take the storage away under a running daemon.
 */
export const engineStateDir = '/var/lib/kraft-engine';

/** Sockets, pid files and exec roots. Short, because the path of a Unix socket holds 107 bytes at most. */
export const engineRunDir = '/run/kraft-engine';

export function isRoot() {
  return typeof process.getuid === 'function' && process.getuid() === 0;
}

/** `x64` or `arm64`, the names that Node and the npm packages of Node use. */
export function architecture() {
  return os.arch();
}

export function readJson(file, fallback = null) {
  if (!existsSync(file)) return fallback;
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return fallback;
  }
}

/** Writes whole or not at all; creates the folder. */
export function writeAtomic(file, text, mode = 0o644) {
  mkdirSync(path.dirname(file), { recursive: true });
  const temporary = `${file}.${process.pid}.tmp`;
  writeFileSync(temporary, text, { mode });
  renameSync(temporary, file);
}
