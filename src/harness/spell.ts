import { isAgentSession } from './agent-session.ts';
import { harnessErrors } from './errors.ts';
import type { AgentOptions, Capability, Harness, SpelledCommand } from './harness.ts';
import { matchesValues } from './schema.ts';

/**
 * Kraft's neutral options as argv of one product, inside a container. Pure.
 * Errors: HARNESS_OPTION_UNSUPPORTED, HARNESS_VALUE_REFUSED: an option is spelled or refused, never dropped.
 */
export function spellCommand(harness: Harness, options: AgentOptions): SpelledCommand {
  const { capabilities: c } = harness;
  const one = (option: string, capability: Capability | null, value: string | null): string[] =>
    spellOne({ harness: harness.id, option }, capability, value);
  const inPrompt = options.context !== null && c.systemPrompt === null;
  const prompt = inPrompt ? `${options.context}\n\n${options.prompt}` : options.prompt;
  return {
    command: [
      ...spellStart(harness, options.resume),
      ...harness.args,
      ...(c.structuredLog?.cli ?? []),
      ...one('model', c.model, options.model),
      ...one('effort', c.effort, options.effort),
      ...one('permission_mode', c.permissionMode, options.permissionMode ?? harness.containerPermissionMode),
      ...spellList(c.denyTools, []),
      ...one('approval_channel', c.approvalChannel, null),
      ...(options.writableDirs.length === 0
        ? []
        : spellList(
            c.writableDirs,
            options.writableDirs.map((d) => JSON.stringify(d)),
          )),
      ...(c.systemPrompt === null || options.context === null ? [] : fill(c.systemPrompt.cli, [options.context])),
      // Last: some products take the prompt as a bare argument.
      ...fill(c.prompt.cli, [prompt]),
    ],
    env: harness.env,
    envNames: harness.credentials.map((credential) => credential.env),
    configDir: harness.configDir,
  };
}

/** The command's first words. The id was read from a log that a worker can write: it is looked at before it is an argument. */
function spellStart(harness: Harness, session: string | null): string[] {
  if (session === null) return [...harness.command];
  const { resume } = harness.capabilities;
  if (resume === null)
    throw harnessErrors.create('HARNESS_OPTION_UNSUPPORTED', { harness: harness.id, option: 'resume' });
  if (!isAgentSession(session)) throw harnessErrors.create('HARNESS_SESSION_REFUSED', { harness: harness.id, session });
  return resume.kind === 'command'
    ? fill(resume.command, [session])
    : [...harness.command, ...fill(resume.cli, [session])];
}

function spellOne(
  where: { readonly harness: string; readonly option: string },
  capability: Capability | null,
  chosen: string | null,
): string[] {
  if (capability === null || capability.cli.length === 0) {
    if (chosen === null) return [];
    throw harnessErrors.create('HARNESS_OPTION_UNSUPPORTED', where);
  }
  const value = chosen ?? capability.always[0] ?? null;
  if (value === null) return [];
  if (!matchesValues(capability.values, value))
    throw harnessErrors.create('HARNESS_VALUE_REFUSED', { ...where, value, allowed: capability.values });
  return fill(capability.cli, [value]);
}

/** A list option: what is always in it and what was chosen, once each; nothing when both are empty. */
function spellList(capability: Capability | null, chosen: readonly string[]): string[] {
  if (capability === null || capability.cli.length === 0) return [];
  const values = [...new Set([...capability.always, ...chosen])];
  return values.length === 0 ? [] : fill(capability.cli, values);
}

function fill(cli: readonly string[], values: readonly string[]): string[] {
  // A replacer function: `$&` and the like in a value stay what they are.
  return cli.map((part) => part.replace(/\{(?:value|csv)\}/gu, () => values.join(',')));
}
