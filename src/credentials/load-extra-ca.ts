import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import type { KraftError } from '../base/index.ts';
import { parsePemCertificates } from './build-ca-bundle.ts';
import { credentialErrors } from './errors.ts';
import type { EnvReader } from './plan.ts';

/** Extra roots of this machine, read anew for each launch (CC 2). */
export interface ExtraCa {
  /** Null: this machine has none, and containers get neither mount nor variable. */
  readonly source: { readonly from: 'ca_bundle' | 'SSL_CERT_FILE'; readonly path: string } | null;
  /** PEM blocks; empty when there is no source. */
  readonly certificates: readonly string[];
  /** An SSL_CERT_FILE that cannot be used, for doctor's warning. */
  readonly ignored: { readonly path: string; readonly why: string } | null;
  /** Stops the launch: CA_BUNDLE_UNUSABLE. */
  readonly refusal: KraftError | null;
}

const none: ExtraCa = { source: null, certificates: [], ignored: null, refusal: null };
const sizeMaxBytes = 16 * 1024 * 1024;

/**
 * The extra CA: `ca_bundle` of sandbox.yaml, else SSL_CERT_FILE. What was asked for and cannot be used refuses the
 * launch; what merely lies in the environment is ignored, with the reason (SI 5.8).
 */
export function loadExtraCa(caBundle: string | null, env: EnvReader): ExtraCa {
  if (caBundle !== null) {
    const read = readCertificates(caBundle);
    if ('why' in read)
      return { ...none, refusal: credentialErrors.create('CA_BUNDLE_UNUSABLE', { path: caBundle, why: read.why }) };
    return { ...none, source: { from: 'ca_bundle', path: caBundle }, certificates: read.certificates };
  }
  const path = env('SSL_CERT_FILE');
  if (path === undefined || path === '') return none;
  const read = readCertificates(path);
  if ('why' in read) return { ...none, ignored: { path, why: read.why } };
  return { ...none, source: { from: 'SSL_CERT_FILE', path }, certificates: read.certificates };
}

function readCertificates(path: string): { readonly certificates: readonly string[] } | { readonly why: string } {
  if (!isAbsolute(path)) return { why: 'the path is not absolute' };
  try {
    // A FIFO or device would block or never end.
    const file = statSync(path);
    if (file.isDirectory()) return { why: 'it is a directory' };
    if (!file.isFile()) return { why: 'it is no regular file' };
    if (file.size > sizeMaxBytes) return { why: 'it is larger than 16 MiB' };
    const certificates = parsePemCertificates(readFileSync(path, 'utf8'));
    if (certificates.length === 0) return { why: 'it holds no PEM certificate' };
    const bad = certificates.findIndex((certificate) => !isCertificate(certificate));
    return bad === -1 ? { certificates } : { why: `its certificate number ${bad + 1} cannot be read` };
  } catch (error) {
    return { why: error instanceof Error && 'code' in error ? explain(String(error.code)) : 'it cannot be read' };
  }
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}

function explain(code: string): string {
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EACCES') return 'this user may not read it';
  return `it cannot be read (${code})`;
}
