// What this machine is like, as far as engines care.

import { existsSync, readFileSync } from 'node:fs';

const CAP_SYS_RESOURCE = 24;

function readText(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** The facts by which the engines' own settings are decided. */
export function probeHost() {
  const effective = /^CapEff:\s*([0-9a-f]+)$/m.exec(readText('/proc/self/status'))?.[1] ?? '0';
  const limits = readText('/proc/self/limits');
  const hard = (name) => {
    const value = new RegExp(`^${name}\\s+\\S+\\s+(\\S+)`, 'm').exec(limits)?.[1] ?? 'unlimited';
    return value === 'unlimited' ? null : Number(value);
  };
  return {
    systemd: existsSync('/run/systemd/system'),
    unifiedCgroups: existsSync('/sys/fs/cgroup/cgroup.controllers'),
    mayRaiseLimits: (BigInt(`0x${effective}`) & (1n << BigInt(CAP_SYS_RESOURCE))) !== 0n,
    openFilesMax: hard('Max open files'),
    processesMax: hard('Max processes'),
    pidMax: Number(readText('/proc/sys/kernel/pid_max').trim() || '32768'),
  };
}
