import type { LogReaderName } from './schema.ts';

/** One agent product: how its command line spells Kraft's neutral options (CC 4.2). Parsed from a harness file. */
export interface Harness {
  readonly id: string;
  /** argv prefix. */
  readonly command: readonly string[];
  readonly capabilities: Capabilities;
  /** Part of the name of a file under HOME that is there while a session can be gone on with (`renderSessionFile`). */
  readonly sessionFile: string;
  /** Arguments of each launch, behind what starts it: where no variable switches off the updater and telemetry. */
  readonly args: readonly string[];
  /** Literal variables of each launch: what switches off the product's own updater and telemetry. */
  readonly env: Readonly<Record<string, string>>;
  /** Config files of each launch; null when variables and arguments are enough. */
  readonly configDir: ConfigDir | null;
  /** What the file was tried on; null where nobody has run it. */
  readonly verified: Verified | null;
  /** Translator of a permission hook; null when it has none. */
  readonly permissionHook: 'codex' | 'cursor' | null;
  readonly permissionRules: 'opencode' | 'amp' | null;
  /** Kraft tool names that the hook never sees. */
  readonly unhookedTools: readonly string[];
  /** Host patterns that the product needs. */
  readonly networkRequires: readonly string[];
  readonly proxyAware: boolean;
  readonly credentials: readonly HarnessCredential[];
  /** Permission mode inside a container when nothing chose one. */
  readonly containerPermissionMode: string | null;
  /** It follows a script and has no tools that a tool policy could bind (the `demo` harness). */
  readonly scripted: boolean;
  /** File it came from, for people. */
  readonly file: string;
}

export interface Verified {
  readonly version: string;
  /** Year and month: `2026-11`. */
  readonly date: string;
  /** Whole runs against a provider, or its command line alone. */
  readonly by: 'runs' | 'flags';
}

/** A folder of config files that a launch finds as they are here, whatever earlier launches wrote (CC 4.2). */
export interface ConfigDir {
  /** Variable that names the folder, or the file `names` in it. */
  readonly variable: string;
  readonly names: string | null;
  /** Plain file name -> JSON text. */
  readonly files: Readonly<Record<string, string>>;
}

export interface HarnessCredential {
  readonly service: string | null;
  readonly env: string;
  readonly sentinel: string;
  readonly inject: readonly { readonly domain: string; readonly header: string; readonly format: string | null }[];
}

/** How one option is spelled. */
export interface Capability {
  /** argv fragment with `{value}` or `{csv}`. */
  readonly cli: readonly string[];
  /** Full-match regular expressions of allowed values; empty allows any. */
  readonly values: readonly string[];
  /** What is spelled when nothing was chosen; for lists, merged into what was. */
  readonly always: readonly string[];
  /** Value under an allow list of tools (permission_mode alone). */
  readonly underAllowlist: string | null;
}

export interface Capabilities {
  readonly prompt: Capability;
  /** Null: the context is put in front of the prompt. */
  readonly systemPrompt: Capability | null;
  readonly usage: { readonly source: 'result_file' } | { readonly source: 'envelope'; readonly reader: LogReaderName };
  readonly model: Capability | null;
  readonly effort: Capability | null;
  readonly permissionMode: Capability | null;
  readonly denyTools: Capability | null;
  readonly allowedTools: Capability | null;
  readonly restrictTools: Capability | null;
  readonly approvalChannel: Capability | null;
  readonly structuredLog: Capability | null;
  readonly writableDirs: Capability | null;
  /** How a session of the product is gone on with: a fragment, or its own command prefix; null when it cannot be. */
  readonly resume: Resume | null;
}

export type Resume =
  | { readonly kind: 'fragment'; readonly cli: readonly string[] }
  | { readonly kind: 'command'; readonly command: readonly string[] };

/** Kraft's neutral options of one agent run. */
export interface AgentOptions {
  readonly prompt: string;
  /** Contract and repository facts, kept apart from the task where the product can. */
  readonly context: string | null;
  readonly model: string | null;
  readonly effort: string | null;
  readonly permissionMode: string | null;
  /** Directories inside the container that the product's own sandbox must let it write. */
  readonly writableDirs: readonly string[];
  /** The product's own session to go on with, as a log reader told it; null starts a new one. */
  readonly resume: string | null;
}

/** What a launch gets of a harness. */
export interface SpelledCommand {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Credential variables of the product, passed by name. */
  readonly envNames: readonly string[];
  readonly configDir: ConfigDir | null;
}

/** A harness as an item's `--harness X` names it: a profile of harnesses.yaml, or a harness id. */
export interface SelectedHarness {
  /** What the person named. */
  readonly name: string;
  readonly harness: Harness;
  readonly defaults: {
    readonly model: string | null;
    readonly effort: string | null;
    readonly permissionMode: string | null;
  };
}
