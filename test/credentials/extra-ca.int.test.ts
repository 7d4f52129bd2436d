import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadExtraCa, parsePemCertificates, saveCaBundle } from '../../src/credentials/index.ts';

const fixtures = resolve(import.meta.dirname, '..', 'fixtures', 'ca');
const one = join(fixtures, 'one.pem');
const unset = (): undefined => undefined;
let dir = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'extra-ca-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe('the extra CA of this machine', () => {
  it('is none where nothing names one (SI-9.4 D1)', () => {
    expect(loadExtraCa(null, unset)).toEqual({ source: null, certificates: [], ignored: null, refusal: null });
  });

  it('is SSL_CERT_FILE’s, and rather ca_bundle’s', () => {
    const env = (name: string): string | undefined =>
      name === 'SSL_CERT_FILE' ? join(fixtures, 'two.pem') : undefined;
    expect(loadExtraCa(null, env)).toMatchObject({ source: { from: 'SSL_CERT_FILE' }, refusal: null });
    expect(loadExtraCa(one, env)).toMatchObject({
      source: { from: 'ca_bundle', path: one },
      certificates: parsePemCertificates(readFileSync(one, 'utf8')),
    });
  });

  it('is read anew each time, so that a removed one is gone (SI-9.4 D8)', () => {
    const path = join(dir, 'ca.pem');
    writeFileSync(path, readFileSync(one));
    const env = (): string => path;
    expect(loadExtraCa(null, env).certificates).toHaveLength(1);
    rmSync(path);
    expect(loadExtraCa(null, env)).toMatchObject({ source: null, certificates: [], ignored: { path } });
  });

  const unusable: readonly [string, string, (path: string) => void][] = [
    ['is missing', 'no such file', () => undefined],
    ['is a directory', 'directory', (path) => mkdirSync(path)],
    ['is a FIFO, which would block', 'regular file', (path) => execFileSync('mkfifo', [path])],
    ['holds no PEM', 'no PEM', (path) => writeFileSync(path, 'hello')],
    [
      'holds PEM that is no certificate',
      'number 1',
      (path) => writeFileSync(path, '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'),
    ],
  ];
  it.each(unusable)(
    'stops the launch when ca_bundle %s, and is ignored as SSL_CERT_FILE (SI-9.4 D5, D6)',
    (_, why, make) => {
      const path = join(dir, 'ca.pem');
      make(path);
      const { refusal, certificates } = loadExtraCa(path, unset);
      expect(refusal).toMatchObject({ code: 'KRAFT_CA_BUNDLE_UNUSABLE', kind: 'config' });
      expect(refusal?.message).toContain(why);
      expect(certificates).toEqual([]);
      const ignored = loadExtraCa(null, () => path);
      expect(ignored).toMatchObject({ source: null, refusal: null, ignored: { path } });
      expect(ignored.ignored?.why).toContain(why);
    },
  );

  it('stops the launch when ca_bundle is relative (SI-9.4 D5)', () => {
    expect(loadExtraCa('ca.pem', unset).refusal?.message).toContain('not absolute');
  });
});

describe('the bundle file', () => {
  it('is readable by all, whatever the umask, and replaced only when it changed (SI 5.8)', () => {
    const before = process.umask(0o077);
    try {
      const path = saveCaBundle(join(dir, 'sandbox-ca'), 'abc', 'content');
      expect(path).toBe(join(dir, 'sandbox-ca', 'abc.pem'));
      expect(statSync(path).mode & 0o777).toBe(0o644);
      const { ino } = statSync(path);
      saveCaBundle(join(dir, 'sandbox-ca'), 'abc', 'content');
      expect(statSync(path).ino).toBe(ino);
      chmodSync(path, 0o400);
      saveCaBundle(join(dir, 'sandbox-ca'), 'abc', 'other');
      expect(readFileSync(path, 'utf8')).toBe('other');
      expect(statSync(path).ino).not.toBe(ino);
    } finally {
      process.umask(before);
    }
  });
});
