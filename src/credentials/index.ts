export { credentialErrors } from './errors.ts';
export {
  agentCredentialNames,
  planForwarding,
  readForwarded,
  revealForwarded,
  sessionVariableNames,
  type EnvReader,
  type ForwardPlan,
  type ForwardRequest,
} from './plan.ts';
export { decideProxies, parseProxy, proxyNames, type ParsedProxy, type ProxyDecision } from './proxies.ts';
export {
  buildCaBundle,
  caVariableNames,
  findNamedCaFiles,
  parsePemCertificates,
  renderCaBundleName,
  renderCaVariables,
  type NamedCaFile,
} from './build-ca-bundle.ts';
export { loadExtraCa, type ExtraCa } from './load-extra-ca.ts';
export { saveCaBundle } from './save-ca-bundle.ts';
