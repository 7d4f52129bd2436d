import { renderSize } from '../base/index.ts';
import type { ContainerLimits, ContainerSpec, Mount } from './container.ts';
import type { EngineKind } from './engine.ts';
import { runtimeErrors } from './errors.ts';

/**
 * `run …`: the arguments of the engine's CLI for one container (SI 1.4). Pure; the CLI itself is not among them.
 * Errors: MOUNT_PATH_UNSUPPORTED, CONTAINER_SPEC_INVALID, so that nothing of the spec can become a flag of its own.
 */
export function renderRunArgs(spec: ContainerSpec, kind: EngineKind): readonly string[] {
  return [
    'run',
    // A named container is kept, so that its end can be read; without a log of its own it leaves no secret behind.
    ...(spec.name === null ? ['--rm'] : ['--log-driver=none']),
    ...(spec.init ? ['--init'] : []),
    ...renderIdentity(spec),
    '--security-opt=no-new-privileges',
    ...(spec.selinux === 'disable' ? ['--security-opt=label=disable'] : []),
    '--cap-drop=ALL',
    ...(kind === 'podman' ? podmanEnvironmentFlags : []),
    ...renderLimits(spec.limits),
    ...renderPlace(spec),
    ...spec.mounts.flatMap((mount) => ['-v', renderMount(mount, spec.selinux === 'relabel')]),
    ...Object.entries(spec.tmpfs).flatMap(([path, options]) => ['--tmpfs', `${path}:${options}`]),
    ...renderHandles(spec),
    ...renderEnvironment(spec),
    checkedImage(spec.image),
    ...spec.command,
  ];
}

// Podman would copy the client's proxy variables, or with `env_host` in containers.conf its whole environment.
const podmanEnvironmentFlags = ['--http-proxy=false', '--env-host=false'];

/** Labels and the user; `-u` follows the first label directly, which SI 1.4 asks for. */
function renderIdentity(spec: ContainerSpec): string[] {
  const [first, ...others] = Object.entries(spec.labels).map(([key, value]) => ['--label', `${key}=${value}`]);
  return [
    ...(first ?? []),
    ...(spec.user === null ? [] : ['-u', spec.user]),
    ...(spec.userNamespace === null ? [] : [`--userns=${spec.userNamespace}`]),
    ...others.flat(),
  ];
}

function renderPlace(spec: ContainerSpec): string[] {
  return [
    ...(spec.network === null ? [] : [`--network=${spec.network}`]),
    ...(spec.readOnlyRoot ? ['--read-only'] : []),
    ...(spec.interactive ? ['-i'] : []),
    ...(spec.pull === null ? [] : [`--pull=${spec.pull}`]),
    ...(spec.workingDir === null ? [] : ['-w', spec.workingDir]),
  ];
}

/** What the container is found by afterwards, and its entrypoint. */
function renderHandles(spec: ContainerSpec): string[] {
  return [
    ...(spec.name === null ? [] : ['--name', spec.name]),
    ...(spec.cidFile === null ? [] : [`--cidfile=${spec.cidFile}`]),
    ...(spec.entrypoint === null ? [] : [`--entrypoint=${spec.entrypoint}`]),
  ];
}

function renderLimits(limits: ContainerLimits): string[] {
  const memory = limits.memoryBytes === null ? null : renderSize(limits.memoryBytes);
  return [
    ...(limits.cpu === null ? [] : [`--cpus=${renderCpus(limits.cpu)}`]),
    ...(memory === null ? [] : [`--memory=${memory}`]),
    ...(memory === null || !limits.closeSwap ? [] : [`--memory-swap=${memory}`]),
    ...(limits.pids === null ? [] : [`--pids-limit=${limits.pids}`]),
  ];
}

/** CPUs in fixed point: no exponent, no rounding, no trailing zeros (SI 6.2). Preconditions: finite and positive. */
export function renderCpus(cpu: number): string {
  const [mantissa = '', exponent] = String(cpu).split('e');
  if (exponent === undefined) return mantissa;
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  if (point <= 0) return `0.${'0'.repeat(-point)}${digits}`;
  return digits.length <= point ? digits.padEnd(point, '0') : `${digits.slice(0, point)}.${digits.slice(point)}`;
}

function renderMount(mount: Mount, relabel: boolean): string {
  for (const path of [mount.source, mount.target]) {
    if (!path.startsWith('/') || /[:\u0000-\u001f\u007f]/u.test(path))
      throw runtimeErrors.create('MOUNT_PATH_UNSUPPORTED', { path });
  }
  const options = [...(mount.readOnly ? ['ro'] : []), ...(relabel ? ['z'] : [])].join(',');
  return `${mount.source}:${mount.target}${options === '' ? '' : `:${options}`}`;
}

function renderEnvironment(spec: ContainerSpec): string[] {
  // Which of the two an engine lets win is not left to the engine: a literal is never also passed bare.
  const bare = [...new Set(spec.envNames)].filter((name) => !Object.hasOwn(spec.envLiterals, name));
  return [
    ...bare.flatMap((name) => ['-e', checkedName(name)]),
    ...Object.entries(spec.envLiterals).flatMap(([name, value]) => ['-e', `${checkedName(name)}=${value}`]),
  ];
}

/** A bare name that ends in `*` would make Podman pass every variable with that prefix. */
function checkedName(name: string): string {
  if (!/^[^=*\s\u0000-\u001f]+$/u.test(name))
    throw runtimeErrors.create('CONTAINER_SPEC_INVALID', { what: 'a variable name', value: name });
  return name;
}

function checkedImage(image: string): string {
  if (!/^[A-Za-z0-9][^\s]*$/u.test(image))
    throw runtimeErrors.create('CONTAINER_SPEC_INVALID', { what: 'the image', value: image });
  return image;
}
