import type { Field } from './field.ts'
import { isNowhere } from './arguments.ts'
import { isStatic, restOf } from './field.ts'
import type { Invocation, Reading } from './reading.ts'
import { suspectTexts } from './suspects.ts'
import { HERE, walkUses } from './directory-walks.ts'
import { suffixes } from './read-wrapper.ts'
import { runningOptions } from './running-options.ts'
import { caution, merge, optionCautions, reading, unknownInner, uses } from './reading.ts'

import type { ToolEntry } from './tool-entry.ts'
import { buildTools } from './build-tools.ts'
import { systemTools } from './system-tools.ts'

export const tools: Readonly<Record<string, ToolEntry>> = { ...buildTools, ...systemTools }

export function readToolCommand(command: Invocation, tool: ToolEntry): Reading {
  const end = command.args.findIndex((field) => field.text === '--')
  const args = end === -1 ? command.args : command.args.slice(0, end)
  const options = args
    .filter((field, at) => isListed(field.text, tool) && !isHarmless(field, args[at + 1], tool))
    .map((field) => optionName(field.text))
  const [first, ...rest] = args.filter((field) => !field.text.startsWith('-'))
  const commands = (tool.commands ?? '').split(/\s+/)
  const listed = first !== undefined && commands.includes(first.text)
  const hidden = options.length > 0 || commands.includes('*')
  return merge(
    reading({
      cautions: options.map((word) => ({ reason: `uses the option ${word} of ${command.program}`, word })),
    }),
    hidden ? unknownInner(`may run another program (${command.program})`) : reading({}),
    commands.includes('*') ? caution(`runs another program (${command.program})`) : reading({}),
    commands.includes('*') ? shellText(command.args) : reading({}),
    listed ? caution(`runs ${command.program} ${first.text}`, first.text) : reading({}),
    runs(command, tool, first, rest),
    tool.starts === true ? reading({ suspects: suspectTexts(command.args) }) : reading({}),
    tool.assigns === true ? reading({ cautions: args.flatMap(assignmentCautions) }) : reading({}),
    runningOptions(command.program, args),
    searched(tool, args),
    special(command),
  )
}

/** The output is discarded, or the value is the plain name of something built in. */
function isHarmless(field: Field, next: Field | undefined, { named = '' }: ToolEntry): boolean {
  const value = valueOf(field, next)
  if (isNowhere(value)) return true
  const isName = value !== null && isStatic(value) && /^[a-z][a-z-]*$/.test(value.text)
  return isName && named.split(' ').includes(optionName(field.text))
}

/** The value of an option, attached or in the next word. */
function valueOf(field: Field, next: Field | undefined): Field | null {
  const name = optionName(field.text)
  return name === field.text ? (next ?? null) : restOf(field, `${name}=`)
}

/** The first operand is the search pattern. */
function searched({ searches }: ToolEntry, args: readonly Field[]): Reading {
  if (searches === undefined) return reading({})
  const [, ...roots] = args.filter(({ text }) => !text.startsWith('-'))
  const hidden =
    searches === 'hidden' ||
    args.some(({ text }) => /^-[a-zA-Z]*[uU.]|^--(hidden|all|unrestricted)/.test(text))
  const walk = { names: null, hidden, links: false, look: true }
  return reading({ files: walkUses('read', roots.length === 0 ? [HERE] : roots, walk) })
}

/** `su -c TEXT`, `parallel CMD ::: ...`: it is unclear where the command starts, so any word may be it. */
function shellText(args: readonly Field[]): Reading {
  const at = args.findIndex((field) => /^(-[a-zA-Z]*c|--command)$/.test(field.text))
  const text = at === -1 ? undefined : args[at + 1]
  const inner = text !== undefined && isStatic(text) ? [{ type: 'script', text: text.text } as const] : []
  return reading({ inner, aliases: suffixes(args) })
}

