import { readFileSync, statSync } from 'node:fs'
import { errorMessage, OffshootError } from '../core/errors.ts'
import { checkConfig, parseConfigFile, type CheckedConfig, type RawConfig } from './config-file.ts'

/** What one source of configuration says. */
export interface ReadSource extends CheckedConfig {
  /** Whether it says anything at all. */
  readonly found: boolean
}

/** A file; `text` is all that it holds. */
export interface FileSource extends ReadSource {
  readonly file: string
  readonly text: string
}

/** @throws OffshootError `config` for a file that cannot be read or understood; one that does not exist says nothing. */
export function readSource(file: string): FileSource {
  const text = readText(file)
  if (text === null)
    return { found: false, values: {}, warnings: [], strangers: [], agents: [], text: '', file }
  return { found: true, ...parseConfigFile(text, file), text, file }
}

/** What is said in code and not known is a mistake there. */
export function readProgram(program: RawConfig): ReadSource {
  const { warnings, ...checked } = checkConfig(program, () => 'config')
  if (warnings.length > 0)
    throw new OffshootError('config', warnings.join('; ').replaceAll('" is ignored', '"'))
  return { found: true, warnings, ...checked }
}

const MAX_BYTES = 1024 * 1024

/** null where there is no file. Nothing that blocks or never ends (a pipe, a device) is opened. */
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
    hint: 'mend or remove the file',
    cause,
  })
}

/** Where keys are, and where they are sent: a project must not send the user's key to a server of its choice. */
const KEYS = ['baseUrls', 'search']
/** Settings that give an agent more than the agent that starts it has. */
const AUTHORITY = ['delegations']

/** A source that may not say everything, and where the rest has to stand. */
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

/** A project's file without what it may not say. */
export function ofProject(source: ReadSource): ReadSource {
  return without(PROJECT, source)
}

/** The environment without what it may not say. */
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
