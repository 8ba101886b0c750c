import type { Field } from './field.ts'
import type { OptionTable } from './arguments.ts'
import { sortArguments } from './arguments.ts'
import { isStatic } from './field.ts'
import type { Invocation, Reading } from './reading.ts'
import { caution, merge, optionCautions, reading, unknownInner, uses } from './reading.ts'
import { suspectTexts } from './suspects.ts'

/** Runs the file it is given, as its rule says; code in an option or on stdin has not been checked. */
interface Interpreter extends OptionTable {
  /** Options that only print information: with one, no program is read from stdin. */
  readonly information: string
  /** An option whose value is a module or a command, to which all later words belong. */
  readonly modules?: string
  /** Options whose value is code. */
  readonly code?: string
  /** Subcommands that run the file after them. */
  readonly runs?: string
  /** Other subcommands, which are not files. */
  readonly commands?: string
}

const INPUT = /^(-|\/dev\/|\/proc\/)/
const INFORMATION = '--version -V -v --help -h'
const PYTHON: Interpreter = {
  flags: 'bBdEiIOPqsSuvVhx',
  longs: 'version help',
  values: 'm c W X',
  information: INFORMATION,
  modules: '-m',
  code: '-c',
}
const NODE: Interpreter = {
  flags: 'vhc',
  longs: `version help check test test-only watch trace-warnings no-warnings enable-source-maps experimental-strip-types
    no-deprecation trace-deprecation expose-gc test-update-snapshots experimental-test-coverage trace-uncaught
    preserve-symlinks experimental-vm-modules test-force-exit pending-deprecation unhandled-rejections
    experimental-transform-types stack-trace-limit throw-deprecation max-old-space-size inspect inspect-brk`,
  values: `e p eval print test-name-pattern test-reporter test-concurrency test-timeout`,
  reads: 'env-file env-file-if-exists watch-path',
  information: `${INFORMATION} --test`,
  code: '-e -p --eval --print',
}

/** By name without version: `python3.12` is `python`. */
export const interpreters: Readonly<Record<string, Interpreter>> = {
  python: PYTHON,
  pypy: PYTHON,
  node: NODE,
  nodejs: NODE,
  deno: {
    flags: 'VhqA',
    longs: 'version help quiet allow-all no-check',
    information: INFORMATION,
    runs: 'run test bench',
    commands: 'fmt lint check info doc types task',
  },
  bun: {
    flags: 'vh',
    longs: 'version help',
    values: 'e eval p print',
    code: '-e -p --eval --print',
    information: INFORMATION,
    runs: 'run test',
    commands: 'install build add remove pm outdated',
  },
  ruby: { flags: 'vwhcnplas', longs: 'version help', values: 'e', code: '-e', information: INFORMATION },
  perl: { flags: 'vwchWnplast', values: 'e E', code: '-e -E', information: '-v -h' },
  php: {
    flags: 'vhilmn',
    longs: 'version help ini modules',
    values: 'r R B E S t',
    code: '-r -R -B -E',
    information: `${INFORMATION} -i -m -l`,
  },
  lua: { flags: 'v', values: 'e', code: '-e', information: '-v' },
  luajit: { flags: 'v', values: 'e', code: '-e', information: '-v' },
  Rscript: { longs: 'version help vanilla', values: 'e', code: '-e', information: INFORMATION },
  tclsh: { information: '' },
  osascript: { values: 'e', code: '-e', information: '' },
  guile: { longs: 'version help', values: 'c', code: '-c', information: INFORMATION },
  ghci: { longs: 'version help', information: INFORMATION },
  julia: { longs: 'version help', values: 'e E eval', code: '-e -E --eval', information: INFORMATION },
  elixir: { longs: 'version help', values: 'e eval', code: '-e --eval', information: INFORMATION },
  groovy: { longs: 'version help', values: 'e', code: '-e', information: INFORMATION },
  'ts-node': {
    flags: 'vhT',
    longs: 'version help transpile-only',
    values: 'e p',
    code: '-e -p',
    information: INFORMATION,
  },
  tsx: {
    flags: 'vh',
    longs: 'version help',
    values: 'e p',
    code: '-e -p',
    information: INFORMATION,
    runs: 'watch',
  },
  jshell: { information: INFORMATION },
  scala: { values: 'e', code: '-e', information: INFORMATION },
  racket: { values: 'e', code: '-e', information: INFORMATION },
  sbcl: { longs: 'version help', values: 'eval', code: '--eval', information: INFORMATION },
}

