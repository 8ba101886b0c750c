// Plays the ten conversations and stores what they show: node test/golden/write.ts [NAME...]
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { play } from './play.ts'
import { scenarios } from './scenarios/index.ts'

const DIRECTORY = join(import.meta.dirname, 'conversations')

const names = process.argv.slice(2)
for (const scenario of scenarios) {
  if (names.length > 0 && !names.includes(scenario.name)) continue
  const at = join(DIRECTORY, scenario.name)
  rmSync(at, { recursive: true, force: true })
  mkdirSync(at, { recursive: true })
  const files = await play(scenario, 'sqlite')
  for (const [name, text] of files) writeFileSync(join(at, name), text)
  process.stdout.write(`${scenario.name}: ${files.size} files\n`)
}
