import { mayMatchText, UNKNOWN } from '../pattern.ts'
import type { Field } from './field.ts'
import { joinPath } from './directories.ts'

const DEVICES = /^\/dev\/(null|zero|full|random|urandom|tty|stdin|stdout|stderr|fd\/\d+)$/

/** Files that always ask and that a glob beginning with a dot or naming them may mean. */
const GUARDED = [
  '.env',
  '.env.local',
  '.git',
  '.git/config',
  '.npmrc',
  '.bashrc',
  '.ssh',
  'id_rsa',
  'id_ed25519',
  'key.pem',
]

/** Paths that a word names, from the workspace; a glob by the directory that it starts in. null: not known. */
export function namedFiles(field: Field, directories: readonly string[] | null): readonly string[] | null {
  if (field.from !== undefined || field.text === '-' || field.text === '' || DEVICES.test(field.text))
    return []
  if (field.text.includes(UNKNOWN)) return null
  const absolute = field.text.startsWith('/') || field.tilde
  if (directories === null && !absolute) return null
  const literal = field.text.startsWith('~') && !field.tilde ? `./${field.text}` : field.text
  const texts = field.glob ? globTexts(literal) : [literal]
  return absolute
    ? texts
    : (directories ?? []).flatMap((directory) => texts.map((text) => joinPath(directory, text)))
}

function globTexts(text: string): readonly string[] {
  const fixed = text.slice(0, text.search(/[*?[+@!(]/))
  const directory = fixed.slice(0, fixed.lastIndexOf('/') + 1)
  const pattern = text
    .slice(directory.length)
    .replaceAll(/[?[\]+@!(){}|^]+/g, UNKNOWN)
    .replaceAll('*', UNKNOWN)
  const meant = GUARDED.filter(
    (name) => /^[^*?[]/.test(text.slice(directory.length)) && mayMatchText(name, pattern),
  )
  return [directory === '' ? '.' : directory, ...meant.map((name) => directory + name)]
}
