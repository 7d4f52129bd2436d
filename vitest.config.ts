import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';

// Tests start many commands and threads from the TypeScript sources. Node keeps what it has stripped and compiled.
process.env['NODE_COMPILE_CACHE'] ??= resolve(import.meta.dirname, 'node_modules/.cache/kraft-compile');

const strict = { retry: 0, mockReset: true, unstubEnvs: true, expect: { requireAssertions: true } } as const;

export default defineConfig({
  test: {
    // On two cores vitest would use one; most of these tests wait for git, disks and engines.
    maxWorkers: 2,
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/**/*.int.test.ts'],
          testTimeout: 20_000,
          ...strict,
        },
      },
      {
        test: {
          name: 'int',
          include: ['test/**/*.int.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          ...strict,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['e2e/**/*.e2e.test.ts'],
          globalSetup: ['e2e/support/global-setup.ts'],
          testTimeout: 240_000,
          hookTimeout: 240_000,
          ...strict,
        },
      },
    ],
  },
});
