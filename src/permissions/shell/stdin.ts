import type { CommandNode, Redirection, Word } from 'unbash'
import { sortArguments } from './arguments.ts'
import { expandWord, knownText } from './expand.ts'
import type { Field, FileUse, Walk } from './field.ts'
import { isStatic, unknownField } from './field.ts'
import { foundByFind } from './find.ts'
import { programs } from './program-table.ts'
import type { Stdin } from './reading.ts'
import { HERE, walkBy, walkUses } from './directory-walks.ts'

const FILTERS = new Set([
  'grep',
  'egrep',
  'fgrep',
  'rg',
  'head',
  'tail',
  'sort',
  'uniq',
  'cat',
  'tac',
  'shuf',
])

/**
 * What the next command in a pipe receives. File names come from programs that list files below their operands, and
 * from filters of such lists; known text comes from `echo` and `printf`.
 */
export function pipedInput(command: CommandNode, stdin: Stdin): Stdin {
  if (command.type !== 'Command' || command.name === undefined) return { type: 'pipe' }
  const name = command.name.text
  const args = command.args.map((arg) => (arg.type === 'Word' ? wordField(arg) : unknownField))
  if (name === 'echo' || name === 'printf') return echoed(args)
  const found = listedFiles(name, args)
  if (found !== null) return { type: 'files', found }
  const filters = FILTERS.has(name) && stdin.type === 'files'
  const operands = args.filter(({ text }) => !text.startsWith('-'))
  const limit = /^(.*grep|rg|head|tail)$/.test(name) ? 1 : 0
  return filters && operands.length <= limit ? stdin : { type: 'pipe' }
}

function wordField(word: Word): Field {
  const [fields, more] = expandWord(word, { values: () => null })
  const [field, second] = fields ?? []
  return field === undefined || second !== undefined || more !== undefined ? unknownField : field
}

/** Without options and escapes, the text is known. */
function echoed(args: readonly Field[]): Stdin {
  const plain = args.every((arg) => isStatic(arg) && !/^-|[\\%]/.test(arg.text))
  return plain ? { type: 'text', text: args.map(({ text }) => text).join(' ') } : { type: 'pipe' }
}

/** The files whose names a program prints; null: it prints something else. */
function listedFiles(name: string, args: readonly Field[]): readonly FileUse[] | null {
  const texts = args.map(({ text }) => text)
  switch (name) {
    case 'find':
      return texts.some((arg) => /^-(printf|fprintf|exec|execdir|ok|okdir|ls)$/.test(arg))
        ? null
        : foundByFind(args)
    case 'ls':
    case 'fd':
      return texts.some((arg) => /^-[a-zA-Z]*[lxX]|^--(exec|format)/.test(arg)) ? null : listed(name, args)
    case 'git':
      return listsNames(texts) ? walkUses('read', [HERE], { ...ANY_FILE, look: false }) : null
    case 'rg':
    case 'grep':
      return texts.some((arg) => /^-[a-zA-Z]*l[a-zA-Z]*$|^--files/.test(arg)) ? searched(name, args) : null
    default:
      return null
  }
}

const ANY_FILE: Walk = { names: null, hidden: true, links: false, look: true }

function listed(name: string, args: readonly Field[]): readonly FileUse[] {
  const hidden = args.some(({ text }) =>
    (name === 'ls' ? /^-[a-zA-Z]*[aAf]|^--a/ : /^-[a-zA-Z]*[Hu]|^--/).test(text),
  )
  const operands = args.filter(({ text }) => !text.startsWith('-')).slice(name === 'fd' ? 1 : 0)
  const walk = { ...ANY_FILE, hidden }
  return walkUses('read', operands.length === 0 ? [HERE] : operands, walk)
}

/** `grep -l` prints names of files that it has read, so its own items already ask for them. */
function searched(name: string, args: readonly Field[]): readonly FileUse[] {
  const table = programs[name]
  if (table === undefined) return walkUses('read', [HERE], ANY_FILE)
  const found = sortArguments(args, table)
  const walk = walkBy(table.walks ?? {}, found.options)
  const files = args.some(({ text }) => text === '--files')
  const given = found.operands.slice(
    files || found.options.some((option) => /^(-e|-f|--regexp|--file)$/.test(option.name)) ? 0 : 1,
  )
  return walkUses('read', given.length === 0 ? [HERE] : given, walk)
}

function listsNames(args: readonly string[]): boolean {
  if (args[0] === 'ls-files') return !args.some((arg) => arg.startsWith('--format'))
  if (args[0] === 'grep')
    return args.some((arg) => /^-[a-zA-Z]*l|^--(files-with-matches|name-only)$/.test(arg))
  const named =
    args.includes('--name-only') && !args.some((arg) => /^--(format|pretty|line-prefix|src-prefix)/.test(arg))
  return args[0] === 'diff' && named
}

/** A command's input, as set by its own redirections. */
export function redirectedInput(redirects: readonly Redirection[], inherited: Stdin): Stdin {
  return redirects.reduce<Stdin>((stdin, redirect) => {
    switch (redirect.type) {
      case 'HereString':
        return textInput(redirect.target === undefined ? '' : hereText(redirect.target))
      case 'HereDoc': {
        const { delimiter, body } = redirect
        const literal =
          delimiter?.quoted === true || body.parts?.every((part) => part.type === 'Literal') !== false
        return textInput(literal ? body.text : null)
      }
      case 'Redirect':
        return redirect.operator.startsWith('<') ? { type: 'unknown' } : stdin
    }
  }, inherited)
}

/** The home directory only the shell knows. */
function hereText(word: Word): string | null {
  return word.text.startsWith('~') ? null : knownText(word, { values: () => null })
}

function textInput(text: string | null): Stdin {
  return text === null ? { type: 'unknown' } : { type: 'text', text }
}
