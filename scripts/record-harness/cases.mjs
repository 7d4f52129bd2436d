// How each product is started against a provider on loopback; flags as its harness file spells them.

/** Seconds since the epoch at which the recorded limits are over. */
export const resetsAt = new Date('2026-12-24T12:00:00Z');

const quiet = {
  claude: {
    ...{ DISABLE_AUTOUPDATER: '1', DISABLE_UPDATES: '1', DISABLE_TELEMETRY: '1', DISABLE_ERROR_REPORTING: '1' },
    ...{ DISABLE_FEEDBACK_COMMAND: '1', CLAUDE_CODE_DISABLE_FEEDBACK_SURVEY: '1' },
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  },
  gemini: { GEMINI_TELEMETRY_ENABLED: 'false', GEMINI_TELEMETRY_TRACES_ENABLED: 'false' },
  opencode: { OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_SHARE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' },
};

const flag = (name, value) => (value === null ? [] : [name, value]);

/**
 * Product -> what runs it. `session` is the id of one to go on with, null for a new one; `files` are put into its HOME.
 * @type {Record<string, (url: string, session: string | null) => {args: string[], env: Record<string, string>, files?: Record<string, string>}>}
 */
export const products = {
  claude: (url, session) => ({
    args: [
      ...flag('--resume', session),
      ...['--output-format', 'stream-json', '--verbose', '--permission-mode', 'manual', '--allowedTools', 'Bash'],
      ...['-p', 'do it'],
    ],
    env: { ...quiet.claude, ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'sk-ant-none' },
  }),
  'claude-subscription': (url) => ({
    args: ['--output-format', 'stream-json', '--verbose', '-p', 'do it'],
    env: { ...quiet.claude, ANTHROPIC_BASE_URL: url, CLAUDE_CODE_OAUTH_TOKEN: 'sk-ant-oat01-none' },
  }),
  codex: (url, session) => ({
    args: [
      ...['exec', ...(session === null ? [] : ['resume', session])],
      ...['check_for_update_on_startup=false', 'analytics.enabled=false', 'feedback.enabled=false'].flatMap(config),
      ...['otel.exporter="none"', 'otel.metrics_exporter="none"', 'sandbox_mode=danger-full-access'].flatMap(config),
      ...config('model_provider=loopback'),
      ...config(
        `model_providers.loopback={name="loopback",base_url="${url}/v1",env_key="CODEX_API_KEY",wire_api="responses",request_max_retries=0,stream_max_retries=0}`,
      ),
      ...['--json', '--skip-git-repo-check', '-m', 'gpt-5.1-codex', '--', 'do it'],
    ],
    env: { CODEX_API_KEY: 'sk-none' },
  }),
  gemini: (url, session) => ({
    args: [
      ...['--skip-trust', ...flag('--resume', session), '-o', 'stream-json', '-m', 'gemini-2.5-pro'],
      ...['--approval-mode', 'yolo', '-p', 'do it'],
    ],
    env: { ...quiet.gemini, GEMINI_API_KEY: 'AIzaNone', GOOGLE_GEMINI_BASE_URL: url },
    files: { '.gemini/settings.json': '{"security":{"auth":{"selectedType":"gemini-api-key"}}}' },
  }),
  opencode: (url, session) => ({
    args: [
      ...['run', ...flag('--session', session), '--format', 'json', '--print-logs', '--log-level', 'ERROR', '--auto'],
      ...['--model', 'anthropic/claude-sonnet-4-5', '--', 'do it'],
    ],
    env: {
      ...quiet.opencode,
      ANTHROPIC_API_KEY: 'sk-ant-none',
      OPENCODE_CONFIG_CONTENT: JSON.stringify({ provider: { anthropic: { options: { baseURL: `${url}/v1` } } } }),
    },
  }),
};

function config(setting) {
  return ['-c', setting];
}
