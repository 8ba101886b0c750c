import { sortArguments } from './arguments.ts'
import { readAssigned } from './assigned-values.ts'
import { carriesCode, isCommandLine, looksEvaluated } from './code-variables.ts'
import type { Field } from './field.ts'
import { isStatic, joinText, restOf } from './field.ts'
import type { Inner, Invocation, Reading } from './reading.ts'
import { caution, merge, optionCautions, reading, unknownInner, uses } from './reading.ts'

/** Shell builtins that run text, set variables or change the meaning of later commands. */
export const builtins: Readonly<Record<string, (command: Invocation) => Reading>> = {
  eval: ({ args }) =>
    args.length === 0
      ? reading({})
      : runText(
          args.filter((arg) => arg.text !== '--'),
          'eval',
        ),
  trap: readTrap,
  source: readSource,
  '.': readSource,
  cd: readDirectory,
  pushd: readDirectory,
  popd: () => caution('changes to an unknown directory'),
  dirs: () => reading({}),
  export: readDeclaration,
  declare: readDeclaration,
  typeset: readDeclaration,
  local: readDeclaration,
  readonly: readDeclaration,
  read: (command) => merge(readNames(command), uses('read', [])),
  let: readNames,
  unset: readNames,
  getopts: readNames,
  printf: readPrintf,
  test: readTest,
  '[': readTest,
  alias: readAlias,
  unalias: () => reading({}),
  enable: () => runsHidden('changes the set of builtins'),
  hash: ({ args }) => (args.length === 0 ? reading({}) : unknownInner('changes what a name runs')),
  mapfile: readMapfile,
  readarray: readMapfile,
  history: readHistory,
  fc: () => runsHidden('runs commands from the history'),
  bind: () => runsHidden('binds a command to a key'),
  complete: () => runsHidden('sets a completion command'),
  compgen: () => runsHidden('may run a completion command'),
  jobs: readJobs,
  wait: readNames,
  compopt: () => reading({}),
  set: readSet,
  shopt: readShopt,
  coproc: () => unknownInner('starts a coprocess'),
  ulimit: () => reading({}),
}

function runsHidden(reason: string): Reading {
  return merge(caution(reason), unknownInner(reason))
}

/** `jobs -x COMMAND` runs the command. */
function readJobs({ args }: Invocation): Reading {
  const at = args.findIndex(({ text }) => !/^-[lnprs]+$/.test(text))
  const [first, ...fields] = at === -1 ? [] : args.slice(at)
  if (first === undefined || /^(%|\d)/.test(first.text)) return reading({})
  return reading({
    inner: [{ type: 'command', fields: first.text.startsWith('-') ? fields : [first, ...fields] }],
  })
}

function runText(args: readonly Field[], name: string): Reading {
  const inner: Inner = args.every(isStatic)
    ? { type: 'script', text: joinText(args) }
    : { type: 'unknown', reason: `passes ${name} text that is unknown in advance` }
  return reading({ inner: [inner] })
}

function readAlias({ args }: Invocation): Reading {
  const definitions = args.filter((arg) => arg.text.includes('='))
  const inner = definitions.map((arg) =>
    runText([restOf(arg, arg.text.slice(0, arg.text.indexOf('=') + 1))], 'alias'),
  )
  return merge(definitions.length > 0 ? caution('defines an alias') : reading({}), ...inner)
}

function readTrap({ args }: Invocation): Reading {
  const operands = args.filter((arg) => !/^-[lp]$|^--$/.test(arg.text))
  const [action] = operands
  if (action === undefined || operands.length === 1 || action.text === '-' || action.text === '')
    return reading({})
  return runText([action], 'trap')
}

function readSource({ args, stdin }: Invocation): Reading {
  const [file] = args
  if (file === undefined) return reading({})
  if (file.text === '/dev/stdin' && stdin.type === 'text')
    return reading({ inner: [{ type: 'script', text: stdin.text }] })
  const hidden = !isStatic(file) || file.text.startsWith('/dev/')
  return hidden
    ? unknownInner(`runs a script that is unknown in advance${stdin.type === 'pipe' ? ', from a pipe' : ''}`)
    : merge(
        uses('read', [file]),
        file.text.includes('/') ? reading({}) : caution('runs a script found through PATH'),
      )
}

