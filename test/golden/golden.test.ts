import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { firstDifference } from './difference.ts'
import { play } from './play.ts'
import { isOfCommands, type Files } from './recording.ts'
import { scenarios } from './scenarios/index.ts'

/**
 * Ten recorded conversations show the same as when they were recorded, byte by byte, whichever store they are in.
 * `node test/golden/write.ts` records them again. Three things are not as the program gives them:
 * - the path of the directory of a test stands as `/project`, that of its user as `/user` (`withoutMachine`);
 * - the hash of the stylesheet stands for it in exported pages (`withoutStylesheet`);
 * - of the headers of HTTP those are left out that belong to the connection or to the time of day (`NOT_STABLE`).
 */
const DIRECTORY = join(import.meta.dirname, 'conversations')

function stored(name: string): Files {
  const at = join(DIRECTORY, name)
  return new Map(readdirSync(at).map((file) => [file, readFileSync(join(at, file), 'utf8')]))
}

describe.each(scenarios)('$name', (scenario) => {
  test('in SQLite', async () => {
    expect(firstDifference(stored(scenario.name), await play(scenario, 'sqlite'))).toBe(null)
  })

  test('in memory', async () => {
    const all = [...stored(scenario.name)].filter(([name]) => !isOfCommands(name))
    expect(firstDifference(new Map(all), await play(scenario, 'memory'))).toBe(null)
  })
})
