import { describe, expect, it } from 'vitest';
import { renderProxyVariables } from '../../src/egress/index.ts';

const url = 'http://127.0.0.1:3128';
const variables = renderProxyVariables({ imagePath: '/usr/bin:/bin', shimDir: '/opt/kraft/bin' });

describe('the environment of a worker under a network policy (SI 1.6)', () => {
  it.each(['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'])(
    '%s names the relay, in plain http (PF-P09)',
    (name) => {
      expect(variables[name]).toBe(url);
    },
  );

  it.each(['ALL_PROXY', 'FTP_PROXY', 'NO_PROXY', 'all_proxy', 'ftp_proxy', 'no_proxy', 'npm_config_noproxy'])(
    '%s is set, to nothing, so that nobody adds one (PF-P03, PF-P04)',
    (name) => {
      expect(variables[name]).toBe('');
    },
  );

  it.each([
    ['YARN_HTTP_PROXY', url], // PF-P01
    ['YARN_HTTPS_PROXY', url],
    ['npm_config_proxy', url],
    ['npm_config_https_proxy', url],
    ['CARGO_HTTP_PROXY', url],
    ['PIP_PROXY', url],
    ['NODE_USE_ENV_PROXY', '1'], // PF-P05
    ['PATH', '/opt/kraft/bin:/usr/bin:/bin'], // SI-E2
    [
      'JAVA_TOOL_OPTIONS', // PF-P02
      '-Dhttp.proxyHost=127.0.0.1 -Dhttp.proxyPort=3128 -Dhttps.proxyHost=127.0.0.1 -Dhttps.proxyPort=3128 -Dhttp.nonProxyHosts=',
    ],
  ])('%s is %s', (name, value) => {
    expect(variables[name]).toBe(value);
  });
});