/** `poetry run CMD`: the words after it are a separate command. */
function runs(
  command: Invocation,
  tool: ToolEntry,
  first: Field | undefined,
  rest: readonly Field[],
): Reading {
  if (first === undefined || tool.runs !== first.text) return reading({})
  const at = command.args.indexOf(first)
  const fields = command.args.slice(at + 1)
  const plain = fields[0] === rest[0] && fields.length > 0
  return merge(
    plain
      ? reading({ inner: [{ type: 'command', fields }] })
      : unknownInner(`runs another program (${command.program})`),
    caution(`runs ${command.program} ${first.text}`, first.text),
  )
}

function isListed(text: string, { options, single }: ToolEntry): boolean {
  if (!/^[-+!]/.test(text) || options === undefined) return false
  const name = single === true ? optionName(text).replace(/^--/, '-') : optionName(text)
  const clusters = single !== true
  const cluster = /^-([a-zA-Z]*)/.exec(text)?.[1] ?? ''
  return options.split(/\s+/).some((option) => {
    if (option.endsWith('...')) {
      const letter = /^-([a-zA-Z])\.\.\.$/.exec(option)?.[1]
      return (
        (single === true ? text.replace(/^--/, '-') : text).startsWith(option.slice(0, -3)) ||
        (clusters && letter !== undefined && cluster.includes(letter))
      )
    }
    if (name === option) return true
    // a long name may be abbreviated, and a letter may be in a cluster or have its value attached
    if (option.startsWith('--')) return name.length > 2 && name.startsWith('--') && option.startsWith(name)
    return option.length === 2 && clusters && cluster.includes(option.charAt(1))
  })
}

function optionName(text: string): string {
  return text.split('=', 1)[0] ?? text
}

/** Numbers and switches only configure; any other value may name a program (`make CC=./x`). */
function assignmentCautions({ text }: Field) {
  const match = /^([^-\s=:+?!][^\s=:+?!]*)[:+?!]*=(.*)$/s.exec(text)
  if (match === null || /^(\d+|true|false|yes|no|on|off|debug|release)?$/i.test(match[2] ?? '')) return []
  return [{ reason: `sets ${match[1] ?? ''}`, word: text }]
}

function special(command: Invocation): Reading {
  switch (command.program) {
    case 'patch':
      return uses(
        'write',
        command.args.filter(({ text }) => !text.startsWith('-')),
      )
    case 'gh':
      return command.args.some(({ text }) => text === 'api') ? sentByGh(command.args) : reading({})
    case 'npm':
      return command.args.some(({ text }) => text === 'audit') &&
        command.args.some(({ text }) => text === 'fix')
        ? caution('changes packages', 'fix')
        : reading({})
    case 'cargo':
      return command.args.some(({ text }) => text === 'fmt') ? formattedByCargo(command.args) : reading({})
    case 'tsc':
      return command.args.some(
        ({ text }, at) => /^false$/i.test(text) && command.args[at - 1]?.text.startsWith('--'),
      )
        ? caution('turns off a tsc option')
        : reading({})
    case 'pytest':
      return command.args.some(
        ({ text }, at) => command.args[at - 1]?.text === '--cov-report' && !/^(term|skip|no|$)/.test(text),
      )
        ? caution('writes a report')
        : reading({})
    case 'dd':
      return writtenByDd(command.args)
    default:
      return reading({})
  }
}

/** A request with fields is a POST. */
function sentByGh(args: readonly Field[]): Reading {
  const names = args.filter(({ text }) => /^-[XfF]|^--(method|raw-field|field|input)/.test(text))
  return optionCautions(
    'gh api',
    names.map(({ text }) => optionName(text)),
  )
}

/** Words after `--` are for rustfmt. */
function formattedByCargo(args: readonly Field[]): Reading {
  const names = args.filter(({ text }) => /^--(emit|config|backup)/.test(text))
  return optionCautions(
    'cargo fmt',
    names.map(({ text }) => optionName(text)),
  )
}

function writtenByDd(args: readonly Field[]): Reading {
  const written = args.filter(({ text }) => text.startsWith('of=')).map((field) => restOf(field, 'of='))
  return written.length === 0 ? reading({}) : merge(caution('writes a file'), uses('write', written))
}
