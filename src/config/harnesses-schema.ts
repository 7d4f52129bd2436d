import { z } from 'zod';
import { Identifier, Text, problem, setting, withDefault } from './fields.ts';

const route = {
  harness: setting(Identifier, 'Harness profile.'),
  profile: setting(Identifier, 'Agent profile.'),
  model: setting(Text, 'Model.'),
  effort: setting(Text, 'Effort.'),
};

const Fallback = z.strictObject(route).superRefine((entry, ctx) => {
  if (Object.values(entry).every((value) => value === null))
    problem(ctx, 'must name a harness, a profile or a model', {});
  if (entry.profile !== null && (entry.model !== null || entry.effort !== null)) {
    problem(ctx, 'names a profile, which sets model and effort already', {
      remedy: 'Keep the profile or the model, not both.',
    });
  }
});

/** `harnesses.yaml`: profiles over harness files, and agent tiers (CC 4.1). */
export const HarnessesFile = z.strictObject({
  harnesses: setting(
    z.record(
      Identifier,
      z.strictObject({
        provider: Identifier.meta({ description: 'Harness file that spells it.' }),
        enabled: withDefault(z.boolean(), 'Whether tasks may use it.', true),
        executable: setting(Text, 'Program in place of the first word of the harness file’s command.'),
        defaults: setting(
          z.strictObject({
            model: setting(Text, 'Model where nothing chose one.'),
            effort: setting(Text, 'Effort where nothing chose one.'),
            permission_mode: setting(Text, 'Permission mode where nothing chose one.'),
          }),
          'Options where nothing chose them.',
        ),
      }),
    ),
    'Harness profiles by id: what a task’s `harness` names.',
  ),
  profiles: setting(
    z.record(
      Identifier,
      z.strictObject({
        model: z.record(Identifier, Text).meta({ description: 'Model by harness file.' }),
        effort: setting(Text, 'Effort.'),
        fallback: setting(z.array(Fallback), 'What to try next, in order.'),
      }),
    ),
    'Agent profiles by id: tiers of models.',
  ),
});
export type HarnessesFile = z.infer<typeof HarnessesFile>;
