import { execFileSync } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { KraftError, type ErrorReport } from '../../src/base/index.ts';
import {
  loadHarnessProfiles,
  loadPolicySettings,
  loadRepos,
  loadSandboxSettings,
  type HomePaths,
} from '../../src/config/index.ts';
import { makeHome } from './repos-file.ts';

async function failure(load: (paths: HomePaths) => Promise<unknown>, paths: HomePaths): Promise<ErrorReport> {
  try {
    await load(paths);
  } catch (error) {
    if (error instanceof KraftError) return error.report;
    throw error;
  }
  throw new Error('it loaded');
}

/** One fault: name, lines of the file, line and code of the error, and what the message names. */
type Row = readonly [name: string, text: string, line: number, code: string, message: RegExp];

/** A `repos.yaml` with one entry whose further lines are given; they start on line 3. */
const entry = (lines: string): string => `repos:\n  - path: /a\n${lines.replace(/^/gm, '    ')}\n`;
/** The same with a docker sandbox; further lines of the block start on line 6. */
const sandbox = (lines: string): string =>
  entry(`sandbox:\n  kind: docker\n  image: x:1\n${lines.replace(/^/gm, '  ')}`);
const credential = (lines: string): string =>
  sandbox(
    `network:\n  install: {allow: [a.com]}\n  runtime: {allow: [b.com:443, '*.c.com'], deny: [d.com]}\ncredentials:\n${lines}`,
  );

