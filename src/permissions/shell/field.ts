import { UNKNOWN } from '../match-pattern.ts'

/** A word of a command after expansion and quote removal. */
export interface Field {
  /** UNKNOWN where text comes from outside of the command line; globs as they are written. */
  readonly text: string
  /** As `text`, with UNKNOWN for globs too. */
  readonly uncertain: string
  /** The unknown part may be several words, or none. */
  readonly loose: boolean
  /** Begins with an unquoted `~`. */
  readonly tilde: boolean
  /** Holds an unquoted glob. */
  readonly glob: boolean
  /** Where the unknown part comes from, if that makes it less dangerous. */
  readonly from?: 'process' | 'files' | 'number'
  /** `from: 'files'`: where they are found. */
  readonly found?: readonly FileUse[]
}

/** How a program takes the files below a directory. */
export interface Walk {
  /** Globs of names, one of which a file must match; null: any name. */
  readonly names: readonly string[] | null
  readonly hidden: boolean
  readonly links: boolean
  /** Whether guarded files that exist there count. */
  readonly look: boolean
}

export interface FileUse {
  readonly access: 'read' | 'write' | 'remove'
  readonly field: Field
  /** Takes all files below it. */
  readonly walk?: Walk
  /** Only a part of an argument that may name a file: what allows has nothing to say of it. */
  readonly mention?: true
}

export function staticField(text: string): Field {
  return { text, uncertain: text, loose: false, tilde: false, glob: false }
}

export const unknownField: Field = {
  text: UNKNOWN,
  uncertain: UNKNOWN,
  loose: true,
  tilde: false,
  glob: false,
}

export function isStatic(field: Field): boolean {
  return !field.uncertain.includes(UNKNOWN)
}

export function startsUnknown(field: Field): boolean {
  return field.text.startsWith(UNKNOWN)
}

/** A word's own part of another field: what follows `--file=` and the like. */
export function restOf(field: Field, prefix: string): Field {
  const text = field.text.slice(prefix.length)
  return {
    ...field,
    text,
    uncertain: field.glob ? UNKNOWN : text,
    tilde: text.startsWith('~') && !field.glob,
  }
}

export function joinText(fields: readonly Field[]): string {
  return fields.map((field) => field.text).join(' ')
}

/** For matching what may be: an unknown that may be no word at all takes the spaces beside it along. */
export function joinUncertain(fields: readonly Field[]): string {
  return fields.reduce((line, field, at) => {
    const space = at === 0 || vanishes(field) || vanishes(fields[at - 1]) ? '' : ' '
    return line + space + field.uncertain
  }, '')
}

function vanishes(field: Field | undefined): boolean {
  return field !== undefined && field.loose && field.uncertain === UNKNOWN
}

/** A path as it is seen from the directory before it. */
export function withinField(directory: Field, field: Field): Field {
  if (field.text.startsWith('/')) return field
  const text = `${directory.text}/${field.text}`
  const known = isStatic(field) && isStatic(directory)
  return { ...restOf(field, ''), text, uncertain: known ? text : UNKNOWN, tilde: directory.tilde }
}
