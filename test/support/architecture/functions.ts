import { Visitor, parseSync } from 'rolldown/utils'
import { readOnce } from './read-once.ts'

export interface FunctionSize {
  /** Of a function without a name: that of what holds it, or empty. */
  readonly name: string
  readonly line: number
  readonly parameters: number
  readonly lines: number
}

export interface Functions {
  readonly functions: readonly FunctionSize[]
  /** Lines on which an error is dropped without a word why: `.catch(() => {})`, `.catch(Boolean)`, `catch {}`. */
  readonly silentCatches: readonly number[]
}

interface Named {
  readonly type: string
  readonly name?: string
}

interface Parsed {
  readonly start: number
  readonly end: number
  readonly params: readonly unknown[]
}

/** The functions of a source file: declared, expressed, methods, and those that types describe. */
export const readFunctions = readOnce(parseFunctions)

function parseFunctions(file: string, text: string): Functions {
  const { program, comments } = parseSync(file, text)
  const lineAt = lineCounter(text)
  const names = new Map<number, string>()
  const functions: FunctionSize[] = []
  const silentCatches: number[] = []
  const nameIt = (value: { readonly start: number } | null | undefined, key: Named) =>
    value && names.set(value.start, key.name ?? '')
  const add = ({ start, end, params }: Parsed, name = names.get(start) ?? '') =>
    functions.push({
      name,
      line: lineAt(start),
      parameters: params.filter((each) => (each as Named).name !== 'this').length,
      lines: lineAt(end) - lineAt(start) + 1,
    })

  new Visitor({
    VariableDeclarator: ({ id, init }) => nameIt(init, id),
    Property: ({ key, value }) => nameIt(value, key as Named),
    PropertyDefinition: ({ key, value }) => nameIt(value, key as Named),
    MethodDefinition: ({ key, value }) => nameIt(value, key as Named),
    FunctionDeclaration: (node) => add(node, node.id?.name),
    FunctionExpression: (node) => add(node),
    ArrowFunctionExpression: (node) => add(node),
    TSMethodSignature: (node) => add(node, (node.key as Named).name),
    TSFunctionType: (node) => add(node),
    TSDeclareFunction: (node) => add(node, node.id?.name),
    TSCallSignatureDeclaration: (node) => add(node),
    TSConstructSignatureDeclaration: (node) => add(node),
    TSConstructorType: (node) => add(node),
    TSEmptyBodyFunctionExpression: (node) => add(node),
    TSAbstractMethodDefinition: ({ key, value }) => nameIt(value, key as Named),
    CatchClause({ body, end }) {
      const isCommented = comments.some(({ start }) => start > body.start && start < body.end)
      if (body.body.every(isNothing) && !isCommented) silentCatches.push(lineAt(end))
    },
    CallExpression({ callee, arguments: given, end }) {
      if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return
      const { name } = callee.property
      const handler = name === 'catch' ? given[0] : name === 'then' ? given[1] : undefined
      if (handler && isSilent(handler, file)) silentCatches.push(lineAt(end))
    },
  }).visit(program)

  return { functions, silentCatches }
}

/** The line of an offset; offsets are asked for in any order. */
function lineCounter(text: string): (offset: number) => number {
  const ends = [...text.matchAll(/\n/g)].map(({ index }) => index)
  return (offset) => {
    let [low, high] = [0, ends.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (ends[middle]! < offset) low = middle + 1
      else high = middle
    }
    return low + 1
  }
}

/** Functions whose name says no reason. */
const NO_REASON = /^(?:noop|nop|nothing|doNothing|empty|swallow|Boolean|Object|String|Array)$/i

interface Shape {
  readonly type: string
  readonly name?: string
  readonly operator?: string
  readonly params?: readonly Shape[]
  readonly body?: Shape | readonly Shape[]
  readonly expression?: Shape
  readonly argument?: Shape | null
}

function isSilent(given: object, file: string): boolean {
  const handler = given as Shape
  if (handler.type === 'Identifier') return NO_REASON.test(handler.name ?? '')
  if (handler.type !== 'ArrowFunctionExpression' && handler.type !== 'FunctionExpression') return false
  const body = handler.body as Shape
  if (body.type !== 'BlockStatement') return isVoid(body) || (isParameter(body, handler) && !isTestFile(file))
  const statements = body.body as readonly Shape[]
  const [only] = statements
  if (statements.length === 1 && only?.type === 'ReturnStatement' && only.argument && !isTestFile(file))
    return isVoid(only.argument) || isParameter(only.argument, handler)
  return statements.every(isNothing)
}

/** `;`, `void 0`, a `return` of nothing. */
function isNothing(statement: object): boolean {
  const { type, expression, argument } = statement as Shape
  if (type === 'ReturnStatement') return !argument || isVoid(argument)
  return type === 'EmptyStatement' || (type === 'ExpressionStatement' && isVoid(expression!))
}

/** `void 0`; `void work()` does something. */
function isVoid({ type, operator, argument }: Shape): boolean {
  return type === 'UnaryExpression' && operator === 'void' && argument?.type === 'Literal'
}

/** `(error) => error`; a test looks at what it gets so. */
function isParameter({ type, name }: Shape, { params = [] }: Shape): boolean {
  return type === 'Identifier' && params[0]?.name === name
}

function isTestFile(file: string): boolean {
  return /\.test\.tsx?$/.test(file)
}
