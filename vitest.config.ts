import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

/** They start whole programs. */
const PROGRAMS = 'test/{e2e,kill}/**/*.test.ts'
/** They need Chromium. */
const BROWSER = 'test/e2e/browser/**/*.test.ts'
/**
 * Losses of power, which take a C compiler, what is found with a mechanism switched off, what takes many programs, what
 * strace sees of commands, more random damage, and the work of projects in a sandbox, which takes packages from the
 * registry.
 */
const DURABILITY = [
  'test/power-loss/**/*.test.ts',
  'test/{kill,sim}/switches.test.ts',
  'test/many-processes/{runs,forty-processes}.test.ts',
  'test/kill/more-seeds.test.ts',
  'test/store-care/more-damage.test.ts',
  'test/e2e/daemons.test.ts',
  'test/many-cells/many-cells.test.ts',
  'test/real-work/real-work.test.ts',
  'test/traced-commands/traced-commands.test.ts',
]
/**
 * What takes longest of what takes nothing but Node: programs that are killed, or that meet; stores that are old or damaged;
 * each promise without what it rests on; processes that die after every commit; and random trees of agents.
 */
const THOROUGH = [
  'test/e2e/promises/**/*.test.ts',
  'test/e2e/{kill,two-terminals,two-libraries,provider-gate,server-left,unknown-outcome,hostile-repository}.test.ts',
  'test/e2e/{bad,damaged,lost}-store.test.ts',
  'test/kill/kill.test.ts',
  'test/many-processes/many-processes.test.ts',
  'test/old-stores/**/*.test.ts',
  'test/store-care/salvage.test.ts',
  'test/client-state.test.ts',
  'src/exec/start-guard.test.ts',
  'src/runtime/recovery/crash.test.ts',
  'src/runtime/delegation/typed/typed-crash.test.ts',
  'src/runtime/budget/budget-{trees,use}.test.ts',
  'src/runtime/host/random-scripts.test.ts',
]
/** They take packages from the registry: a fresh clone, and what is published. */
const INSTALL = 'test/e2e/{pack,programs,start}.test.ts'
/** Ten thousand seeds on all cores. */
const SEEDS = 'test/sim/{seeds,simulate}.test.ts'

const BUILT = 'test/support/built-program.ts'
/** On a busy machine a start takes seconds. */
const LIMITS = { testTimeout: 60_000, hookTimeout: 60_000 }

/**
 * `npm test` runs the first two, `npm run test:durability` `thorough` and `durability`; each other one has a script of its
 * own. `.ci/run` runs all.
 */
export default defineConfig({
  test: {
    // A worker is used for many files: starting a fresh one for each takes four times as long. Processes, not threads:
    // starting a program takes the longer the more memory its parent has, and meanwhile the other threads wait.
    pool: 'forks',
    isolate: false,
    // A guard ends what a test has left before it lets go of the output of its worker.
    teardownTimeout: 30_000,
    // Half as many again as there are cores: many tests wait for a process, a timer or the disk.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    // What is waited for comes; how soon is up to the machine.
    expect: { poll: { timeout: 20_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'web/src/**/*.test.{ts,tsx}', 'test/**/*.test.ts'],
          exclude: [PROGRAMS, SEEDS, ...DURABILITY, ...THOROUGH],
          testTimeout: 30_000,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: [PROGRAMS],
          exclude: [BROWSER, INSTALL, ...DURABILITY, ...THOROUGH],
          globalSetup: BUILT,
          ...LIMITS,
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          include: [BROWSER],
          globalSetup: BUILT,
          // Each file has a browser of its own, which alone takes a core.
          fileParallelism: false,
          ...LIMITS,
          sequence: { groupOrder: 3 },
        },
      },
      {
        extends: true,
        test: {
          name: 'thorough',
          include: THOROUGH,
          globalSetup: BUILT,
          ...LIMITS,
          sequence: { groupOrder: 4 },
        },
      },
      {
        extends: true,
        test: {
          name: 'durability',
          include: DURABILITY,
          // A hundred programs at once leave nothing to a test that looks whether something ends in time.
          fileParallelism: false,
          ...LIMITS,
          sequence: { groupOrder: 5 },
        },
      },
      {
        extends: true,
        test: { name: 'install', include: [INSTALL], ...LIMITS, sequence: { groupOrder: 7 } },
      },
      {
        extends: true,
        test: { name: 'sim', include: [SEEDS], fileParallelism: false, sequence: { groupOrder: 6 } },
      },
    ],
  },
})