const reposRows: readonly Row[] = [
  // CC 1.1, file-level rules
  ['not a mapping', '- a\n', 1, 'CONFIG_WRONG_TYPE', /mapping at the top level/],
  ['a scalar', 'hello\n', 1, 'CONFIG_WRONG_TYPE', /mapping at the top level/],
  ['not YAML', 'repos: [\n', 2, 'CONFIG_NOT_YAML', /^repos\.yaml:2: /],
  ['a duplicate key', 'repos: []\nrepos: []\n', 2, 'CONFIG_NOT_YAML', /repos is written twice/],
  ['repositories', 'repositories: []\n', 1, 'CONFIG_REFUSED_KEY', /repositories is not the key/],
  ['an unknown key of the file', '# c\nfoo: 1\n', 2, 'CONFIG_UNKNOWN_KEY', /unknown key foo/],
  ['repos as a mapping', 'repos: {a: 1}\n', 1, 'CONFIG_WRONG_TYPE', /repos must be a list/],
  ['an entry that is no mapping', 'repos:\n  - /a\n', 2, 'CONFIG_WRONG_TYPE', /repos\[0\] must be a mapping/],
  ['duplicate ids', 'repos:\n - {path: /a, id: x}\n - {path: /b, id: x}\n', 3, 'CONFIG_BAD_VALUE', /id is "x".*line 2/],
  ['duplicate paths', 'repos:\n - path: /a/b\n - path: /a/./b/\n', 3, 'CONFIG_BAD_VALUE', /path is .*line 2/],
  // CC 1.3, fields
  ['no path', 'repos:\n  - name: x\n', 2, 'CONFIG_MISSING_KEY', /repos\[0\]\.path is missing/],
  ['an empty path', 'repos:\n  - path: ""\n', 2, 'CONFIG_BAD_VALUE', /path must not be empty/],
  ['a relative path', 'repos:\n  - path: a/b\n', 2, 'CONFIG_BAD_VALUE', /path must be an absolute path/],
  ['a string for a boolean', entry('managed: "true"'), 3, 'CONFIG_WRONG_TYPE', /managed must be a boolean/],
  ['a number for a string', entry('name: 7'), 3, 'CONFIG_WRONG_TYPE', /name must be a string/],
  ['a string for a list', entry('env_passthrough: A'), 3, 'CONFIG_WRONG_TYPE', /env_passthrough must be a list/],
  ['a list for a mapping', entry('env: [A]'), 3, 'CONFIG_WRONG_TYPE', /env must be a mapping/],
  ['a number in env', entry('env:\n  A: 1'), 4, 'CONFIG_WRONG_TYPE', /env\.A must be a string/],
  [
    'a variable name that would carry a value',
    entry('env_passthrough: ["A=b"]'),
    3,
    'CONFIG_BAD_VALUE',
    /variable name/,
  ],
  [
    'a variable name that an engine expands',
    entry('env_passthrough: ["AWS_*"]'),
    3,
    'CONFIG_BAD_VALUE',
    /variable name/,
  ],
  ['a bad name in env', entry('env: {"A B": x}'), 3, 'CONFIG_BAD_VALUE', /variable name/],
  ['an id with upper case', entry('id: Foo'), 3, 'CONFIG_BAD_VALUE', /id must be lower-case/],
  ['another forge', entry('forge: bitbucket'), 3, 'CONFIG_BAD_VALUE', /forge must be github or gitlab/],
  ['a bad harness profile', entry('models: {"A B": x}'), 3, 'CONFIG_BAD_VALUE', /lower-case/],
  ['empty scopes', entry('test_scopes: []'), 3, 'CONFIG_BAD_VALUE', /test_scopes must not be empty/],
  [
    'a scope without paths',
    entry('test_scopes:\n  - {paths: [], command: x}'),
    4,
    'CONFIG_BAD_VALUE',
    /paths must not be empty/,
  ],
  ['a scope without a command', entry('test_scopes:\n  - paths: [a]'), 4, 'CONFIG_MISSING_KEY', /command is missing/],
  [
    'an unknown key of a scope',
    entry('test_scopes:\n  - paths: [a]\n    command: x\n    cwd: y'),
    6,
    'CONFIG_UNKNOWN_KEY',
    /cwd/,
  ],
  [
    'an unknown key of an area',
    entry('areas:\n  web: {paths: [a], set_up: x}'),
    4,
    'CONFIG_UNKNOWN_KEY',
    /set_up.*setup/,
  ],
  [
    'an intent_dir outside',
    entry('intent_dir: ../x'),
    3,
    'CONFIG_BAD_VALUE',
    /intent_dir must be a relative path that stays inside/,
  ],
  ['an absolute intent_dir', entry('intent_dir: /x'), 3, 'CONFIG_BAD_VALUE', /intent_dir must be a relative path/],
  ['a directory in local_files', entry('local_files: [a/]'), 3, 'CONFIG_BAD_VALUE', /must be a file/],
  ['a pattern in local_files', entry('local_files: ["a*"]'), 3, 'CONFIG_BAD_VALUE', /patterns are not expanded/],
  ['a local file outside', entry('local_files: [a/../../b]'), 3, 'CONFIG_BAD_VALUE', /inside the repository/],
  ['a rule as a tool', entry('deny_tools: ["Bash(git *)"]'), 3, 'CONFIG_BAD_VALUE', /name of one tool/],
  ['a bare MCP server as a tool', entry('deny_tools: [mcp__github]'), 3, 'CONFIG_BAD_VALUE', /name of one tool/],
  [
    'two reviewers',
    entry('automated_review:\n  bot: a\n  check: b'),
    3,
    'CONFIG_BAD_VALUE',
    /exactly one of bot and check/,
  ],
  ['no reviewer', entry('automated_review: {}'), 3, 'CONFIG_BAD_VALUE', /exactly one of bot and check/],
  ['another key of a reviewer', entry('automated_review: {bot: a, bots: b}'), 3, 'CONFIG_UNKNOWN_KEY', /bots.*bot/],
  [
    'sandboxes in both places',
    entry('sandbox: {kind: docker, image: a}\npolicy:\n  sandbox: {kind: docker, image: a}'),
    3,
    'CONFIG_BAD_VALUE',
    /policy\.sandbox is set too/,
  ],
  ['an unknown key of policy', entry('policy:\n  deny_tool: [Bash]'), 4, 'CONFIG_UNKNOWN_KEY', /deny_tool.*deny_tools/],
  ['a far key of policy', entry('policy:\n  whatever: 1'), 4, 'CONFIG_UNKNOWN_KEY', /whatever/],
  ['a cap of zero', entry('policy: {time_cap_minutes: 0}'), 3, 'CONFIG_BAD_VALUE', /greater than 0/],
  [
    'an unknown grant',
    entry('policy: {grants: [git-reset]}'),
    3,
    'CONFIG_BAD_VALUE',
    /git-commit or git-rebase or git-push/,
  ],
  ['a model that is no text', entry('models: {claude: 7}'), 3, 'CONFIG_WRONG_TYPE', /models\.claude must be a string/],
  ['an area with a bad id', entry('areas: {Web: {paths: [a]}}'), 3, 'CONFIG_BAD_VALUE', /areas\.Web.*lower-case/],
  ['an area without paths', entry('areas: {web: {paths: []}}'), 3, 'CONFIG_BAD_VALUE', /paths must not be empty/],
  [
    'an unknown key of an area’s verification',
    entry('areas: {web: {paths: [a], verification: {scopes: []}}}'),
    3,
    'CONFIG_UNKNOWN_KEY',
    /verification has the unknown key scopes/,
  ],
  ['a list as a command', entry('setup_command: [a]'), 3, 'CONFIG_WRONG_TYPE', /setup_command must be a string/],
  ['an absolute local file', entry('local_files: [/etc/x]'), 3, 'CONFIG_BAD_VALUE', /stays inside the repository/],
  ['an empty steering name', entry('steering: [""]'), 3, 'CONFIG_BAD_VALUE', /steering\[0\] must not be empty/],
  ['a number for a wait', entry('ci_checks: 1'), 3, 'CONFIG_WRONG_TYPE', /ci_checks must be a boolean/],
  ['a reviewer without a name', entry('automated_review: {bot: ""}'), 3, 'CONFIG_BAD_VALUE', /bot must not be empty/],
  ['a policy that is no mapping', entry('policy: true'), 3, 'CONFIG_WRONG_TYPE', /policy must be a mapping/],
  ['a fraction of a token', entry('policy: {token_budget: 1.5}'), 3, 'CONFIG_WRONG_TYPE', /token_budget.*whole number/],
  ['a budget in quotes', entry('policy: {budget_usd: "1"}'), 3, 'CONFIG_WRONG_TYPE', /budget_usd must be a number/],
  ['no attempt', entry('policy: {max_attempts: 0}'), 3, 'CONFIG_BAD_VALUE', /max_attempts must be at least 1/],
  [
    'one harness in place of a list',
    entry('policy: {allowed_harnesses: claude}'),
    3,
    'CONFIG_WRONG_TYPE',
    /allowed_harnesses must be a list/,
  ],
  [
    'a sandbox of policy without an image',
    entry('policy: {sandbox: {kind: docker}}'),
    3,
    'CONFIG_MISSING_KEY',
    /policy\.sandbox\.image is missing/,
  ],
  // CC 1.4, unknown keys
  [
    'a key two edits away',
    entry('automated_reviews: {bot: a}'),
    3,
    'CONFIG_UNKNOWN_KEY',
    /automated_reviews.*close to automated_review\./,
  ],
  ['a key of two letters, close to id', entry('xy: 1'), 3, 'CONFIG_UNKNOWN_KEY', /xy.*id/],
  [
    'default_chain, refused by name',
    entry('default_chain: x'),
    3,
    'CONFIG_REFUSED_KEY',
    /default_chain is not the key/,
  ],
  // CC 1.6, workspaces
  [
    'a workspace whose root is not connected',
    `${entry('id: a')}workspaces:\n  w: {root: b}\n`,
    5,
    'CONFIG_BAD_VALUE',
    /root names "b"/,
  ],
  [
    'a member that is not connected',
    `${entry('id: a')}workspaces:\n  w:\n    root: a\n    members:\n      m: {repository: z, path: x}\n`,
    8,
    'CONFIG_BAD_VALUE',
    /repository names "z"/,
  ],
  [
    'nested members',
    `${entry('id: a')}workspaces:\n  w:\n    root: a\n    members:\n      m: {repository: a, path: x}\n      n: {repository: a, path: x/y}\n`,
    9,
    'CONFIG_BAD_VALUE',
    /member m/,
  ],
  ['workspaces as a list', `${entry('id: a')}workspaces: []\n`, 4, 'CONFIG_WRONG_TYPE', /workspaces must be a mapping/],
  ['a bad workspace id', `${entry('id: a')}workspaces: {W: {root: a}}\n`, 4, 'CONFIG_BAD_VALUE', /lower-case/],
  ['a workspace without a root', `${entry('id: a')}workspaces: {w: {}}\n`, 4, 'CONFIG_MISSING_KEY', /root is missing/],
  [
    'another answer to a moved pointer',
    `${entry('id: a')}workspaces: {w: {root: a, root_pointer_default: drop}}\n`,
    4,
    'CONFIG_BAD_VALUE',
    /ignore or bump/,
  ],
  [
    'an unknown key of a workspace',
    `${entry('id: a')}workspaces: {w: {root: a, membres: {}}}\n`,
    4,
    'CONFIG_UNKNOWN_KEY',
    /membres.*members/,
  ],
  [
    'a member outside of its root',
    `${entry('id: a')}workspaces: {w: {root: a, members: {m: {repository: a, path: ../x}}}}\n`,
    4,
    'CONFIG_BAD_VALUE',
    /members\.m\.path.*stays inside/,
  ],
  [
    'a member without a path',
    `${entry('id: a')}workspaces: {w: {root: a, members: {m: {repository: a}}}}\n`,
    4,
    'CONFIG_MISSING_KEY',
    /path is missing/,
  ],
  // CC 3.2, kinds
  ['a sandbox that is no mapping', entry('sandbox: docker'), 3, 'CONFIG_WRONG_TYPE', /sandbox must be a mapping/],
  ['sandbox: true', entry('sandbox: true'), 3, 'CONFIG_WRONG_TYPE', /sandbox must be a mapping/],
  ['a sandbox without a kind', entry('sandbox:\n  image: x'), 3, 'CONFIG_MISSING_KEY', /sandbox\.kind is missing/],
  [
    'another kind',
    entry('sandbox:\n  kind: host'),
    4,
    'CONFIG_WRONG_TYPE',
    /kind is not supported; write `docker` or `kit`/,
  ],
  ['no image', entry('sandbox:\n  kind: docker'), 3, 'CONFIG_MISSING_KEY', /image is missing/],
  ['an empty image', entry('sandbox:\n  kind: docker\n  image: ""'), 5, 'CONFIG_BAD_VALUE', /image/],
  [
    'an image that an engine reads as an option',
    entry('sandbox:\n  kind: docker\n  image: --privileged'),
    5,
    'CONFIG_BAD_VALUE',
    /image reference/,
  ],
  ['kit under docker', sandbox('kit: x'), 6, 'CONFIG_REFUSED_KEY', /kit is for `kind: kit`/],
  ['runtime under docker', sandbox('runtime: docker'), 6, 'CONFIG_REFUSED_KEY', /runtime is for `kind: kit`/],
  [
    'unrestricted_network',
    sandbox('unrestricted_network: true'),
    6,
    'CONFIG_REFUSED_KEY',
    /unrestricted_network does not exist/,
  ],
  ['an unknown key of sandbox', sandbox('images: x'), 6, 'CONFIG_UNKNOWN_KEY', /images.*close to image/],
  [
    'image under kit',
    entry(`sandbox:\n  kind: kit\n  runtime: docker\n  kit: a@sha256:${'0'.repeat(64)}\n  image: x`),
    7,
    'CONFIG_REFUSED_KEY',
    /image is set by the Kit/,
  ],
  [
    'a kit without a digest',
    entry('sandbox:\n  kind: kit\n  runtime: docker\n  kit: a:1'),
    6,
    'CONFIG_BAD_VALUE',
    /pinned by digest/,
  ],
  [
    'a kit without a runtime',
    entry(`sandbox:\n  kind: kit\n  kit: a@sha256:${'0'.repeat(64)}`),
    3,
    'CONFIG_MISSING_KEY',
    /runtime is missing/,
  ],
  [
    'a kit of another runtime',
    entry(`sandbox:\n  kind: kit\n  runtime: podman\n  kit: a@sha256:${'0'.repeat(64)}`),
    5,
    'CONFIG_BAD_VALUE',
    /runtime must be docker/,
  ],
  [
    'resources under kit',
    entry(`sandbox:\n  kind: kit\n  runtime: docker\n  kit: a@sha256:${'0'.repeat(64)}\n  resources: {}`),
    7,
    'CONFIG_REFUSED_KEY',
    /resources is set by the Kit/,
  ],
  // CC 3.3, resources
  ['too little cpu', sandbox('resources: {cpu: 0.001}'), 6, 'CONFIG_BAD_VALUE', /cpu must be at least 0\.01/],
  ['memory as a number', sandbox('resources: {memory: 4096}'), 6, 'CONFIG_WRONG_TYPE', /memory must be a string/],
  [
    'memory of another unit',
    sandbox('resources: {memory: 4gib}'),
    6,
    'CONFIG_BAD_VALUE',
    /whole number with an optional unit/,
  ],
  ['too little memory', sandbox('resources: {memory: 5m}'), 6, 'CONFIG_BAD_VALUE', /at least 6m/],
  ['a fraction of a process', sandbox('resources: {pids: 1.5}'), 6, 'CONFIG_WRONG_TYPE', /pids must be a whole number/],
  ['no process', sandbox('resources: {pids: 0}'), 6, 'CONFIG_BAD_VALUE', /pids must be at least 1/],
  ['infinite cpu', sandbox('resources: {cpu: .inf}'), 6, 'CONFIG_WRONG_TYPE', /cpu must be a number/],
  ['cpu in quotes', sandbox('resources: {cpu: "2"}'), 6, 'CONFIG_WRONG_TYPE', /cpu must be a number/],
  ['an unknown limit (PF-F03)', sandbox('resources: {memroy: 4g}'), 6, 'CONFIG_UNKNOWN_KEY', /memroy.*memory/],
  // CC 3.4, network
  [
    'a range (PF-E09)',
    sandbox('network:\n  runtime:\n    allow:\n      - a.com\n      - 10.0.0.0/8'),
    10,
    'CONFIG_BAD_VALUE',
    /10\.0\.0\.0\/8.*address range/,
  ],
  ['a URL', sandbox('network: {runtime: {deny: ["https://a.com"]}}'), 6, 'CONFIG_BAD_VALUE', /is a URL/],
  ['an unknown phase', sandbox('network: {build: {}}'), 6, 'CONFIG_UNKNOWN_KEY', /build/],
  ['an unknown list (PF-F01)', sandbox('network: {runtime: {denny: [a.com]}}'), 6, 'CONFIG_UNKNOWN_KEY', /denny.*deny/],
  ['a network that is a list', sandbox('network: []'), 6, 'CONFIG_WRONG_TYPE', /network must be a mapping/],
  [
    'a host in place of a list',
    sandbox('network: {runtime: {allow: a.com}}'),
    6,
    'CONFIG_WRONG_TYPE',
    /allow must be a list/,
  ],
  ['an empty phase', sandbox('network:\n  runtime:'), 7, 'CONFIG_WRONG_TYPE', /runtime must be a mapping/],
  // CC 3.5, credentials
  ['credentials without network', sandbox('credentials:\n  - env: A'), 6, 'CONFIG_BAD_VALUE', /needs `network`/],
  [
    'credentials with an empty network',
    sandbox('network: {}\ncredentials:\n  - env: A'),
    7,
    'CONFIG_BAD_VALUE',
    /needs `network`/,
  ],
  ['a bad variable name', credential('  - env: a-b'), 10, 'CONFIG_BAD_VALUE', /variable name/],
  ['no variable', credential('  - service: x'), 10, 'CONFIG_MISSING_KEY', /env is missing/],
  [
    'a variable twice',
    credential('  - env: A\n  - env: A'),
    11,
    'CONFIG_BAD_VALUE',
    /A a second time for the install phase/,
  ],
  [
    'a variable twice in one phase',
    credential('  - {env: A, phase: [install]}\n  - {env: A, phase: [runtime, install]}'),
    11,
    'CONFIG_BAD_VALUE',
    /second time for the install/,
  ],
  [
    'a wildcard domain (PF-E12)',
    credential('  - {env: A, inject: [{domain: "*.c.com", header: x}]}'),
    10,
    'CONFIG_BAD_VALUE',
    /one exact host/,
  ],
  [
    'a domain with a port',
    credential('  - {env: A, inject: [{domain: "b.com:443", header: x}]}'),
    10,
    'CONFIG_BAD_VALUE',
    /one exact host/,
  ],
  [
    'a domain that a wildcard alone covers',
    credential('  - {env: A, inject: [{domain: x.c.com, header: x}]}'),
    10,
    'CONFIG_BAD_VALUE',
    /does not allow by name/,
  ],
  [
    'a domain that is denied',
    credential('  - {env: A, inject: [{domain: d.com, header: x}]}'),
    10,
    'CONFIG_BAD_VALUE',
    /does not allow by name/,
  ],
  [
    'a domain of the other phase',
    credential('  - {env: A, phase: [runtime], inject: [{domain: a.com, header: x}]}'),
    10,
    'CONFIG_BAD_VALUE',
    /network runtime does not allow/,
  ],
  [
    'a domain in one of two phases',
    credential('  - {env: A, phase: [install, runtime], inject: [{domain: a.com, header: x}]}'),
    10,
    'CONFIG_BAD_VALUE',
    /network runtime does not allow/,
  ],
  [
    'one header of one host twice',
    credential(
      '  - {env: A, inject: [{domain: b.com, header: X-Key}]}\n  - {env: B, inject: [{domain: B.com, header: x-key}]}',
    ),
    11,
    'CONFIG_BAD_VALUE',
    /header of b\.com x-key a second time/,
  ],
  [
    'a header that is no token',
    credential('  - {env: A, inject: [{domain: b.com, header: "x y"}]}'),
    10,
    'CONFIG_BAD_VALUE',
    /HTTP header/,
  ],
  [
    'a format without a place',
    credential('  - {env: A, inject: [{domain: b.com, header: x, format: Bearer}]}'),
    10,
    'CONFIG_BAD_VALUE',
    /%s exactly once/,
  ],
  [
    'a format with two places',
    credential('  - {env: A, inject: [{domain: b.com, header: x, format: "%s%s"}]}'),
    10,
    'CONFIG_BAD_VALUE',
    /%s exactly once/,
  ],
  [
    'a format that splits a header',
    credential('  - {env: A, inject: [{domain: b.com, header: x, format: "a\\r\\nb: %s"}]}'),
    10,
    'CONFIG_BAD_VALUE',
    /one line/,
  ],
  [
    'a rule without a header',
    credential('  - {env: A, inject: [{domain: b.com}]}'),
    10,
    'CONFIG_MISSING_KEY',
    /header/,
  ],
  [
    'an unknown key of a rule',
    credential('  - {env: A, inject: [{domain: b.com, header: x, fromat: y}]}'),
    10,
    'CONFIG_UNKNOWN_KEY',
    /fromat.*format/,
  ],
  ['an empty sentinel', credential('  - {env: A, sentinel: ""}'), 10, 'CONFIG_BAD_VALUE', /sentinel must not be empty/],
  ['an empty service', credential('  - {env: A, service: ""}'), 10, 'CONFIG_BAD_VALUE', /service must not be empty/],
  ['a bad source', credential('  - {env: A, source: a-b}'), 10, 'CONFIG_BAD_VALUE', /source.*variable name/],
  ['no phase', credential('  - {env: A, phase: []}'), 10, 'CONFIG_BAD_VALUE', /phase must not be empty/],
  [
    'an unknown phase of a credential',
    credential('  - {env: A, phase: [build]}'),
    10,
    'CONFIG_BAD_VALUE',
    /install or runtime/,
  ],
  [
    'an unknown key of a credential',
    credential('  - {env: A, sentinal: x}'),
    10,
    'CONFIG_UNKNOWN_KEY',
    /sentinal.*sentinel/,
  ],
];

