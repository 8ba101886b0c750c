import { readFileSync, statSync } from 'node:fs'
import { errorMessage, OffshootError } from '../core/errors.ts'
import { checkConfig, parseConfigFile, type CheckedConfig, type RawConfig } from './config-file.ts'

/** The values of one configuration source. */
export interface ReadSource extends CheckedConfig {
  /** Whether it sets anything. */
  readonly found: boolean
}

/** A file; `text` is its whole content. */
export interface FileSource extends ReadSource {
  readonly file: string
  readonly text: string
}

/** @throws OffshootError `config` for an unreadable or invalid file; a missing one sets nothing. */
export function readSource(file: string): FileSource {
  const text = readText(file)
  if (text === null)
    return { found: false, values: {}, warnings: [], strangers: [], agents: [], text: '', file }
  return { found: true, ...parseConfigFile(text, file), text, file }
}

/** Unknown values in code are mistakes. */
export function readProgram(program: RawConfig): ReadSource {
  const { warnings, ...checked } = checkConfig(program, () => 'config')
  if (warnings.length > 0)
    throw new OffshootError('config', warnings.join('; ').replaceAll('" is ignored', '"'))
  return { found: true, warnings, ...checked }
}

const MAX_BYTES = 1024 * 1024

/** null: no such file. Never opens anything that blocks or never ends (a pipe, a device). */
function readText(file: string): string | null {
  let bytes: Buffer
  try {
    const stats = statSync(file)
    if (!stats.isFile()) throw new Error('it is not a file')
    if (stats.size > MAX_BYTES) throw new Error(`it has ${stats.size} bytes; at most ${MAX_BYTES} are read`)
    bytes = readFileSync(file)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    throw unreadable(file, errorMessage(error), error)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw unreadable(file, 'it is not UTF-8', error)
  }
}

function unreadable(file: string, why: string, cause: unknown): OffshootError {
  return new OffshootError('config', `${file} cannot be read: ${why}`, {
    hint: 'fix or remove the file',
    cause,
  })
}

/** Sources and destinations of keys: a project must not send the user's key to its own server. */
const KEYS = ['baseUrls', 'search']
/** Settings that give an agent more rights than its starter. */
const AUTHORITY = ['delegations']

/** A restricted source, and where its forbidden settings belong. */
interface Barred {
  readonly name: string
  readonly where: Readonly<Record<string, string>>
}

const PROJECT: Barred = {
  name: 'offshoot.jsonc',
  where: {
    ...Object.fromEntries(KEYS.map((key) => [key, 'the user config and the environment'])),
    ...Object.fromEntries(AUTHORITY.map((key) => [key, 'the user config'])),
  },
}
const ENVIRONMENT: Barred = {
  name: 'environment',
  where: Object.fromEntries(AUTHORITY.map((key) => [key, 'the user config'])),
}

/** A project's file without forbidden settings. */
export function ofProject(source: ReadSource): ReadSource {
  return without(PROJECT, source)
}

/** The environment without forbidden settings. */
export function ofEnvironment(source: ReadSource): ReadSource {
  return without(ENVIRONMENT, source)
}

function without({ name, where }: Barred, source: ReadSource): ReadSource {
  const entries = Object.entries(source.values)
  const barred = entries.filter(([key]) => Object.hasOwn(where, key))
  const rest = entries.filter(([key]) => !Object.hasOwn(where, key))
  const warnings = barred.map(
    ([key]) => `${name}: ${key} is read from ${where[key]} only; it is ignored here`,
  )
  return { ...source, values: Object.fromEntries(rest), warnings: [...source.warnings, ...warnings] }
}
