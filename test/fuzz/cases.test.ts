import { afterAll, describe, test } from 'vitest'
import { readCases } from './cases.ts'
import { check, tryInput } from './fuzz.ts'
import { TARGETS, targetNamed } from './targets.ts'

/** Another one in each run: what it finds is said with its number, which `--seed` takes. */
const ANY = Math.floor(Math.random() * 1e9)
const INPUTS: Readonly<Record<string, number>> = { agents: 100, streams: 60, http: 60, shell: 200 }

afterAll(async () => {
  for (const target of TARGETS) await target.close?.()
})

describe('what was found once', () => {
  test.each(readCases())('$parser: $name', async ({ parser, input }) => {
    await check(targetNamed(parser), input)
  })
})

describe.each(TARGETS)('$name', (target) => {
  test.each([
    ['the same inputs as ever', 1],
    ['other inputs', ANY],
  ])('%s, seed %i', async (_, seed) => {
    for (let at = 0; at < (INPUTS[target.name] ?? 400); at++) {
      const found = await tryInput(target, seed, at)
      if (found)
        throw new Error(`${found.message}\nseed ${seed}, input ${at}: ${JSON.stringify(found.input)}`)
    }
  })
})
