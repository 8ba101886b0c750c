import { forEachChild } from 'unbash'
import type { Assignment, Command, ParsedScript, SyntaxNode, Word } from 'unbash'
import { UNKNOWN } from '../match-pattern.ts'
import { expandWord } from './expand.ts'
import type { Variables } from './expand.ts'
import type { Field } from './field.ts'
import { staticField, unknownField } from './field.ts'
import type { Stdin } from './reading.ts'
import { pipedInput } from './stdin.ts'

/** null: unknown. */
type AssignedValue = readonly Word[] | 'number' | null

/** All assignments of a command line, wherever they are: loops and functions change the order of execution. */
export interface Assigned {
  readonly words: Map<string, AssignedValue[]>
  /** Something sets variables in a way that cannot be tracked. */
  opaque: boolean
}

export function newAssigned(): Assigned {
  return { words: new Map(), opaque: false }
}

const SETTERS = new Set(
  'read mapfile readarray printf getopts let unset eval source . wait set shift local declare typeset export readonly'.split(
    ' ',
  ),
)
const DECLARATIONS = new Set(['local', 'declare', 'typeset', 'export', 'readonly'])

/** Adds the assignments in a syntax tree whose limits have been checked. */
export function collectAssigned(node: SyntaxNode, assigned: Assigned) {
  if (node.type === 'Assignment') addAssignment(node, assigned)
  else if (node.type === 'For' || node.type === 'Select') {
    for (const word of node.wordlist ?? []) add(assigned, node.name.value, [word])
    if (node.wordlist === undefined || node.type === 'Select') add(assigned, node.name.value, null)
  } else if (node.type === 'ParameterExpansion' && node.operation?.type === 'Default') {
    if (node.operation.operator.includes('=')) add(assigned, node.parameter, [node.operation.operand])
  } else if (node.type === 'ArithmeticBinary' || node.type === 'ArithmeticUnary') {
    const target = node.type === 'ArithmeticBinary' ? node.left : node.operand
    if (/=$|\+\+|--/.test(node.operator) && target.type === 'ArithmeticWord')
      add(assigned, target.value, 'number')
  } else if (node.type === 'Command') addSetter(node, assigned)
  else if (node.type === 'FileDescriptorVariable') add(assigned, node.name, null)
  forEachChild(node, (child) => collectAssigned(child, assigned))
}

function addAssignment(node: Assignment, assigned: Assigned) {
  const { value } = node
  if (node.append === true || node.index !== undefined) add(assigned, node.name, null)
  else add(assigned, node.name, value.type === 'Word' ? [value] : value.elements)
}

function addSetter(node: Command, assigned: Assigned) {
  const name = node.name?.value ?? ''
  if (!SETTERS.has(name)) return
  const followed = DECLARATIONS.has(name) && node.args.every((arg) => arg.type === 'Assignment')
  if (name === 'printf' ? node.args.some((arg) => arg.text.includes('-v')) : !followed) assigned.opaque = true
}

function add(assigned: Assigned, name: string, words: AssignedValue) {
  const values = assigned.words.get(name) ?? []
  values.push(words)
  assigned.words.set(name, values)
}

const MAX_VALUES = 8
const MAX_CHAIN = 4

/**
 * The variables at a word. `certain`: names that are certain to be assigned before it. Any other name may have its
 * value from the environment, which is unknown.
 */
export function variablesAt(
  assigned: Assigned,
  certain: ReadonlySet<string>,
  root: string,
  chain = 0,
): Variables {
  return {
    output: (script) => outputOf(script, root),
    values(name) {
      const values = assigned.words.get(name)
      if (values === undefined) return environmentValue(name, assigned, root)
      if (assigned.opaque || assigned.words.has('IFS') || chain > MAX_CHAIN || values.length > MAX_VALUES)
        return null
      const inner = variablesAt(assigned, certain, root, chain + 1)
      const known = values.flatMap((words) => valuesOf(words, inner))
      return certain.has(name) ? known : [...known, [unknownField]]
    },
  }
}

/** The output of a substitution whose single command makes it predictable: the directory, or names of files. */
function outputOf(script: ParsedScript | undefined, root: string): Field | null {
  const [statement, more] = script?.commands ?? []
  const command = statement?.command
  if (more !== undefined || command === undefined) return null
  const stages = command.type === 'Pipeline' ? command.commands : command.type === 'AndOr' ? [] : [command]
  const [only, second] = stages
  if (only?.type === 'Command' && second === undefined && /^pwd( -[LP])?$/.test(wordsOf(only)))
    return staticField(root)
  const printed = stages.reduce<Stdin>((stdin, stage) => pipedInput(stage, stdin), { type: 'none' })
  return printed.type === 'files' ? { ...unknownField, from: 'files', found: printed.found } : null
}

function wordsOf({ name, args }: Command): string {
  return [name?.text ?? '', ...args.map(({ text }) => text)].join(' ')
}

function valuesOf(words: AssignedValue, variables: Variables): readonly (readonly Field[])[] {
  if (words === null) return [[unknownField]]
  if (words === 'number') return [[{ ...unknownField, loose: false, from: 'number' }]]
  const lists = words.map((word) => expandWord(word, variables))
  if (lists.length === 1) return (lists[0] ?? []).map((fields) => [joined(fields)])
  return [
    lists.flatMap((alternatives) => (alternatives.length === 1 ? (alternatives[0] ?? []) : [unknownField])),
  ]
}

/** An assignment does not split: `X=$A` takes the words of A as one. */
function joined(fields: readonly Field[]): Field {
  const [only] = fields
  if (fields.length === 1 && only !== undefined) return only
  const text = fields.map((field) => field.text).join(' ')
  return { ...staticField(text), uncertain: fields.some((field) => field.glob) ? UNKNOWN : text }
}

function environmentValue(
  name: string,
  assigned: Assigned,
  root: string,
): readonly (readonly Field[])[] | null {
  if (assigned.opaque) return null
  if (name === 'IFS') return [[staticField(' ')]]
  if (name === 'HOME') return [[{ ...staticField('~'), tilde: true }]]
  return name === 'PWD' ? [[staticField(root)]] : null
}

/** Whether only numbers are assigned to a name: otherwise its value may hold code for arithmetic. */
export function isNumeric(name: string, assigned: Assigned): boolean {
  if (assigned.opaque) return false
  const values = assigned.words.get(name)
  return (
    values !== undefined && values.every((value) => value === 'number' || (value?.every(isNumber) ?? false))
  )
}

function isNumber(word: Word): boolean {
  return (
    /^-?\d+$/.test(word.text) || (word.parts?.length === 1 && word.parts[0]?.type === 'ArithmeticExpansion')
  )
}
