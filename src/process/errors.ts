import { defineErrors } from '../base/index.ts';

export const processErrors = defineErrors({
  PROGRAM_MISSING: {
    kind: 'environment',
    message: (p: { program: string }) => `The program ${p.program} is not on PATH.`,
    remedy: (p: { program: string }) => `Install ${p.program}, or put it on the PATH of the shell that starts Kraft.`,
  },
  CLIENT_NOT_STARTED: {
    kind: 'environment',
    message: (p: { program: string; why: string }) => `The process ${p.program} could not be started: ${p.why}.`,
    remedy: () => 'Run `kraft admin doctor`; it shows whether the engine client and the run directory are in order.',
  },
});
