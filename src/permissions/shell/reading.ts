import type { Caution } from '../item.ts'
import type { Field, FileUse } from './field.ts'

/** A simple command as the program receives it. */
export interface Invocation {
  /** The program's name, without its directory. */
  readonly program: string
  readonly args: readonly Field[]
  readonly stdin: Stdin
}

/** `files`: names of files inside the workspace, one per line, printed by a program such as find. */
export type Stdin =
  | { readonly type: 'none' | 'pipe' | 'unknown' }
  | { readonly type: 'files'; readonly found: readonly FileUse[] }
  | { readonly type: 'text'; readonly text: string }

/** Something that the command runs in turn. */
export type Inner =
  | {
      readonly type: 'command'
      readonly fields: readonly Field[]
      /** The wrapper words before it, in each spelling that a rule may use: such a rule allows it too. */
      readonly via?: readonly (readonly Field[])[]
      /** The part of `fields` that the line itself contains: a rule that matches it covers the words added to it. */
      readonly given?: readonly Field[]
      /** The directory where it runs. */
      readonly directory?: Field
    }
  | { readonly type: 'script'; readonly text: string; readonly directory?: Field }
  /** `reason` completes "asks because it ..."; a pattern that includes `word` allows it. */
  | { readonly type: 'unknown'; readonly reason: string; readonly word?: string }

/** What a command does beyond its name. */
export interface Reading {
  readonly cautions: readonly Caution[]
  /** Reasons why only a person may allow it. */
  readonly guards: readonly string[]
  readonly files: readonly FileUse[]
  readonly inner: readonly Inner[]
  /** Equivalent words, for rules that forbid: `git push` for `git -C x push`. */
  readonly aliases: readonly (readonly Field[])[]
  /** Spellings without options that do not affect what runs; an allow rule may use these. */
  readonly plain: readonly (readonly Field[])[]
  /** Commands that it may run: ask and deny rules for them turn an allow into an ask. */
  readonly suspects: readonly string[]
}

const nothing: Reading = {
  cautions: [],
  guards: [],
  files: [],
  inner: [],
  aliases: [],
  plain: [],
  suspects: [],
}

export function reading(found: Partial<Reading>): Reading {
  return { ...nothing, ...found }
}

export function merge(...readings: readonly Reading[]): Reading {
  return {
    cautions: readings.flatMap((one) => one.cautions),
    guards: readings.flatMap((one) => one.guards),
    files: readings.flatMap((one) => one.files),
    inner: readings.flatMap((one) => one.inner),
    aliases: readings.flatMap((one) => one.aliases),
    plain: readings.flatMap((one) => one.plain),
    suspects: readings.flatMap((one) => one.suspects),
  }
}

export function caution(reason: string, word?: string): Reading {
  return reading({ cautions: [word === undefined ? { reason } : { reason, word }] })
}

export function uses(access: FileUse['access'], fields: readonly Field[]): Reading {
  return reading({ files: fields.map((field) => ({ access, field })) })
}

export function unknownInner(reason: string, word?: string): Reading {
  return reading({
    inner: [word === undefined ? { type: 'unknown', reason } : { type: 'unknown', reason, word }],
  })
}

export function optionCautions(program: string, names: readonly string[]): Reading {
  return reading({
    cautions: names.map((name) => ({ reason: `uses the option ${name} of ${program}`, word: name })),
  })
}
