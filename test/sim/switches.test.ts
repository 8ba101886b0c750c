import { join } from 'node:path'
import { expect, test } from 'vitest'
import { killers } from '../mutants/killers.ts'
import { StartedProgram } from '../support/started-program.ts'
import { simulate } from './simulate.ts'

const ROOT = join(import.meta.dirname, '../..')
const noticed = Object.entries(killers).filter(([, { suite }]) => suite === 'test:sim')

test.each(noticed)(
  'without %s its seed breaks an invariant, and with it none',
  { timeout: 120_000 },
  async (mechanism, { seed, invariant }) => {
    const args = ['test/sim/main.ts', '--seed', String(seed), '--off', mechanism]
    const env = { PATH: process.env['PATH'] ?? '' }
    const { code, stdout, stderr } = await new StartedProgram([process.execPath, ...args], { cwd: ROOT, env })
      .ended
    expect(code, stderr).toBe(1)
    expect(stdout).toContain(`seed ${seed}: ${invariant}: `)
    expect((await simulate(seed)).problems).toEqual([])
  },
)
