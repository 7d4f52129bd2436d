import { defineErrors } from '../base/index.ts';

export const credentialErrors = defineErrors({
  CA_BUNDLE_UNUSABLE: {
    kind: 'config',
    message: (p: { path: string; why: string }) =>
      `The extra CA ${p.path} (ca_bundle in sandbox.yaml) cannot be used: ${p.why}.`,
    remedy: () =>
      'Name a readable file with PEM certificates, by its absolute path, or remove ca_bundle from sandbox.yaml.',
  },
  CA_FILE_MISSING: {
    kind: 'config',
    message: (p: { name: string; path: string; image: string }) =>
      `${p.name} names the certificates ${p.path}, which the image ${p.image} does not have, so they cannot join the bundle with this machine's extra CA.`,
    remedy: (p: { name: string }) =>
      `Put the file into the image, or its certificates into the ca_bundle of sandbox.yaml and take ${p.name} out of env in repos.yaml.`,
  },
});
