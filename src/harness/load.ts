import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { KraftError, gatherErrors } from '../base/index.ts';
import { type ConfigFile, loadDocument } from '../config/index.ts';
import { harnessErrors } from './errors.ts';
import type { Capability, ConfigDir, Harness, Resume } from './harness.ts';
import { type CapabilityFile, HarnessFile } from './schema.ts';

const packagedDir = join(import.meta.dirname, 'files');

/** Harnesses by id: the packaged ones, each replaced by a file of the same stem, and those that a person added. */
export type HarnessSet = ReadonlyMap<string, Harness>;

/**
 * Reads the packaged harness files and `<configDir>/harnesses/*.yaml`. Read anew at each launch.
 * Errors: CONFIG_* with file and line and HARNESS_ID_MISMATCH, those of all files gathered; HARNESS_FILES_UNREADABLE.
 */
export async function loadHarnesses(configDir: string): Promise<HarnessSet> {
  const own = await listFiles(join(configDir, 'harnesses'), 'harnesses');
  const set = new Map<string, Harness>();
  const problems: KraftError[] = [];
  for (const file of [...(await listFiles(packagedDir, packagedDir)), ...own]) {
    try {
      const harness = await loadHarness(file);
      if (harness !== null) set.set(harness.id, harness);
    } catch (error) {
      if (!(error instanceof KraftError)) throw error;
      problems.push(error);
    }
  }
  const [first, ...rest] = problems;
  if (first !== undefined) throw gatherErrors([first, ...rest]);
  return set;
}

async function listFiles(dir: string, labelDir: string): Promise<readonly ConfigFile[]> {
  try {
    const names = (await readdir(dir)).filter((name) => name.endsWith('.yaml')).sort();
    return names.map((name) => ({ path: join(dir, name), label: join(labelDir, name) }));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw harnessErrors.create('HARNESS_FILES_UNREADABLE', { dir, why: (error as Error).message }, error);
  }
}

async function loadHarness(file: ConfigFile): Promise<Harness | null> {
  const loaded = await loadDocument(file, HarnessFile);
  // Gone since it was listed.
  if (loaded === null) return null;
  const { id } = loaded.value;
  const stem = basename(file.path, '.yaml');
  if (id === stem) return toHarness(loaded.value, file.path);
  throw harnessErrors.create('HARNESS_ID_MISMATCH', {
    file: file.label,
    line: loaded.document.lineOf(['id']),
    id,
    stem,
  });
}

function toHarness(file: HarnessFile, path: string): Harness {
  const { capabilities: c } = file;
  return {
    id: file.id,
    command: file.command,
    capabilities: {
      prompt: { cli: c.prompt.cli, values: [], always: [], underAllowlist: null },
      systemPrompt:
        c.context.channel === 'prompt' ? null : { cli: c.context.cli, values: [], always: [], underAllowlist: null },
      usage: c.usage,
      model: toCapability(c.model),
      effort: toCapability(c.effort),
      permissionMode: toCapability(c.permission_mode),
      denyTools: toCapability(c.deny_tools),
      allowedTools: toCapability(c.allowed_tools),
      restrictTools: toCapability(c.restrict_tools),
      approvalChannel: toCapability(c.approval_channel),
      structuredLog: toCapability(c.structured_log),
      writableDirs: toCapability(c.writable_dirs),
      resume: toResume(file),
    },
    sessionFile: file.session_file,
    args: file.args,
    env: file.env,
    configDir: toConfigDir(file),
    verified: file.verified ?? null,
    permissionHook: file.permission_hook ?? null,
    permissionRules: file.permission_rules ?? null,
    unhookedTools: file.unhooked_tools,
    networkRequires: file.network.requires,
    proxyAware: file.proxy_aware,
    credentials: file.credentials.map((x) => ({
      service: x.service ?? null,
      env: x.env,
      sentinel: x.sentinel,
      inject: x.inject.map((i) => ({ ...i, format: i.format ?? null })),
    })),
    containerPermissionMode: file.container_permission_mode ?? null,
    scripted: file.scripted,
    file: path,
  };
}

function toConfigDir({ config_dir: dir }: HarnessFile): ConfigDir | null {
  if (dir === undefined) return null;
  const files = Object.entries(dir.files).map(([name, content]): [string, string] => [
    name,
    `${JSON.stringify(content, null, 2)}\n`,
  ]);
  return { variable: dir.env, names: dir.names ?? null, files: Object.fromEntries(files) };
}

function toResume(file: HarnessFile): Resume | null {
  const { resume } = file.capabilities;
  if (resume?.via === 'command_resume' && file.command_resume !== undefined)
    return { kind: 'command', command: file.command_resume };
  return resume?.cli === undefined ? null : { kind: 'fragment', cli: resume.cli };
}

function toCapability(file: CapabilityFile | undefined): Capability | null {
  if (file === undefined) return null;
  return {
    cli: file.cli ?? [],
    values: file.values ?? [],
    always: file.always ?? [],
    underAllowlist: file.under_allowlist ?? null,
  };
}
