import { globSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { temporaryFolder, userEnvironment } from '../support/fresh-copy.ts'
import { StartedProgram } from '../support/started-program.ts'

const EXAMPLES = join(import.meta.dirname, '../../examples')

/** What each of them prints without a key. */
const PRINTED: Readonly<Record<string, readonly RegExp[]>> = {
  'approval.ts': [
    /^main asks: touch harmless\.txt -> once$/m,
    /^main asks: rm -rf \. -> deny$/m,
    /^completed: One command ran, the other was refused\.$/m,
  ],
  'compare-agents.ts': [
    /^optimist: completed, \d+ tokens, 0 USD\n {2}A rewrite in/m,
    /^critic: completed.*\n {2}A rewrite loses/m,
  ],
  'custom-tool.ts': [
    /^Count bolt: {"article":"bolt","pieces":120}$/m,
    /^Count wing: failed: there is no article wing$/m,
    /^There are 120 bolts/m,
  ],
  'resume.ts': [
    /^the first process ended with SIGKILL$/m,
    /^taken up: completed: It measures 42\.$/m,
    /^ {2}system\n {2}user\n {2}assistant\n {2}tool\n/m,
  ],
  'typed-report.ts': [/^high: the key is in the log$/m, /^completed$/m],
}

let place: string

beforeAll(() => {
  place = temporaryFolder('examples')
  mkdirSync(join(place, 'here'))
})
afterAll(() => rmSync(place, { recursive: true, force: true }))

it('every example is run here', () => {
  const all = globSync('*.ts', { cwd: EXAMPLES }).filter((name) => name !== 'model.ts')
  expect(all.toSorted()).toEqual(Object.keys(PRINTED).toSorted())
})

it.each(Object.keys(PRINTED))('examples/%s', async (name) => {
  const env = { ...userEnvironment(join(place, 'home')), HOME: place }
  const command = [process.execPath, join(EXAMPLES, name)] as const
  const { code, stdout, stderr } = await new StartedProgram(command, { cwd: join(place, 'here'), env }).ended
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  for (const line of PRINTED[name]!) expect(stdout).toMatch(line)
})
