/** Where a worker finds its proxy: the relay, on the loopback that it shares with it. */
export const workerProxy = { host: '127.0.0.1', port: 3128 } as const;

/**
 * The environment of a worker under a network policy, all literals (SI 1.6). Each of the general variables stands in
 * both cases, and those that must not be set are set to empty: else the docker CLI or an image adds its own (PF-P04),
 * and some clients fail on what stands in a NO_PROXY (PF-P03). The rest is for tools that read none of the general ones
 * or let a file win over them.
 */
export function renderProxyVariables(paths: {
  /** PATH of the image. */
  readonly imagePath: string;
  /** Folder of the shim in the container. */
  readonly shimDir: string;
}): Readonly<Record<string, string>> {
  const url = `http://${workerProxy.host}:${workerProxy.port}`;
  return {
    ...inBothCases(['HTTP_PROXY', 'HTTPS_PROXY'], url),
    ...inBothCases(['ALL_PROXY', 'FTP_PROXY', 'NO_PROXY'], ''),
    // From Node 24 on; before that its fetch finds no proxy at all (PF-P05).
    NODE_USE_ENV_PROXY: '1',
    // Yarn 2 and later (PF-P01).
    YARN_HTTP_PROXY: url,
    YARN_HTTPS_PROXY: url,
    npm_config_proxy: url,
    npm_config_https_proxy: url,
    npm_config_noproxy: '',
    JAVA_TOOL_OPTIONS: renderJvmOptions(),
    CARGO_HTTP_PROXY: url,
    PIP_PROXY: url,
    PATH: `${paths.shimDir}:${paths.imagePath}`,
  };
}

function inBothCases(names: readonly string[], value: string): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => [name, name.toLowerCase()]).map((name) => [name, value]));
}

/** The JVM reads no variable for its proxy (PF-P02); an empty exception list replaces its built-in one. */
function renderJvmOptions(): string {
  const proxy = ['http', 'https'].flatMap((scheme) => [
    `-D${scheme}.proxyHost=${workerProxy.host}`,
    `-D${scheme}.proxyPort=${workerProxy.port}`,
  ]);
  return [...proxy, '-Dhttp.nonProxyHosts='].join(' ');
}
