export type * from './harness.ts';
export { harnessErrors } from './errors.ts';
export { loadHarnesses, type HarnessSet } from './load.ts';
export { selectHarness } from './select.ts';
export { spellCommand } from './spell.ts';
export { refuseAgent, type AgentLaunch } from './refuse.ts';
export { HarnessFile } from './schema.ts';
