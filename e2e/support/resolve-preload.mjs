// Loaded into a daemon before the program itself (`node --import`): names of the tests get addresses without a change of
// the machine's own hosts file. Every other name is asked of the system as before.

import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';

/** @type {Record<string, string[]>} */
const hosts = JSON.parse(process.env.KRAFT_TEST_HOSTS ?? '{}');
const lookup = dns.lookup;
const lookupPromise = dns.promises.lookup;

/** @param {string} name */
const answersFor = (name) =>
  hosts[name]?.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })) ?? null;

/** @type {any} */
const patched = (/** @type {string} */ name, /** @type {any} */ options, /** @type {any} */ callback) => {
  const done = typeof options === 'function' ? options : callback;
  const answers = answersFor(name);
  if (answers === null) return lookup(name, options, callback);
  const all = typeof options === 'object' && options !== null && options.all === true;
  process.nextTick(() => (all ? done(null, answers) : done(null, answers[0]?.address, answers[0]?.family)));
};
dns.lookup = patched;
/** @type {any} */
const patchedPromise = async (/** @type {string} */ name, /** @type {any} */ options) => {
  const answers = answersFor(name);
  if (answers === null) return lookupPromise(name, options);
  return options?.all === true ? answers : answers[0];
};
dns.promises.lookup = patchedPromise;
syncBuiltinESMExports();