const sandboxRows: readonly Row[] = [
  ['another engine', '# c\ncli: nerdctl\n', 2, 'CONFIG_BAD_VALUE', /cli must be docker or podman/],
  ['another answer to SELinux', 'selinux: off\n', 1, 'CONFIG_BAD_VALUE', /auto or relabel or disable/],
  [
    'a relative bundle',
    'cli: null\nca_bundle: certs/a.pem\n',
    2,
    'CONFIG_BAD_VALUE',
    /ca_bundle must be an absolute path/,
  ],
  ["another user's home", 'ca_bundle: ~ada/a.pem\n', 1, 'CONFIG_BAD_VALUE', /absolute path/],
  ['an empty relay image', 'relay_image: ""\n', 1, 'CONFIG_BAD_VALUE', /relay_image/],
  ['a bad service', 'credentials:\n  A_b: X\n', 2, 'CONFIG_BAD_VALUE', /lower-case/],
  ['a bad variable', 'credentials:\n  a: 1X\n', 2, 'CONFIG_BAD_VALUE', /variable name/],
  ['an unknown key', 'ca_bundel: /x\n', 1, 'CONFIG_UNKNOWN_KEY', /ca_bundel.*ca_bundle/],
  ['a far unknown key', 'frobnicate: 1\n', 1, 'CONFIG_UNKNOWN_KEY', /frobnicate/],
  ['a list of engines', 'cli: [docker]\n', 1, 'CONFIG_BAD_VALUE', /cli must be docker or podman/],
  ['a number as a bundle', 'ca_bundle: 7\n', 1, 'CONFIG_WRONG_TYPE', /ca_bundle must be a string/],
  ['an empty bundle', 'ca_bundle: ""\n', 1, 'CONFIG_BAD_VALUE', /ca_bundle/],
  ['a number as a relay image', 'relay_image: 7\n', 1, 'CONFIG_WRONG_TYPE', /relay_image must be a string/],
  ['a list of services', 'credentials: [a]\n', 1, 'CONFIG_WRONG_TYPE', /credentials must be a mapping/],
  ['a list', '- a\n', 1, 'CONFIG_WRONG_TYPE', /mapping at the top level/],
  ['not YAML', 'cli: "docker\n', 2, 'CONFIG_NOT_YAML', /closing quote/],
];

