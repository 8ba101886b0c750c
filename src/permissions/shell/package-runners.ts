import type { Field } from './field.ts'
import { isStatic } from './field.ts'
import type { Invocation } from './reading.ts'

/** Programs that start a package's program, with those of their options that take a value. */
const STARTERS: Readonly<Record<string, string>> = {
  npx: '-p --package -w --workspace',
  pnpx: '-p --package',
  bunx: '-p --package',
  uvx: '--from --with -p --python --index-url',
}
/** Programs that do so after a subcommand, or always. */
const RUNNERS: Readonly<Record<string, readonly string[]>> = {
  npm: ['exec', 'x'],
  pnpm: ['exec', 'x', 'dlx'],
  yarn: ['exec', 'dlx', 'run'],
  bun: ['x'],
  pipx: ['run'],
  rye: ['run'],
  hatch: ['run'],
  pdm: ['run'],
}
const NAMED_ALONE = new Set(['yarn', 'pnpm'])

/**
 * The program that a runner starts with its remaining words: `npx eslint --fix` does what `eslint --fix` does. A rule
 * for `npx eslint*` covers the start, not the options.
 */
export function startedProgram({ program, args, stdin }: Invocation): Invocation | null {
  const words = startedWords(program, args)
  const [name, ...rest] = words ?? []
  if (name === undefined || !isStatic(name)) return null
  const plain = name.text.slice(name.text.lastIndexOf('/') + 1).replace(/(?<=.)@.*$/, '')
  return { program: plain.replace(/\.[cm]?js$/, ''), args: rest.filter(({ text }) => text !== '--'), stdin }
}

function startedWords(program: string, args: readonly Field[]): readonly Field[] | null {
  const starter = Object.hasOwn(STARTERS, program) ? STARTERS[program] : undefined
  if (starter !== undefined) return operandsOn(args, starter)
  const runner = Object.hasOwn(RUNNERS, program) ? RUNNERS[program] : undefined
  if (runner !== undefined) return behind(operandsOn(args, '--filter -F -w --workspace'), runner, program)
  if (/^python[\d.]*$|^pypy/.test(program)) return moduleOf(args)
  return /^(node|nodejs|php|ruby|bun)$/.test(program) ? operandsOn(args, '-r --require --import') : null
}

function behind(words: readonly Field[], names: readonly string[], program: string): readonly Field[] | null {
  const [first, ...rest] = words
  if (first === undefined) return null
  if (names.includes(first.text)) return operandsOn(rest, '-p --package -c')
  return NAMED_ALONE.has(program) ? words : null
}

/** The words from the first operand on. */
function operandsOn(args: readonly Field[], valued: string): readonly Field[] {
  const values = valued.split(' ')
  const at = args.findIndex(
    ({ text }, index) => !text.startsWith('-') && !values.includes(args[index - 1]?.text ?? ''),
  )
  return at === -1 ? [] : args.slice(at)
}

/** `-m pytest -x`, and `-mpytest`. */
function moduleOf(args: readonly Field[]): readonly Field[] | null {
  const at = args.findIndex(({ text }) => /^-[a-zA-Z]*m/.test(text) || !text.startsWith('-'))
  const field = args[at]
  const match = /^-[a-zA-Z]*?m(.*)$/.exec(field?.text ?? '')
  if (field === undefined || match === null) return null
  const attached = match[1] ?? ''
  return attached === ''
    ? args.slice(at + 1)
    : [{ ...field, text: attached, uncertain: attached }, ...args.slice(at + 1)]
}
