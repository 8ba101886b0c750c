import type { Command } from 'commander'
import { EXAMPLES } from './help-examples.ts'

/** Under this heading stands what is known but not there yet. */
export const LATER = 'Not yet:'
export const LATER_NAMES = ['mcp', 'acp', 'bridge', 'worker'] as const

const WIDTH = 80

/** Columns of a help text: those of the terminal, and never so many that lines are hard to read. */
export function helpWidth({ columns }: { readonly columns?: number }): number {
  return Math.min(columns ?? WIDTH, WIDTH)
}

/** To be called when every command is there: the page that lists them, and examples for each. */
export function layOutHelp(program: Command): void {
  program.configureHelp({ formatHelp: overview })
  program.showHelpAfterError(
    '  offshoot --help lists the commands; for a prompt of one word: offshoot run WORD',
  )
  for (const command of allCommands(program)) {
    const path = commandPath(command)
    const text = takesText(command) ? TEXT_HINT : ''
    const number = NUMBERED.has(path) ? NUMBER_HINT : ''
    const last = TAKES_LAST.has(path) ? LAST_HINT : ''
    command.showHelpAfterError(
      `  usage: offshoot ${commandUsage(command)}${last}; offshoot ${path} --help lists its options${text}${number}`,
    )
    const examples = EXAMPLES[path] ?? []
    if (examples.length > 0)
      command.addHelpText('after', ['', 'Examples:', ...examples.map(indent)].join('\n'))
  }
}

/** Arguments that may begin with `-` without being an option. */
const TEXTS: ReadonlySet<string> = new Set(['prompt', 'task', 'text'])
const TEXT_HINT = '; put -- before a text that begins with -'

/** Whether one of its arguments is what a person says. */
export function takesText({ registeredArguments }: Command): boolean {
  return registeredArguments.some((each) => TEXTS.has(each.name()))
}

/** Commands that accept a number instead of an id. */
const NUMBERED: ReadonlySet<string> = new Set(['approve', 'answer'])
const NUMBER_HINT = `\n  quote a number, '#1': to the shell, an unquoted # starts a comment; offshoot ps lists the ids`
/** Their id may be `last`. */
const TAKES_LAST: ReadonlySet<string> = new Set(
  'continue show log export inbox steer pause interrupt background'.split(' '),
)
const LAST_HINT = ' (last: the latest conversation of this directory)'

/** Every command below `parent`, in the order of the help. */
export function allCommands(parent: Command): Command[] {
  return parent.commands.filter(isListed).flatMap((command) => [command, ...allCommands(command)])
}

/** What is typed for a command, without the program's own name: `agents show`. */
export function commandPath(command: Command): string {
  const above = command.parent?.parent ? `${commandPath(command.parent)} ` : ''
  return above + command.name()
}

/** The same with its arguments: `agents show <name>`. */
export function commandUsage(command: Command): string {
  const args = command.registeredArguments.map((each) => {
    const name = each.name() + (each.variadic ? '...' : '')
    return each.required ? `<${name}>` : `[${name}]`
  })
  return [commandPath(command), ...args].join(' ')
}

/** Names that begin with two underscores are for programs: the completion scripts. */
export function isListed(command: Command): boolean {
  return !command.name().startsWith('__')
}

/** One line a command, without the lines between groups that would make it longer than a terminal. */
function overview(program: Command): string {
  const commands = program.commands.filter(isListed)
  const groups = Map.groupBy(commands, (command) => command.helpGroup())
  const width = Math.max(...commands.map((command) => commandUsage(command).length))
  const lines = [...groups]
    .filter(([heading]) => heading !== LATER)
    .flatMap(([heading, group]) => [heading, ...group.map((command) => overviewLine(command, width))])
  const later = (groups.get(LATER) ?? []).map(commandPath)
  return [
    'Usage: offshoot "PROMPT", or offshoot COMMAND',
    '',
    program.description(),
    '',
    ...lines,
    `${LATER} ${later.join(', ')}`,
    '',
    'Options: --debug (stack traces of errors), -v, --version, -h, --help',
    'offshoot COMMAND --help describes a command, with examples.',
    '',
  ].join('\n')
}

/** What follows a colon or semicolon of the description, or a comma that is too far out, stands in the command's own help. */
function overviewLine(command: Command, width: number): string {
  const clauses = command.description().split(/[;:]/)[0]!.split(',')
  const start = indent(`${commandUsage(command).padEnd(width)}  `)
  while (clauses.length > 1 && start.length + clauses.join(',').length > WIDTH) clauses.pop()
  return start + clauses.join(',')
}

function indent(line: string): string {
  return `  ${line}`
}
