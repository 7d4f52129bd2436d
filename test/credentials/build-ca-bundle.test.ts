import { describe, expect, it } from 'vitest';
import {
  buildCaBundle,
  caVariableNames,
  findNamedCaFiles,
  parsePemCertificates,
  renderCaBundleName,
  renderCaVariables,
} from '../../src/credentials/index.ts';

const one = pem('AAAA');
const two = pem('BBBB');
const three = pem('CCCC');
function pem(body: string): string {
  return `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----\n`;
}

describe('the CA bundle of an image', () => {
  it('has the image’s roots first, then the extra CA, each once (SI-9.4 D2)', () => {
    const roots = parsePemCertificates(`# roots\n${one}${two}`);
    expect(buildCaBundle(roots, parsePemCertificates(two + three))).toBe(one + two + three);
  });

  it('takes the same certificate in other line lengths and endings for the same', () => {
    const long = 'A'.repeat(100);
    const wrapped = pem(`${'A'.repeat(64)}\n${'A'.repeat(36)}`);
    expect(parsePemCertificates(pem(long) + wrapped.replaceAll('\n', '\r\n'))).toEqual([wrapped, wrapped]);
    expect(buildCaBundle(parsePemCertificates(pem(long) + wrapped))).toBe(wrapped);
  });

  it('keeps certificates alone: no key, no comment, no trusted or broken block', () => {
    const text = `Subject: x\n-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n${one}
-----BEGIN TRUSTED CERTIFICATE-----\nBBBB\n-----END TRUSTED CERTIFICATE-----
-----BEGIN CERTIFICATE-----\nnot base64!\n-----END CERTIFICATE-----\n-----BEGIN CERTIFICATE-----\nDDDD\n`;
    expect(parsePemCertificates(text)).toEqual([one]);
  });

  it('is the extra CA alone for an image without roots (SI-9.4 D2)', () => {
    expect(buildCaBundle([], [two])).toBe(two);
  });

  it('is what every tool’s variable names, all of them by the container’s path (SI-9.4 D7, PF-T07)', () => {
    expect(renderCaVariables('/etc/kraft/ca-bundle.pem')).toEqual(
      Object.fromEntries(caVariableNames.map((name) => [name, '/etc/kraft/ca-bundle.pem'])),
    );
    expect(caVariableNames).toEqual(
      expect.arrayContaining(
        'SSL_CERT_FILE REQUESTS_CA_BUNDLE CURL_CA_BUNDLE GIT_SSL_CAINFO NODE_EXTRA_CA_CERTS CODEX_CA_CERTIFICATE PIP_CERT npm_config_cafile CARGO_HTTP_CAINFO AWS_CA_BUNDLE DENO_CERT YARN_HTTPS_CA_FILE_PATH'.split(
          ' ',
        ),
      ),
    );
  });

  it.each([
    ['4f2a', /^4f2a$/u],
    [null, /^image-[0-9a-f]{32}$/u],
    ['../x', /^image-[0-9a-f]{32}$/u],
  ])('is filed under the image’s id, or a hash of its name for id %j (SI 5.8)', (id, name) => {
    expect(renderCaBundleName(id, 'img')).toMatch(name);
    expect(renderCaBundleName(null, 'img')).not.toBe(renderCaBundleName(null, 'other'));
  });
});

describe('CA files that variables name already (PF-T15)', () => {
  it('are found in the image and in the repository’s env, which wins', () => {
    const found = findNamedCaFiles({ PIP_CERT: '/repo/pip.pem', OTHER: '/x' }, [
      'PATH=/bin',
      'PIP_CERT=/image/pip.pem',
      'SSL_CERT_FILE=/image/ssl=1.pem',
      'CURL_CA_BUNDLE=',
    ]);
    expect(found).toEqual([
      { name: 'SSL_CERT_FILE', path: '/image/ssl=1.pem', from: 'image' },
      { name: 'PIP_CERT', path: '/repo/pip.pem', from: 'repository' },
    ]);
  });
});
