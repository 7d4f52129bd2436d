import { baseErrors, type ErrorCatalogue, type ErrorSpec } from '../base/index.ts';
import { chainErrors } from '../chain/index.ts';
import { configErrors } from '../config/index.ts';
import { credentialErrors } from '../credentials/index.ts';
import { doctorErrors } from '../doctor/index.ts';
import { egressErrors } from '../egress/index.ts';
import { gitErrors } from '../git/index.ts';
import { harnessErrors } from '../harness/index.ts';
import { imagesErrors } from '../images/index.ts';
import { itemErrors } from '../items/index.ts';
import { launchErrors } from '../launch/index.ts';
import { limitErrors } from '../limits/index.ts';
import { processErrors } from '../process/index.ts';
import { relayErrors } from '../relay/index.ts';
import { runtimeErrors } from '../runtime/index.ts';
import { storeErrors } from '../store/index.ts';
import { walkErrors } from '../walk/index.ts';
import { workerApiErrors } from '../worker-api/index.ts';
import { composeErrors } from './errors.ts';

/** The specs of a catalogue, whatever their parameters are. */
export type AnyCatalogue = Pick<ErrorCatalogue<Record<string, ErrorSpec<never>>>, 'specs'>;

/** The catalogue of every folder that compose stands on, and its own. */
export const catalogues: readonly AnyCatalogue[] = [
  baseErrors,
  chainErrors,
  composeErrors,
  configErrors,
  credentialErrors,
  doctorErrors,
  egressErrors,
  gitErrors,
  harnessErrors,
  imagesErrors,
  itemErrors,
  launchErrors,
  limitErrors,
  processErrors,
  relayErrors,
  runtimeErrors,
  storeErrors,
  walkErrors,
  workerApiErrors,
];