export function readInterpreter(command: Invocation, interpreter: Interpreter): Reading {
  const { own, module } = ownWords(command.args, interpreter)
  const found = sortArguments(own, { ...interpreter, ordered: true })
  const given = found.options.map(({ name }) => name)
  const code = given.filter((name) => (interpreter.code ?? '').split(' ').includes(name))
  const [first, ...rest] = found.operands
  const runs = (interpreter.runs ?? '').split(' ').includes(first?.text ?? '') && first !== undefined
  const ran = rest.find(({ text }) => !text.startsWith('-'))
  const loads = runs
    ? rest.filter(({ text }) => LOADING.test(text)).map(({ text }) => text.split('=', 1)[0] ?? '')
    : []
  const isCommand = (interpreter.commands ?? '').split(' ').includes(first?.text ?? '') && first !== undefined
  const script = code.length > 0 || module || isCommand ? undefined : runs ? ran : first
  const unknown = [...found.unknown, ...loads, ...lateOptions(command, interpreter)]
  const informs = interpreter.information.split(' ').some((name) => given.includes(name))
  const missing =
    script === undefined &&
    code.length === 0 &&
    !module &&
    !informs &&
    !isCommand &&
    !(runs && ran === undefined)
  const hidden =
    unknown.length > 0 ||
    missing ||
    (script !== undefined && INPUT.test(script.text)) ||
    (script !== undefined && (!isStatic(script) || isOtherCommand(script, first, interpreter)))
  const others = runs ? rest.slice(1) : script === undefined ? [] : rest
  const edited = found.unknown.includes('-i') ? 'write' : 'read'
  const files = code.length > 0 ? found.operands : module ? command.args.slice(own.length) : []
  return merge(
    optionCautions(command.program, unknown),
    ...code.map((name) => runsCode(command.program, name)),
    module ? caution('runs a module', interpreter.modules) : reading({}),
    hidden ? hiddenCode(command) : reading({}),
    uses('read', found.reads),
    uses('read', script === undefined || script.text === '-' ? [] : [script]),
    uses(
      edited,
      files.filter((field) => isStatic(field) && !field.text.startsWith('-')),
    ),
    uses(
      'read',
      others.filter((field) => isStatic(field) && /^(\/|~|\.\.?\/)/.test(field.text)),
    ),
  )
}

/** Options after `deno run` and the like that load more code. */
const LOADING = /^--?(r|preload|require|import|import-map|config|c|eval|e|print|p|env-file|inspect.*)(=|$)/

/** Whether the first word is a subcommand (`deno eval CODE`) and not a script path. */
function isOtherCommand(script: Field, first: Field | undefined, { runs }: Interpreter): boolean {
  return runs !== undefined && script === first && !/[./]/.test(script.text)
}

/** The interpreter's own words: in `python -m pytest -x`, `-x` belongs to pytest. */
function ownWords(
  args: readonly Field[],
  { modules }: Interpreter,
): { readonly own: readonly Field[]; readonly module: boolean } {
  if (modules === undefined) return { own: args, module: false }
  const script = args.findIndex(
    (field, at) => !field.text.startsWith('-') && !/^-[mcWX]$/.test(args[at - 1]?.text ?? ''),
  )
  const at = args.findIndex(({ text }) => /^-[a-zA-Z]*m/.test(text) && !/^-[a-zA-Z]*[cWX]/.test(text))
  if (at === -1 || (script !== -1 && script < at)) return { own: args, module: false }
  const attached = args[at]?.text.endsWith('m') !== true
  return { own: args.slice(0, attached ? at + 1 : at + 2), module: true }
}

/** Code in an option: a pattern that includes the option covers it. */
function runsCode(program: string, name: string): Reading {
  const reason = `runs code passed to ${program}`
  return merge(caution(reason, name), unknownInner(reason, name))
}

function hiddenCode({ program, args }: Invocation): Reading {
  return merge(
    caution('runs code that is not in a file'),
    unknownInner(`runs code that ${program} gets from elsewhere`),
    reading({ suspects: suspectTexts(args) }),
  )
}

/** `node --version -r ./x.js`: an option that prints and exits does not stop another from loading code first. */
function lateOptions({ args }: Invocation, { information }: Interpreter): readonly string[] {
  const answers = information.split(' ').includes(args[0]?.text ?? '')
  if (!answers) return []
  return args
    .slice(1)
    .filter(({ text }) => /^-(r|e|p|c|E|-require|-import|-loader|-eval|-print)/.test(text))
    .map(({ text }) => text)
}
