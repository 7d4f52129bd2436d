import { z } from 'zod';
import { EnvName, ImageRef, Text, setting, withDefault } from './fields.ts';

/** `sandbox.yaml`: how this machine runs sandboxes. */
export const SandboxFile = z.strictObject({
  cli: setting(z.enum(['docker', 'podman']), 'The engine; unset is the first one found that answers.'),
  selinux: withDefault(
    z.enum(['auto', 'relabel', 'disable']),
    'Where SELinux enforces: `relabel` gives each mount a shared label, `disable` takes labels off Kraft’s containers, `auto` stops and asks.',
    'auto',
  ),
  ca_bundle: setting(Text, 'Absolute path (or `~/…`) of a PEM file with further roots to trust.'),
  relay_image: setting(ImageRef, 'Image of the relay; unset is Kraft’s own.'),
  credentials: setting(
    z.record(
      z.string().regex(/^[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?$/, 'must be lower-case letters, digits and inner dashes'),
      EnvName,
    ),
    'For Kits: service of a credential to the daemon’s variable that holds it.',
  ),
});
export type SandboxFile = z.infer<typeof SandboxFile>;
