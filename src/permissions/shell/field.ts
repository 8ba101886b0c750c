import { UNKNOWN } from '../match-pattern.ts'

/** A word of a command after expansion and quote removal. */
export interface Field {
  /** UNKNOWN where text comes from outside the command line; globs stay as written. */
  readonly text: string
  /** Like `text`, with UNKNOWN for globs too. */
  readonly uncertain: string
  /** The unknown part may be several words, or none. */
  readonly loose: boolean
  /** Starts with an unquoted `~`. */
  readonly tilde: boolean
  /** Contains an unquoted glob. */
  readonly glob: boolean
  /** The source of the unknown part, if that makes it less dangerous. */
  readonly from?: 'process' | 'files' | 'number'
  /** For `from: 'files'`: where the files are. */
  readonly found?: readonly FileUse[]
}

/** Which files below a directory a program selects. */
export interface Walk {
  /** Name globs, one of which a file must match; null: any name. */
  readonly names: readonly string[] | null
  readonly hidden: boolean
  readonly links: boolean
  /** Whether existing guarded files count. */
  readonly look: boolean
}

export interface FileUse {
  readonly access: 'read' | 'write' | 'remove'
  readonly field: Field
  /** The use includes all files below it. */
  readonly walk?: Walk
  /** Part of an argument that may name a file: only ask and deny rules apply to it. */
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

/** The rest of a word after a prefix such as `--file=`. */
export function restOf(field: Field, prefix: string): Field {
  const text = field.text.slice(prefix.length)
  return {
    ...field,
    text,
    uncertain: field.glob ? UNKNOWN : text,
    tilde: text.startsWith('~'),
  }
}

export function joinText(fields: readonly Field[]): string {
  return fields.map((field) => field.text).join(' ')
}

/** For possible matches: an unknown that may be no word at all includes the spaces beside it. */
export function joinUncertain(fields: readonly Field[]): string {
  return fields.reduce((line, field, at) => {
    const space = at === 0 || vanishes(field) || vanishes(fields[at - 1]) ? '' : ' '
    return line + space + field.uncertain
  }, '')
}

function vanishes(field: Field | undefined): boolean {
  return field !== undefined && field.loose && field.uncertain === UNKNOWN
}

/** Joins a path to the directory before it. */
export function withinField(directory: Field, field: Field): Field {
  if (field.text.startsWith('/')) return field
  const text = `${directory.text}/${field.text}`
  const known = isStatic(field) && isStatic(directory)
  return { ...restOf(field, ''), text, uncertain: known ? text : UNKNOWN, tilde: directory.tilde }
}