function readDirectory({ args }: Invocation): Reading {
  return uses(
    'read',
    args.filter((arg) => !/^(-[LPen@]*|[+-]\d+)$/.test(arg.text)),
  )
}

function readDeclaration({ program, args }: Invocation): Reading {
  const table = { flags: 'aAfFgiIlnprtuxp', any: false }
  const found = sortArguments(args, table)
  const options = new Set(found.options.map((option) => option.name))
  const reasons = found.operands.flatMap(assignmentProblem)
  return merge(
    optionCautions(program, found.unknown),
    options.has('-n') && program !== 'export' ? runsHidden('declares a name reference') : reading({}),
    options.has('-i') && !found.operands.every(isNumber)
      ? runsHidden('makes a variable evaluate its assigned values')
      : reading({}),
    options.has('-f') && args.length > 1 ? caution('changes a function') : reading({}),
    ...reasons,
  )
}

function assignmentProblem(field: Field): readonly Reading[] {
  const equals = field.text.indexOf('=')
  const name = equals === -1 ? field.text : field.text.slice(0, equals).replace(/\+$/, '')
  const value = equals === -1 ? '' : field.text.slice(equals + 1)
  if (!/^\w+$/.test(name)) return [runsHidden('uses a variable name that can run code')]
  if (looksEvaluated(value)) return [runsHidden(`sets ${name} to text that may run`)]
  return [readAssigned(name, equals === -1 || isStatic(field) ? value : null)]
}

function isNumber({ text }: Field): boolean {
  return /^\w+(=-?\d*)?$/.test(text)
}

/** The shell evaluates names with a subscript and runs substitutions in it. */
function readNames({ args }: Invocation): Reading {
  const odd = args.some((arg) => !isStatic(arg) || looksEvaluated(arg.text) || arg.text.includes('['))
  const names = args.map((arg) => arg.text.split('=', 1)[0] ?? '')
  return merge(
    odd ? caution('evaluates a name that may contain code') : reading({}),
    odd ? unknownInner('evaluates a name that may contain code') : reading({}),
    names.some((name) => isCommandLine(name) && carriesCode(name, null))
      ? unknownInner('sets a command variable to a value that is unknown in advance')
      : reading({}),
    names.some((name) => carriesCode(name, ''))
      ? caution('sets a variable that other programs read')
      : reading({}),
  )
}

function readPrintf(command: Invocation): Reading {
  return command.args[0]?.text.startsWith('-v') === true ? readNames(command) : reading({})
}

const EVALUATING = /^-(eq|ne|lt|le|gt|ge|v|R)$/

function readTest(command: Invocation): Reading {
  const { args } = command
  if (
    args.some((arg) => EVALUATING.test(arg.text)) &&
    args.some((arg) => looksEvaluated(arg.text) || arg.text.includes('['))
  ) {
    return merge(
      caution('evaluates text that may contain code'),
      unknownInner('evaluates text that may contain code'),
    )
  }
  return uses(
    'read',
    args.filter((arg, at) => /^-[a-zA-Z]$/.test(args[at - 1]?.text ?? '') && isStatic(arg)),
  )
}

function readMapfile(command: Invocation): Reading {
  const runs = command.args.some((arg) => /^-[a-zA-Z]*C/.test(arg.text))
  return merge(
    readNames(command),
    runs ? unknownInner('runs a callback command on the lines it reads') : reading({}),
  )
}

function readHistory({ args }: Invocation): Reading {
  const harmless = args.every((arg) => /^(-[cdps]|\d+)$/.test(arg.text))
  return harmless ? reading({}) : caution('reads or writes a history file')
}

function readSet({ args }: Invocation): Reading {
  const harmless = args.every((arg) =>
    /^([-+][eEuCfhnvbBmT]*o?|errexit|nounset|pipefail|noglob|noclobber|verbose)$/.test(arg.text),
  )
  return harmless ? reading({}) : caution('changes how the shell runs')
}

function readShopt({ args }: Invocation): Reading {
  const harmless = args.every((arg) =>
    /^(-[supq]+|nullglob|globstar|failglob|nocaseglob|extglob|lastpipe)$/.test(arg.text),
  )
  return harmless ? reading({}) : caution('changes how the shell runs')
}
