import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')

/** Names the folder of the bundles of this test run (built-program.ts). */
export const BUILT = 'OFFSHOOT_TEST_BUILT'

/** What a test starts. */
export interface ProgramFiles {
  readonly main: string
  /** With all that only tests may have (main.ts in this folder). */
  readonly testBuild: string
  /** For NODE_COMPILE_CACHE. */
  readonly compiled: string
}

/** The bundles where they were made for this test run, else the sources. */
export function programFiles(): ProgramFiles {
  const folder = process.env[BUILT]
  if (folder)
    return {
      main: join(folder, 'offshoot.js'),
      testBuild: join(folder, 'test-build.js'),
      compiled: join(folder, 'compiled'),
    }
  return {
    main: join(ROOT, 'src/cli/main.ts'),
    testBuild: join(ROOT, 'test/support/main.ts'),
    compiled: join(ROOT, 'node_modules/.cache/offshoot-compiled'),
  }
}
