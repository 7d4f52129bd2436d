import { z } from 'zod';
import type { ContainerState } from './engine.ts';

/** A container as both engines describe it when they are asked for one by name. */
export const InspectedContainer = z.object({
  Id: z.string(),
  State: z.object({
    Running: z.boolean(),
    ExitCode: z.number(),
    OOMKilled: z.boolean(),
    Pid: z.number().nullish(),
    StartedAt: z.string().nullish(),
  }),
  HostConfig: z.object({ Memory: z.number() }),
});

export function toContainerState({ Id, State, HostConfig }: z.infer<typeof InspectedContainer>): ContainerState {
  return {
    id: Id,
    running: State.Running,
    pid: State.Pid || null,
    // One that was created and never started has a code of 0 too, which would read as success.
    exitCode: State.Running || State.StartedAt?.startsWith('0001-') === true ? null : State.ExitCode,
    oomKilled: State.OOMKilled,
    memoryLimitBytes: HostConfig.Memory,
  };
}