const policyRows: readonly Row[] = [
  ['no slot', 'max_concurrent: 0\n', 1, 'CONFIG_BAD_VALUE', /max_concurrent must be at least 1/],
  ['a string for a number', 'max_concurrent: "3"\n', 1, 'CONFIG_WRONG_TYPE', /must be a number/],
  ['a fraction of a slot', 'max_concurrent: 1.5\n', 1, 'CONFIG_WRONG_TYPE', /max_concurrent must be a whole number/],
  ['a number for a size', 'disk_floor: 5\n', 1, 'CONFIG_WRONG_TYPE', /disk_floor must be a string/],
  ['defaults as a list', 'defaults: []\n', 1, 'CONFIG_WRONG_TYPE', /defaults must be a mapping/],
  ['an unknown grant', 'defaults: {grants: [x]}\n', 1, 'CONFIG_BAD_VALUE', /git-commit or git-rebase or git-push/],
  [
    'a cap of zero',
    'defaults: {timeout_minutes: 0}\n',
    1,
    'CONFIG_BAD_VALUE',
    /timeout_minutes must be greater than 0/,
  ],
  ['attempts below none', 'maxima: {max_attempts: -1}\n', 1, 'CONFIG_BAD_VALUE', /max_attempts must be at least 1/],
  ['a rule as a tool', 'maxima: {deny_tools: ["Bash(x)"]}\n', 1, 'CONFIG_BAD_VALUE', /name of one tool/],
  ['an unknown key of the default loop', 'default: {tries: 1}\n', 1, 'CONFIG_UNKNOWN_KEY', /default.*tries/],
  ['a loop of a bad node', 'loops: {"A b": {fix_loop: {}}}\n', 1, 'CONFIG_BAD_VALUE', /lower-case/],
  ['a fraction of a retry', 'rate_limit_retries: 1.5\n', 1, 'CONFIG_WRONG_TYPE', /whole number/],
  ['retries below none', 'auto_escalate_cap: -1\n', 1, 'CONFIG_BAD_VALUE', /auto_escalate_cap must be at least 0/],
  [
    'no time for the forge',
    'forge_cli_timeout_s: 0\n',
    1,
    'CONFIG_BAD_VALUE',
    /forge_cli_timeout_s must be greater than 0/,
  ],
  ['a delay below none', 'auto_escalate_delay_s: -1\n', 1, 'CONFIG_BAD_VALUE', /auto_escalate_delay_s/],
  ['not YAML', 'defaults: {\n', 2, 'CONFIG_NOT_YAML', /^policy\.yaml:2: /],
  ['a duplicate key', 'default: {}\ndefault: {}\n', 2, 'CONFIG_NOT_YAML', /default is written twice/],
  ['a size of another unit', 'disk_floor: 2gb\n', 1, 'CONFIG_BAD_VALUE', /disk_floor must be a whole number/],
  [
    'a sandbox among the defaults',
    'defaults:\n  sandbox: {kind: docker, image: x}\n',
    2,
    'CONFIG_UNKNOWN_KEY',
    /sandbox/,
  ],
  [
    'a misspelt maximum',
    'maxima:\n  time_cap_minute: 5\n',
    2,
    'CONFIG_UNKNOWN_KEY',
    /time_cap_minute.*time_cap_minutes/,
  ],
  ['an unknown key', 'frobnicate: 1\n', 1, 'CONFIG_UNKNOWN_KEY', /frobnicate/],
  ['an unknown key of a loop', 'loops:\n  verify:\n    fixloop: {}\n', 3, 'CONFIG_UNKNOWN_KEY', /fixloop.*fix_loop/],
  ['an unknown budget', 'budgets: {weekly_usd: 1}\n', 1, 'CONFIG_UNKNOWN_KEY', /weekly_usd/],
  ['a negative budget', 'budgets: {daily_usd: -1}\n', 1, 'CONFIG_BAD_VALUE', /greater than 0/],
  ['a string for a boolean', 'auto_escalate_stuck: yes\n', 1, 'CONFIG_WRONG_TYPE', /boolean/],
  ['a scalar', 'x\n', 1, 'CONFIG_WRONG_TYPE', /mapping at the top level/],
];

