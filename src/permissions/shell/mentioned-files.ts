import { UNKNOWN } from '../match-pattern.ts'
import type { Field, FileUse } from './field.ts'
import { isStatic, staticField, unknownField } from './field.ts'
import type { Reading } from './reading.ts'
import { reading } from './reading.ts'

/** Longer text, or more names, may name any file. */
const MAX_TEXT = 4096
const MAX_MENTIONS = 64
const MAX_NAME = 300

/** For code that is not analysed: it may read and write any file. */
export const REACHES_ANYTHING: readonly FileUse[] = (['read', 'write'] as const).map((access) => ({
  access,
  field: unknownField,
  mention: true,
}))

const SEPARATOR = /[\s"'`()[\]{}<>|;,=:@&$+!]+/
const OUTPUT = /^(-o|--?(out|output|dest|destination|save|log|report|write)[\w-]*)(?:=|$)/

/**
 * File names inside the arguments of a program whose options are unknown: `x:secrets/a`, `--a=b,file=secrets/a`,
 * `load(secrets/a)`. An ask or deny rule for one of them makes an allow ask.
 */
export function mentionedFiles(args: readonly Field[]): Reading {
  const texts = args.filter(isStatic).map(({ text }) => text)
  if (texts.reduce((sum, { length }) => sum + length, 0) > MAX_TEXT)
    return reading({ files: REACHES_ANYTHING })
  const names = new Set(texts.flatMap(namesIn))
  if (names.size > MAX_MENTIONS) return reading({ files: REACHES_ANYTHING })
  const below = inDirectories(args)
  return reading({ files: [...[...names, ...below].map((name) => mention('read', name)), ...outputs(args)] })
}

function namesIn(text: string): readonly string[] {
  const attached = /^-[a-zA-Z0-9](?=.)/.test(text) ? [text.slice(2)] : []
  const parts = text.split(SEPARATOR)
  return [...parts, ...attached].filter(
    (part) => part !== text && part.length <= MAX_NAME && /[\w]/.test(part) && !part.startsWith('-'),
  )
}

const DIRECTORY = /^(-C|--(?:chdir|cwd|dir|directory|prefix|root|working-dir|working-directory))(?:=|$)/

/** Words joined to each directory that an option names. */
function inDirectories(args: readonly Field[]): readonly string[] {
  const words = args.slice(0, MAX_MENTIONS).map(({ text }) => text)
  const places = words.flatMap((text, at) => {
    const name = DIRECTORY.exec(text)?.[0]
    if (name === undefined) return []
    const value = name.endsWith('=') ? text.slice(name.length) : words[at + 1]
    return value === undefined ? [] : [value]
  })
  return places.flatMap((place) =>
    words.filter((word) => word !== place && /^[^-/]/.test(word)).map((word) => `${place}/${word}`),
  )
}

/** A word after an output option is probably written. */
function outputs(args: readonly Field[]): readonly FileUse[] {
  return args.flatMap((field, at) => {
    const name = OUTPUT.exec(field.text)?.[0]
    if (name === undefined) return []
    const value = name.endsWith('=') ? field.text.slice(name.length) : args[at + 1]?.text
    return value === undefined || value.includes(UNKNOWN) ? [] : [mention('write', value)]
  })
}

function mention(access: FileUse['access'], name: string): FileUse {
  return { access, field: staticField(name), mention: true }
}
