export type * from './options.ts';
export type * from './report.ts';
export { createDoctor, type Doctor } from './doctor.ts';
export { doctorErrors } from './errors.ts';
export { openHostProbe } from './host-probe.ts';
