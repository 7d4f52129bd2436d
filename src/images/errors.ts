import { defineErrors } from '../base/index.ts';

export const imagesErrors = defineErrors({
  IMAGE_SOURCE_BROKEN: {
    kind: 'bug',
    message: (p: { name: string; why: string }) =>
      `The source of the image ${p.name} inside Kraft is broken: ${p.why}.`,
    remedy: () => 'Install Kraft again; if it stays, please report it.',
  },
  IMAGE_UNKNOWN: {
    kind: 'usage',
    message: (p: { name: string; known: string }) => `Kraft has no image named ${p.name}; it has ${p.known}.`,
    remedy: () => 'Run `kraft admin images list` to see them.',
  },
  IMAGE_PART_NOT_FETCHED: {
    kind: 'environment',
    message: (p: { spec: string; why: string }) => `${p.spec}, a part of the image, could not be fetched: ${p.why}.`,
    remedy: (p: { spec: string }) =>
      `Check that \`npm pack ${p.spec}\` works here (registry, proxy, certificates), then run \`kraft admin images build\` again.`,
  },
  IMAGE_PART_CHANGED: {
    kind: 'denied',
    message: (p: { spec: string; expected: string; found: string }) =>
      `${p.spec} is not what Kraft pinned: its checksum is ${p.found} in place of ${p.expected}.`,
    remedy: () =>
      'Do not use it. Check which registry `npm config get registry` names, and report it if it is the public one.',
  },
  IMAGE_ARCHITECTURE_UNSUPPORTED: {
    kind: 'environment',
    message: (p: { name: string; architecture: string }) =>
      `The image ${p.name} cannot be built on ${p.architecture}: Kraft has parts for x64 and arm64 only.`,
    remedy: () => 'Build an image of your own and name it with `kraft repo connect --image`.',
  },
});
