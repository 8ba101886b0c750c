import type { CommandNode, Redirection } from 'unbash'
import { knownText } from './expand.ts'
import type { Stdin } from './reading.ts'

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
 * What a command's output is to the next one in a pipe. Names of files come from programs that list what lies below
 * their operands, which are decided as reads, and from filters of such lists.
 */
export function pipedInput(command: CommandNode, stdin: Stdin): Stdin {
  if (command.type !== 'Command' || command.name === undefined) return { type: 'pipe' }
  const args = command.args.map((arg) => arg.text)
  const files = { type: 'files' } as const
  switch (command.name.text) {
    case 'find':
      return args.some((arg) => /^-(printf|fprintf|exec|execdir|ok|okdir|ls)$/.test(arg))
        ? { type: 'pipe' }
        : files
    case 'ls':
    case 'fd':
      return args.some((arg) => /^-[a-zA-Z]*[lxX]|^--(exec|format)/.test(arg)) ? { type: 'pipe' } : files
    case 'git':
      return listsNames(args) ? files : { type: 'pipe' }
    case 'rg':
    case 'grep':
      if (args.some((arg) => /^-[a-zA-Z]*l[a-zA-Z]*$|^--files/.test(arg))) return files
  }
  const filters = FILTERS.has(command.name.text) && stdin.type === 'files'
  const operands = args.filter((arg) => !arg.startsWith('-'))
  const limit = /^(.*grep|rg|head|tail)$/.test(command.name.text) ? 1 : 0
  return filters && operands.length <= limit ? files : { type: 'pipe' }
}

function listsNames(args: readonly string[]): boolean {
  if (args[0] === 'ls-files') return !args.some((arg) => arg.startsWith('--format'))
  if (args[0] === 'grep')
    return args.some((arg) => /^-[a-zA-Z]*l|^--(files-with-matches|name-only)$/.test(arg))
  const named =
    args.includes('--name-only') && !args.some((arg) => /^--(format|pretty|line-prefix|src-prefix)/.test(arg))
  return args[0] === 'diff' && named
}

/** What a command reads as its input, where its own words say so. */
export function redirectedInput(redirects: readonly Redirection[], inherited: Stdin): Stdin {
  return redirects.reduce<Stdin>((stdin, redirect) => {
    switch (redirect.type) {
      case 'HereString':
        return textInput(
          redirect.target === undefined ? '' : knownText(redirect.target, { values: () => null }),
        )
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

function textInput(text: string | null): Stdin {
  return text === null ? { type: 'unknown' } : { type: 'text', text }
}
