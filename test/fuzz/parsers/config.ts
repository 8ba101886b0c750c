import { isDeepStrictEqual } from 'node:util'
import { readRuleSet } from '../../../src/cli/permission-check.ts'
import { OffshootError } from '../../../src/core/errors.ts'
import { parseRule } from '../../../src/core/rules/read-rule.ts'
import { parseConfigFile } from '../../../src/config/config-file.ts'
import { loadConfig } from '../../../src/project/load-config.ts'
import { textsOf } from '../corpus.ts'
import { mutatedText } from '../mutate.ts'
import { checkNote, readOrRefused, written } from '../properties.ts'
import { hold, type Target } from '../target.ts'

const READERS = ['file', 'environment', 'rule', 'rules'] as const

type Input = { readonly reader: (typeof READERS)[number]; readonly text: string }

const FILE = '/project/offshoot.jsonc'
const NO_MORE = { names: [] }
const MAX_WARNINGS = 100
const DICTIONARY =
  `tool pattern action allow ask deny "patern" bash Bash(rm) mcp_x_* limits maxTurns budgetUsd permissions agents
  model smallModel baseUrls search keys delegations subagents isolation worktree // /* */ {} [] "a":1, null true
  OFFSHOOT_ OFFSHOOT_LIMITS__ OFFSHOOT_A__B__C OFFSHOOT___PROTO____X OFFSHOOT_CONSTRUCTOR "__proto__":{"x":1},`.split(
    /\s+/,
  )
const CORPUS = READERS.map((reader) => ({
  reader,
  corpus: textsOf('config')
    .filter(({ label }) => label === reader)
    .map(({ text }) => text),
}))

/** The configuration file, the environment, a rule, and a file of rules. */
export const config: Target<Input> = {
  name: 'config',
  limitMs: 250,
  fixed: ['reader'],
  generate(random) {
    const { reader, corpus } = random.pick(CORPUS)
    return { reader, text: mutatedText(random, { corpus, dictionary: DICTIONARY }) }
  },
  run: ({ reader, text }) => RUN[reader](text),
}

const RUN: Readonly<Record<Input['reader'], (text: string) => void>> = {
  file(text) {
    const read = readOrRefused(() => parseConfigFile(text, FILE), isConfigError)
    if ('error' in read) return namesPlace(read.error, `${FILE}:`)
    const { values, warnings } = read.value
    warnings.forEach((warning) => checkNote(warning, 'a warning'))
    hold(warnings.length <= MAX_WARNINGS, 'has too many warnings', () => `${warnings.length}`)
    const again = parseConfigFile(JSON.stringify(values), FILE)
    hold(
      written(again.values) === written(values) && again.warnings.length === 0,
      'is another when it is read again',
      () => JSON.stringify([values, again]),
    )
  },
  environment(text) {
    const env = environmentOf(text)
    const read = readOrRefused(() => loadConfig('/nowhere', env), isConfigError)
    if ('error' in read) return namesPlace(read.error, 'environment ')
    const { config, warnings } = read.value
    warnings.forEach((warning) => checkNote(warning, 'a warning'))
    const again = loadConfig('/nowhere', env, {})
    hold(isDeepStrictEqual(again.config, config), 'is another when it is read again', () => text)
  },
  rule(text) {
    const value = jsonOr(text)
    const read = readOrRefused(() => parseRule(value), isConfigError)
    if ('error' in read) return
    const again = parseRule(read.value)
    hold(isDeepStrictEqual(again, read.value), 'is another when it is read again', () =>
      JSON.stringify([read.value, again]),
    )
  },
  rules(text) {
    const read = readOrRefused(() => readRuleSet(text, FILE, NO_MORE), isConfigError)
    if ('error' in read) return namesPlace(read.error, FILE)
    hold(read.value.length > 0, 'has no level', () => text)
  },
}

function isConfigError(error: unknown): error is OffshootError {
  return error instanceof OffshootError && error.code === 'config'
}

function namesPlace({ message }: Error, place: string): void {
  hold(message.startsWith(place), 'the error names no place', () => message)
}

/** A process has no other than texts, without NUL. */
function environmentOf(text: string): Record<string, string> {
  const value = jsonOr(text)
  const entries =
    typeof value === 'object' && value !== null ? Object.entries(value) : [['OFFSHOOT_MODEL', text]]
  const plain = entries.map(([name, each]) => [
    String(name).replaceAll('\0', ''),
    (typeof each === 'string' ? each : JSON.stringify(each)).replaceAll('\0', ''),
  ])
  return { ...Object.fromEntries(plain), HOME: '/nowhere', XDG_CONFIG_HOME: '/nowhere' }
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
