/** Rows of doctor that look at what can keep a launch from starting. */
export type DoctorRowName = 'home' | 'config' | 'engine' | 'disk' | 'repo' | 'setup' | 'tests' | 'sandbox' | 'proxy';

/**
 * The row of doctor that looks at what an error is about (PF-D02); null where no look would tell more than the error does.
 * Pure; `code` with its KRAFT_ prefix.
 */
export function doctorRowOf(code: string): DoctorRowName | null {
  const name = code.replace(/^KRAFT_/u, '');
  if (Object.hasOwn(rows, name)) return rows[name] ?? null;
  return families.find(([prefix]) => name.startsWith(prefix))?.[1] ?? null;
}

/** Whole families of codes whose errors one row repeats. */
const families: readonly (readonly [string, DoctorRowName])[] = [
  ['ENGINE_', 'engine'],
  ['CONFIG_', 'config'],
  ['CHAIN_', 'sandbox'],
  ['HARNESS_', 'sandbox'],
  ['PROFILE_', 'config'],
  ['REPOSITORY_', 'repo'],
  ['RELAY_', 'sandbox'],
  ['CHANNEL_', 'sandbox'],
];

const rows: Readonly<Record<string, DoctorRowName>> = {
  // The machine.
  STATE_PATH_REFUSED: 'home',
  DISK_FLOOR: 'disk',
  LOG_CAP_FAILED: 'disk',
  PROGRAM_MISSING: 'engine',
  CLIENT_NOT_STARTED: 'engine',
  // It says whether so many sessions may ask for more memory than there is.
  HOST_MEMORY_SHORT: 'config',
  // The repository.
  GIT_TOO_OLD: 'repo',
  NOT_A_REPOSITORY: 'repo',
  REPO_UNUSABLE: 'repo',
  BRANCH_KRAFT_EXISTS: 'repo',
  REF_STORAGE_UNSUPPORTED: 'repo',
  SETUP_UNDECIDED: 'setup',
  TESTS_UNDECLARED: 'tests',
  // Its sandbox.
  FEATURE_NOT_BUILT: 'sandbox',
  ITEM_NEEDS_UNBUILT: 'sandbox',
  SANDBOX_MISSING: 'sandbox',
  SANDBOX_LOCKED: 'sandbox',
  IDENTITY_MISSING: 'sandbox',
  SELINUX_CHOICE_NEEDED: 'sandbox',
  LIMIT_UNENFORCEABLE: 'sandbox',
  LIMIT_UNKNOWN: 'sandbox',
  CA_BUNDLE_UNUSABLE: 'sandbox',
  CA_FILE_MISSING: 'sandbox',
  IMAGE_MISSING: 'sandbox',
  IMAGE_PULL_FAILED: 'sandbox',
  IMAGE_UNREADABLE: 'sandbox',
  PROGRAMS_MISSING: 'sandbox',
  PROGRAM_BROKEN: 'sandbox',
  FOREIGN_OWNER: 'sandbox',
  MOUNT_PATH_UNSUPPORTED: 'sandbox',
  CONTAINER_SPEC_INVALID: 'sandbox',
  SANDBOX_MOUNTS_WRONG: 'sandbox',
  CONTAINER_NOT_CREATED: 'sandbox',
  CONTAINER_NOT_STARTED: 'sandbox',
  UPSTREAM_PROXY_UNUSABLE: 'proxy',
  SUBORDINATE_IDS_TOO_FEW: 'sandbox',
};
