import { defineConfig } from 'vitest/config'

/** These start whole programs and install packages, so they run one file at a time, after the quick ones. */
const SLOW = 'test/{e2e,kill}/**/*.test.ts'

/** It uses all cores by itself, and comes last: its figures end the output. */
const SEEDS = 'test/sim/seeds.test.ts'

export default defineConfig({
  test: {
    // A worker is used for many files: starting a fresh one for each takes four times as long.
    pool: 'threads',
    isolate: false,
    // All cores: by default one is left out, which of two is half.
    maxWorkers: '100%',
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'web/src/**/*.test.{ts,tsx}', 'test/**/*.test.ts'],
          exclude: [SLOW, SEEDS],
          testTimeout: 30_000,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: [SLOW],
          fileParallelism: false,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          // As long as a browser is waited for: on a busy machine a second is little.
          expect: { poll: { timeout: 20_000 } },
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: { name: 'sim', include: [SEEDS], sequence: { groupOrder: 3 } },
      },
    ],
  },
})
