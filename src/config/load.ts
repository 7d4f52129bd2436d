import { stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { closestKey, renderPath, safeLine, type KraftError, type SourceDocument } from '../base/index.ts';
import { configErrors } from './errors.ts';
import { HarnessesFile } from './harnesses-schema.ts';
import { PolicyFile } from './policy-schema.ts';
import { checkSchema, loadDocument, parseConfig, readBytes, throwIfAny, type ConfigFile } from './read-document.ts';
import { crossProblems } from './repos-problems.ts';
import { ReposFile, refusedEntryKeys, repoFields, retiredEntryKeys } from './repos-schema.ts';
import { noPolicyLayers, type PolicyLayers } from './resolve-policy.ts';
import {
  resolveHarnessProfiles,
  resolvePolicySettings,
  resolveRepos,
  resolveSandboxSettings,
  resolveWorkspaces,
  unknownKeysOf,
} from './resolve.ts';
import type { HarnessProfiles, HomePaths, LoadedRepos, PolicySettings, SandboxSettings } from './resolved.ts';
import { SandboxFile } from './sandbox-settings-schema.ts';

/** Every loader: a missing file is its defaults; a bad one throws one KraftError that carries all its problems. */

export function configFile(paths: HomePaths, name: string): ConfigFile {
  return { path: join(paths.config, name), label: name };
}

/** `repos.yaml` under `policy.yaml`, which must load too: nothing runs under half a policy. */
export async function loadRepos(paths: HomePaths): Promise<LoadedRepos> {
  const bytes = await readBytes(configFile(paths, 'repos.yaml'));
  const policy = await loadDocument(configFile(paths, 'policy.yaml'), PolicyFile);
  const layers = policy?.value ?? noPolicyLayers;
  if (bytes === null) return { repos: [], workspaces: [], warnings: [] };
  return (await checkRepos(bytes, layers)).loaded;
}

/** The loader of `repos.yaml` on bytes: what a save runs on its candidate before it replaces the file. */
export async function checkRepos(
  bytes: Uint8Array,
  layers: PolicyLayers = noPolicyLayers,
): Promise<{ readonly loaded: LoadedRepos; readonly document: SourceDocument }> {
  const document = await parseConfig('repos.yaml', bytes);
  const checked = checkSchema('repos.yaml', document, ReposFile);
  const keys = entryKeyProblems(document);
  throwIfAny([...checked.problems, ...keys.refused, ...crossProblems(document, layers)]);
  // No problem means that the schema gave its value.
  const file = checked.value as ReposFile;
  const loaded = {
    repos: resolveRepos(file, document, layers),
    workspaces: resolveWorkspaces(file),
    warnings: [...keys.warnings, ...openNetworks(file, document)],
  };
  return { loaded, document };
}

/** Unknown keys of entries (CC 1.4): within two edits of a field, or refused by name, stops; any other warns. */
function entryKeyProblems(document: SourceDocument): { refused: KraftError[]; warnings: KraftError[] } {
  const refused: KraftError[] = [];
  const warnings: KraftError[] = [];
  const { repos } = document.data as { repos?: unknown };
  for (const [index, entry] of (Array.isArray(repos) ? (repos as unknown[]) : []).entries()) {
    if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) continue;
    for (const key of unknownKeysOf(entry)) {
      const path = ['repos', index];
      const at = {
        file: 'repos.yaml',
        line: document.lineOf([...path, key]),
        path: renderPath(path),
        key: safeLine(key),
      };
      const named = Object.hasOwn(refusedEntryKeys, key) ? refusedEntryKeys[key] : undefined;
      const meant = closestKey(key, repoFields);
      if (named !== undefined) refused.push(configErrors.create('CONFIG_REFUSED_KEY', { ...at, ...named }));
      else if (meant !== null) {
        refused.push(
          configErrors.create('CONFIG_UNKNOWN_KEY', { ...at, problem: 'is not known here', meant, known: null }),
        );
      } else {
        const retired = Object.hasOwn(retiredEntryKeys, key) ? retiredEntryKeys[key] : undefined;
        const remedy = retired ?? `Remove ${safeLine(key)} from the entry.`;
        warnings.push(configErrors.create('CONFIG_UNREAD_KEY', { ...at, problem: 'is not read', remedy }));
      }
    }
  }
  return { refused, warnings };
}

/** `network: {}` is open egress by definition and reads like the opposite (PF-F06): said at every load. */
function openNetworks(file: ReposFile, document: SourceDocument): KraftError[] {
  return (file.repos ?? []).flatMap((entry, index) => {
    const own = entry.sandbox !== null;
    const block = entry.sandbox ?? entry.policy?.sandbox ?? false;
    const network = block !== false && block.kind === 'docker' ? block.network : undefined;
    if (network === undefined || Object.keys(network).length > 0) return [];
    const path = ['repos', index, ...(own ? [] : ['policy']), 'sandbox', 'network'];
    const problem = 'is `{}`, which leaves egress open';
    return [
      configErrors.create('CONFIG_OPEN_NETWORK', {
        file: 'repos.yaml',
        line: document.lineOf(path),
        path: renderPath(path),
        problem,
      }),
    ];
  });
}

export async function loadSandboxSettings(paths: HomePaths): Promise<SandboxSettings> {
  const loaded = await loadDocument(configFile(paths, 'sandbox.yaml'), SandboxFile);
  const written = loaded?.value.ca_bundle ?? null;
  const caBundle = written?.startsWith('~/') === true ? join(homedir(), written.slice(2)) : written;
  if (loaded !== null && caBundle !== null && !isAbsolute(caBundle)) {
    throw configErrors.create('CONFIG_BAD_VALUE', {
      file: 'sandbox.yaml',
      line: loaded.document.lineOf(['ca_bundle']),
      path: 'ca_bundle',
      problem: 'must be an absolute path',
      remedy: 'Write the whole path, or one that starts with ~/.',
    });
  }
  return resolveSandboxSettings(loaded?.value ?? SandboxFile.parse({}), caBundle);
}

export async function loadPolicySettings(paths: HomePaths): Promise<PolicySettings> {
  const loaded = await loadDocument(configFile(paths, 'policy.yaml'), PolicyFile);
  return resolvePolicySettings(loaded?.value ?? PolicyFile.parse({}));
}

/** What `policy.yaml` puts around every repository and chain. */
export async function loadPolicyLayers(paths: HomePaths): Promise<PolicyLayers> {
  return (await loadDocument(configFile(paths, 'policy.yaml'), PolicyFile))?.value ?? noPolicyLayers;
}

export async function loadHarnessProfiles(paths: HomePaths): Promise<HarnessProfiles> {
  const loaded = await loadDocument(configFile(paths, 'harnesses.yaml'), HarnessesFile);
  return resolveHarnessProfiles(loaded?.value ?? HarnessesFile.parse({}));
}

/** A `repos.yaml` that holds `env` values and that others may read, for doctor; null when there is nothing to say. */
export async function worldReadableEnv(
  paths: HomePaths,
): Promise<{ readonly path: string; readonly mode: number; readonly repos: readonly string[] } | null> {
  const file = configFile(paths, 'repos.yaml');
  const info = await stat(file.path).catch(() => null);
  if (info === null || (info.mode & 0o077) === 0) return null;
  const { repos } = await loadRepos(paths);
  const withEnv = repos.filter((repo) => Object.keys(repo.env).length > 0).map((repo) => repo.label);
  return withEnv.length === 0 ? null : { path: file.path, mode: info.mode & 0o777, repos: withEnv };
}
