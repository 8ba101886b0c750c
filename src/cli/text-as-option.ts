import type { Command, Option } from 'commander'
import { OffshootError } from '../core/errors.ts'

/**
 * Refuses a text that would be read as options: `offshoot "$(cat prompt)"`, where the file begins with `-`. Nothing that a
 * text says becomes an option. With white space an argument is one only as `--name=VALUE`, beside a text that stands there
 * too. @throws OffshootError `usage`
 */
export function refuseTextAsOption(program: Command, line: readonly string[]): void {
  const { command, operands, spaced } = readLine(program, line)
  const [text] = spaced.filter(
    (each) => operands < command.registeredArguments.length || !hasValue(command, each),
  )
  if (text === undefined) return
  throw new OffshootError('usage', `${shown(text)} begins with - and would be read as an option`, {
    hint: hintFor(command, text),
  })
}

interface ReadLine {
  readonly command: Command
  /** How many arguments it is given. */
  readonly operands: number
  /** What begins with `-` and has white space in it, and is no value of an option. */
  readonly spaced: readonly string[]
}

function readLine(program: Command, line: readonly string[]): ReadLine {
  const spaced: string[] = []
  let command = program
  let operands = 0
  for (let at = 0; at < line.length; at++) {
    const arg = line[at]!
    if (arg === '--') return { command, operands: operands + line.length - at - 1, spaced }
    const below = operands === 0 ? command.commands.find((each) => each.name() === arg) : undefined
    if (below) command = below
    else if (arg === '-' || !arg.startsWith('-')) operands++
    else if (/\s/.test(arg)) spaced.push(arg)
    else if (optionNamed(command, arg)?.required) at++ // the next word is its value, whatever it is
  }
  return { command, operands, spaced }
}

function optionNamed(command: Command, name: string): Option | undefined {
  const own = command.options.find(({ short, long }) => short === name || long === name)
  return own ?? (command.parent ? optionNamed(command.parent, name) : undefined)
}

/** Whether it is `--name=VALUE` of an option that takes one. */
function hasValue(command: Command, text: string): boolean {
  const [, name] = /^(--[\w-]+)=/.exec(text) ?? []
  const option = name === undefined ? undefined : optionNamed(command, name)
  return option !== undefined && (option.required || option.optional)
}

function hintFor(command: Command, text: string): string {
  const behind = `put the text after --: offshoot ${command.name()} … -- TEXT`
  return hasValue(command, text)
    ? `${behind}; put a space between an option and its value: --name VALUE`
    : behind
}

function shown(text: string): string {
  const [first = ''] = text.split('\n')
  return JSON.stringify(first === text && text.length <= 60 ? text : `${first.slice(0, 60)}…`)
}
