import type { OptionTable } from './arguments.ts'
import { sortArguments } from './arguments.ts'
import { isStatic } from './field.ts'
import type { Invocation, Reading } from './reading.ts'
import { caution, merge, optionCautions, reading, unknownInner, uses } from './reading.ts'

/** Runs the file that it is given, as the rule says; code in an option or on stdin is what nobody has read. */
interface Interpreter extends OptionTable {
  /** Options that only ask for information: then no program is read from stdin. */
  readonly information: string
  /** Options after which the rest belongs to a module of its own. */
  readonly modules?: string
}

const INFORMATION = '--version -V -v --help -h'

/** By name without a version: `python3.12` is `python`. */
export const interpreters: Readonly<Record<string, Interpreter>> = {
  python: {
    flags: 'bBdEiIOPqsSuvVh',
    longs: 'version help',
    values: 'm',
    information: INFORMATION,
    modules: '-m',
  },
  pypy: {
    flags: 'bBdEiIOPqsSuvVh',
    longs: 'version help',
    values: 'm',
    information: INFORMATION,
    modules: '-m',
  },
  node: {
    flags: 'vhc',
    longs: `version help check test test-only watch trace-warnings no-warnings enable-source-maps experimental-strip-types
      no-deprecation trace-deprecation expose-gc test-update-snapshots experimental-test-coverage`,
    values:
      'test-name-pattern test-reporter max-old-space-size stack-trace-limit test-concurrency test-timeout',
    information: `${INFORMATION} --test`,
  },
  nodejs: { flags: 'vhc', longs: 'version help check test', information: INFORMATION },
  deno: { flags: 'Vh', longs: 'version help', information: INFORMATION },
  bun: { flags: 'vh', longs: 'version help', information: INFORMATION },
  ruby: { flags: 'vwhc', longs: 'version help', information: INFORMATION },
  perl: { flags: 'vwchW', information: '-v -h' },
  php: { flags: 'vhilm', longs: 'version help ini modules', information: `${INFORMATION} -i -m` },
  lua: { flags: 'v', information: '-v' },
  luajit: { flags: 'v', information: '-v' },
  Rscript: { longs: 'version help vanilla', information: INFORMATION },
  tclsh: { information: '' },
  expect: { flags: 'v', information: '-v' },
  osascript: { information: '' },
  guile: { longs: 'version help', information: INFORMATION },
  ghci: { longs: 'version help', information: INFORMATION },
  julia: { longs: 'version help', information: INFORMATION },
  elixir: { longs: 'version help', information: INFORMATION },
  groovy: { longs: 'version help', information: INFORMATION },
  'ts-node': { flags: 'vh', longs: 'version help', information: INFORMATION },
  tsx: { flags: 'vh', longs: 'version help', information: INFORMATION },
}

export function readInterpreter(command: Invocation, interpreter: Interpreter): Reading {
  const found = sortArguments(command.args, { ...interpreter, ordered: true })
  const given = found.options.map(({ name }) => name)
  const [script, ...rest] = found.operands
  const late = lateOptions(command, interpreter)
  const unknown = [...found.unknown, ...late]
  const module = (interpreter.modules ?? '').split(' ').some((name) => given.includes(name))
  const informs = interpreter.information.split(' ').some((name) => given.includes(name))
  const hidden = unknown.length > 0 || (script === undefined && !module && !informs) || script?.text === '-'
  const computed = script !== undefined && !isStatic(script)
  return merge(
    optionCautions(command.program, unknown),
    module
      ? caution(
          'runs a module',
          given.find((name) => (interpreter.modules ?? '').split(' ').includes(name)),
        )
      : reading({}),
    hidden || computed ? caution('runs code that is not in a file') : reading({}),
    hidden || computed ? unknownInner(`runs code that ${command.program} gets from elsewhere`) : reading({}),
    uses('read', script === undefined || script.text === '-' || module ? [] : [script]),
    uses(
      'read',
      rest.filter((field) => isStatic(field) && /^(\/|~|\.\.?\/)/.test(field.text)),
    ),
  )
}

/** `node --version -r ./x.js`: an option that answers and ends does not stop another one from loading code. */
function lateOptions({ args }: Invocation, { information }: Interpreter): readonly string[] {
  const answers = information.split(' ').includes(args[0]?.text ?? '')
  if (!answers) return []
  return args
    .slice(1)
    .filter(({ text }) => /^-(r|e|p|c|E|-require|-import|-loader|-eval|-print)/.test(text))
    .map(({ text }) => text)
}
