import { OffshootError } from '../../core/errors.ts'
import { refuseOtherName } from './other-names.ts'

/** Options of the program itself. */
const PROGRAM_OPTIONS: ReadonlySet<string> = new Set(['--help', '-h', '--version', '-v'])

/**
 * The command line that is meant where the first word is no command: a prompt (words with a blank, what follows `--`) or
 * an option of `run` makes it a `run`, and so do the commands of Codex. Anything else stays as it is, an unknown command.
 * @throws OffshootError `usage` where options stand before a command: that would become a prompt; for an option alone; and
 * for a command of another program.
 */
export function impliedRun(args: readonly string[], commands: ReadonlySet<string>): readonly string[] {
  const start = args.findIndex((arg) => arg !== '--debug')
  const [first = '', ...rest] = args.slice(Math.max(0, start))
  if (start < 0 || commands.has(first) || PROGRAM_OPTIONS.has(first)) return args
  const run = runOfCodex(first, rest) ?? (isRun(first) ? [first, ...rest] : undefined)
  if (!run) {
    refuseOtherName(first, rest, commands)
    return args
  }
  if (rest.length === 0) refuseOptionAlone(first)
  if (first.startsWith('-')) refuseCommandBehind(first, rest, commands)
  return [...args.slice(0, start), 'run', ...joinedBehindDashes(run)]
}

function isRun(first: string): boolean {
  return first.startsWith('-') || /\s/.test(first)
}

/** `exec [PROMPT]`, `resume [--last] [ID] [PROMPT]` and `exec resume`. */
function runOfCodex(first: string, rest: readonly string[]): readonly string[] | undefined {
  if (first === 'exec' || first === 'e')
    return rest[0] === 'resume' ? runOfCodex('resume', rest.slice(1)) : rest
  if (first !== 'resume') return undefined
  if (rest.includes('--last')) return ['--continue', ...rest.filter((arg) => arg !== '--last')]
  return ['--resume', ...rest]
}

/** Without quotes, too, what follows `--` is one prompt. */
function joinedBehindDashes(line: readonly string[]): readonly string[] {
  const end = line.indexOf('--')
  return end < 0 ? line : [...line.slice(0, end), '--', line.slice(end + 1).join(' ')]
}

/** It may be a text, as in `offshoot "$(cat prompt)"`: data on stdin would become the prompt, and the text a setting. */
function refuseOptionAlone(first: string): void {
  if (!first.startsWith('-') || USED_ALONE.has(first) || /\s/.test(first)) return
  throw new OffshootError(
    'usage',
    `${JSON.stringify(first.slice(0, 60))} is read as an option, but there is no prompt`,
    {
      hint: `put a prompt after --: offshoot -- TEXT; to read it from stdin: offshoot run ${first.slice(0, 60)} -`,
    },
  )
}

/** The prompt then comes from stdin or the terminal. None of them allows a run more. */
const USED_ALONE: ReadonlySet<string> = new Set('- -- -p --print -c --continue -r --resume'.split(' '))

/** `-C DIR ls` would ask an agent "ls". With `-p` any word is a prompt. */
function refuseCommandBehind(first: string, rest: readonly string[], commands: ReadonlySet<string>): void {
  const command = rest.find((arg) => commands.has(arg))
  const isPrompt = [first, ...rest].some((arg) => /^(-p|--print|--)$|\s/.test(arg))
  if (command === undefined || isPrompt) return
  throw new OffshootError('usage', `${first} precedes the command ${command}`, {
    hint: `write offshoot ${command} ${first} …; to ask "${command}" as a prompt: offshoot run ${first} … ${command}`,
  })
}
