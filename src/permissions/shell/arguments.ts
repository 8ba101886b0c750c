import type { Field } from './field.ts'
import { isStatic, restOf, startsUnknown } from './field.ts'

/** The options of a program that are known to be harmless. Any other option makes a call ask. */
export interface OptionTable {
  /** Letters that take no value, including `0-9` if `-20` is an option. */
  readonly flags?: string
  /** Long names, without dashes, that take no value or only an attached one. */
  readonly longs?: string
  /** Letters and long names that take a text. */
  readonly values?: string
  /** Letters whose value is attached or missing: `-uno`. */
  readonly optional?: string
  /** Letters and long names that take a file or directory to read. */
  readonly reads?: string
  /** Letters and long names that take a file to write: these make a call ask. */
  readonly writes?: string
  /** Letters and long names that take a file to send elsewhere: these make a call ask. */
  readonly sends?: string
  /** No option of the program writes a file, runs a program or changes anything. */
  readonly any?: boolean
  /** Options end at the first operand: the rest belongs to another program. */
  readonly ordered?: boolean
}

export interface Option {
  /** As written, without an attached value: `-o`, `--output`. */
  readonly name: string
  readonly value: Field | null
}

export interface Arguments {
  readonly options: readonly Option[]
  readonly operands: readonly Field[]
  /** Options missing from the table. */
  readonly unknown: readonly string[]
  readonly reads: readonly Field[]
  readonly writes: readonly Field[]
  /** A word that is unknown before the command runs and may be an option. */
  readonly doubtful: boolean
}

/** Sorts the words after a command's name by the rules of getopt: clusters, attached values, `--`. */
export function sortArguments(fields: readonly Field[], table: OptionTable): Arguments {
  const sorter = new ArgumentSorter(table)
  for (let at = 0; at < fields.length;) {
    const field = fields[at]
    if (field === undefined) break
    if (isStatic(field) && field.text === '--') {
      sorter.operands.push(...fields.slice(at + 1))
      break
    }
    at += sorter.take(field, fields[at + 1])
    if (table.ordered === true && sorter.operands.length > 0) {
      sorter.operands.push(...fields.slice(at))
      break
    }
  }
  return sorter
}

class ArgumentSorter implements Arguments {
  readonly options: Option[] = []
  readonly operands: Field[] = []
  readonly unknown: string[] = []
  readonly reads: Field[] = []
  readonly writes: Field[] = []
  doubtful = false
  readonly #table: OptionTable
  readonly #reads: ReadonlySet<string>
  readonly #values: ReadonlySet<string>
  readonly #writes: ReadonlySet<string>
  readonly #sends: ReadonlySet<string>
  readonly #longs: ReadonlySet<string>
  readonly #optional: ReadonlySet<string>

  constructor(table: OptionTable) {
    this.#table = table
    this.#reads = names(table.reads)
    this.#values = names(table.values)
    this.#writes = names(table.writes)
    this.#sends = names(table.sends)
    this.#longs = names(table.longs)
    this.#optional = names(table.optional)
  }

  /** Returns how many words the option consumed. */
  take(field: Field, next: Field | undefined): 1 | 2 {
    if (field.text.startsWith('--')) return this.#long(field, next)
    if (field.text.startsWith('-') && field.text.length > 1) return this.#cluster(field, next)
    if (startsUnknown(field) && field.from === undefined) this.doubtful = true
    this.operands.push(field)
    return 1
  }

  #long(field: Field, next: Field | undefined): 1 | 2 {
    const equals = field.text.indexOf('=')
    const name = equals === -1 ? field.text : field.text.slice(0, equals)
    const attached = equals === -1 ? null : restOf(field, `${name}=`)
    const key = name.slice(2)
    if (this.#takes(key)) {
      this.#take(key, name, attached ?? next ?? null)
      return attached === null ? 2 : 1
    }
    const isKnown = this.#longs.has(key) || (this.#table.any === true && !ACTING.test(key))
    if (!isKnown) {
      this.unknown.push(name)
      if (attached !== null) this.#mayRead(attached)
    }
    this.options.push({ name, value: attached })
    return 1
  }

  #cluster(field: Field, next: Field | undefined): 1 | 2 {
    for (let at = 1; at < field.text.length; at += 1) {
      const letter = field.text.charAt(at)
      const name = `-${letter}`
      if (this.#takes(letter)) {
        const rest = at + 1 < field.text.length ? restOf(field, field.text.slice(0, at + 1)) : null
        this.#take(letter, name, rest ?? next ?? null)
        return rest === null ? 2 : 1
      }
      if (this.#optional.has(letter)) {
        const rest = field.text.slice(0, at + 1)
        this.options.push({ name, value: rest === field.text ? null : restOf(field, rest) })
        return 1
      }
      this.options.push({ name, value: null })
      if (this.#table.any !== true && !this.#flag(letter)) {
        this.unknown.push(name)
        if (at + 1 < field.text.length) this.#mayRead(restOf(field, field.text.slice(0, at + 1)))
        return 1
      }
    }
    return 1
  }

  /** The value attached to an unknown option may be a file name. */
  #mayRead(value: Field) {
    const names = isStatic(value) && !/\s|^[a-z][a-z0-9+.-]*:\/\//i.test(value.text)
    if (names) this.reads.push(value)
  }

  #takes(key: string): boolean {
    return [this.#reads, this.#values, this.#writes, this.#sends].some((keys) => keys.has(key))
  }

  #take(key: string, name: string, value: Field | null) {
    if (value !== null && (this.#reads.has(key) || this.#sends.has(key))) this.reads.push(value)
    if (this.#sends.has(key)) this.unknown.push(name)
    if (this.#writes.has(key) && !isNowhere(value)) {
      this.unknown.push(name)
      if (value !== null) this.writes.push(value)
    }
    this.options.push({ name, value })
  }

  #flag(letter: string): boolean {
    const flags = this.#table.flags ?? ''
    return flags.includes(letter) || (/\d/.test(letter) && flags.includes('0-9'))
  }
}

/** Whether the value is /dev/null or the command's own output. */
export function isNowhere(value: Field | null): boolean {
  return value !== null && /^\/dev\/(null|stdout|stderr)$/.test(value.text)
}

/** A long option that may write, run or load something in any program. */
const ACTING = /out|write|exec|command|cmd|program|config|script|plugin|load|save|log|shell|eval|hook|from/

/** The lists of the tables, each split once. */
const known = new Map<string, ReadonlySet<string>>()

function names(text = ''): ReadonlySet<string> {
  const found = known.get(text)
  if (found !== undefined) return found
  const made = new Set(text.split(/\s+/).filter((name) => name !== ''))
  known.set(text, made)
  return made
}