const harnessRows: readonly Row[] = [
  ['no provider', 'harnesses:\n  fast: {}\n', 2, 'CONFIG_MISSING_KEY', /harnesses\.fast\.provider is missing/],
  [
    'an unknown default',
    'harnesses:\n  fast:\n    provider: claude\n    defaults: {modle: x}\n',
    4,
    'CONFIG_UNKNOWN_KEY',
    /modle.*model/,
  ],
  ['a tier without models', 'profiles:\n  deep: {effort: high}\n', 2, 'CONFIG_MISSING_KEY', /model is missing/],
  [
    'an empty fallback',
    'profiles:\n  deep:\n    model: {claude: x}\n    fallback: [{}]\n',
    4,
    'CONFIG_BAD_VALUE',
    /must name a harness/,
  ],
  [
    'a fallback with two routes',
    'profiles:\n  deep:\n    model: {claude: x}\n    fallback: [{profile: a, model: b}]\n',
    4,
    'CONFIG_BAD_VALUE',
    /profile, which sets model/,
  ],
];

describe.each([
  ['repos.yaml', loadRepos, reposRows],
  ['sandbox.yaml', loadSandboxSettings, sandboxRows],
  ['policy.yaml', loadPolicySettings, policyRows],
  ['harnesses.yaml', loadHarnessProfiles, harnessRows],
] as const)('a malformed %s', (file, load, rows) => {
  it.each(rows)('is refused for %s', async (...[, text, line, code, message]) => {
    const report = await failure(load, await makeHome({ [file]: text }));
    expect(report).toMatchObject({ code: `KRAFT_${code}`, kind: 'config', details: { file, line }, others: [] });
    expect(report.message).toMatch(message);
    expect(report.message).not.toContain('\n');
    expect(report.message.startsWith(`${file}:${line}: `)).toBe(true);
    expect(report.remedy).not.toBe('');
  });

  it('is refused when it is not UTF-8, naming the line', async () => {
    const paths = await makeHome({ [file]: Buffer.from([0x23, 0x0a, 0x61, 0x3a, 0x20, 0xff, 0x0a]) });
    const report = await failure(load, paths);
    expect(report).toMatchObject({ code: 'KRAFT_CONFIG_NOT_YAML', details: { line: 2 } });
    expect(report.message).toContain('UTF-8');
  });

  it('is refused when it is a directory', async () => {
    const paths = await makeHome({ 'other.yaml': '' });
    await mkdir(join(paths.config, file));
    expect(await failure(load, paths)).toMatchObject({ code: 'KRAFT_CONFIG_UNREADABLE', details: { file } });
  });

  it('is refused, and not waited for, when it is a pipe', async () => {
    const paths = await makeHome({ 'other.yaml': '' });
    execFileSync('mkfifo', [join(paths.config, file)]);
    expect(await failure(load, paths)).toMatchObject({ code: 'KRAFT_CONFIG_UNREADABLE', details: { file } });
  });

  it('reads as its defaults when it is missing or empty', async () => {
    const missing = await load(await makeHome({}));
    expect(await load(await makeHome({ [file]: '' }))).toEqual(missing);
    expect(await load(await makeHome({ [file]: '# nothing yet\n' }))).toEqual(missing);
  });
});

