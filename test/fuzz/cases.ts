import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Json } from '../../src/core/json.ts'
import type { Found } from './fuzz.ts'

/** One input that was found, kept as a file `cases/PARSER/NAME.json`. */
interface Case {
  readonly parser: string
  readonly name: string
  readonly input: Json
}

const CASES = join(import.meta.dirname, 'cases')

export function readCases(): readonly Case[] {
  return globSync('*/*.json', { cwd: CASES })
    .toSorted()
    .map((path) => {
      const [parser = '', file = ''] = path.split('/')
      const { input } = JSON.parse(readFileSync(join(CASES, path), 'utf8')) as { readonly input: Json }
      return { parser, name: file.replace(/\.json$/, ''), input }
    })
}

/** Returns the path of the file. The same input of the same seed has the same file. */
export function writeCase({ parser, property, message, seed, at, input }: Found): string {
  const folder = join(CASES, parser)
  mkdirSync(folder, { recursive: true })
  const words = property.toLowerCase().replace(/[^a-z0-9]+/g, '-')
  const file = join(folder, `${words.slice(0, 40).replace(/-$/, '')}-${seed}-${at}.json`)
  writeFileSync(file, `${JSON.stringify({ found: message, seed, at, input }, null, 2)}\n`)
  return file
}