describe('the problems of a file', () => {
  it('are gathered, in the order of the lines, and the first is the message', async () => {
    const text =
      'repos:\n  - path: a\n    nmae: x\n    enabled: "no"\n    sandbox: {kind: docker}\n  - path: /b\n    id: X\n';
    const report = await failure(loadRepos, await makeHome({ 'repos.yaml': text }));
    const lines = [report, ...report.others].map((r) => r.details['line']);
    expect(lines).toEqual([2, 3, 4, 5, 7]);
  });

  it('never quote a value of env', async () => {
    const text = 'repos:\n  - path: /a\n    env:\n      TOKEN: hunter2\n      TOKEN: hunter2\n      B: [hunter2]\n';
    const duplicate = await failure(loadRepos, await makeHome({ 'repos.yaml': text }));
    const wrong = await failure(
      loadRepos,
      await makeHome({ 'repos.yaml': text.replace('TOKEN: hunter2\n      ', '') }),
    );
    expect(JSON.stringify([duplicate, wrong])).not.toContain('hunter2');
  });

  it('of policy.yaml stop repos.yaml too: nothing runs under half a policy', async () => {
    const paths = await makeHome({ 'repos.yaml': 'repos: []\n', 'policy.yaml': 'maxima: {deny_tool: [Bash]}\n' });
    expect(await failure(loadRepos, paths)).toMatchObject({ details: { file: 'policy.yaml' } });
  });

  it('name an escalation harness that policy.yaml does not allow', async () => {
    const paths = await makeHome({
      'repos.yaml': entry('policy: {escalation_harness: codex}'),
      'policy.yaml': 'maxima: {escalation_harness: claude}\n',
    });
    const report = await failure(loadRepos, paths);
    expect(report).toMatchObject({ code: 'KRAFT_CONFIG_POLICY_CONFLICT', details: { line: 3 } });
  });
});
