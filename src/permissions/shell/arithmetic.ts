import { forEachChild } from 'unbash'
import type {
  ArithmeticBinary,
  ArithmeticCommand,
  ArithmeticExpansionPart,
  ArithmeticFor,
  ArithmeticUnary,
  ParameterExpansionPart,
  SyntaxNode,
  TestBinaryExpression,
  TestUnaryExpression,
  Word,
} from 'unbash'
import { looksEvaluated } from './code-variables.ts'
import type { Assigned } from './variables.ts'
import { isNumeric } from './variables.ts'

const REASON = 'evaluates text that may contain code as arithmetic'

/**
 * Arithmetic runs substitutions in subscripts, including those in a variable's value. Only numbers, and names that
 * never hold anything but numbers, are harmless. Returns the reason to ask, or null.
 */
export function checkArithmetic(
  node: ArithmeticExpansionPart | ArithmeticCommand | ArithmeticFor,
  assigned: Assigned,
): string | null {
  if (node.type === 'ArithmeticFor') {
    const parts = [node.initialize, node.test, node.update].filter((part) => part !== undefined)
    return parts.every((part) => isPlain(part, assigned)) ? null : REASON
  }
  return node.expression !== undefined && isPlain(node.expression, assigned) ? null : REASON
}

function isPlain(node: SyntaxNode, assigned: Assigned): boolean {
  switch (node.type) {
    case 'ArithmeticWord':
      if (node.parts === undefined) return isPlainName(node.value, assigned)
      return node.parts.every((part) => isPlainPart(part, assigned, node.parts?.length === 1))
    case 'Literal':
      return isPlainName(node.value, assigned)
    case 'SimpleExpansion':
      return /^\$[?#$!]$/.test(node.text) || isPlainName(node.text.slice(1), assigned)
    case 'ParameterExpansion':
      return (
        node.prefix === '#' ||
        (node.operation === undefined && node.index === undefined && isNumeric(node.parameter, assigned))
      )
    case 'ArithmeticBinary':
    case 'ArithmeticUnary':
    case 'ArithmeticTernary':
    case 'ArithmeticGroup': {
      let plain = true
      forEachChild(node, (child) => {
        plain &&= isPlain(child, assigned)
      })
      return plain
    }
    default:
      return false
  }
}

/** The name that an expression assigns to; '' if it assigns nothing. */
export function arithmeticTarget(node: ArithmeticBinary | ArithmeticUnary): string {
  const target = node.type === 'ArithmeticBinary' ? node.left : node.operand
  const assigns = /^([-+*/%&|^]|<<|>>)?=$|^(\+\+|--)$/.test(node.operator)
  return assigns && target.type === 'ArithmeticWord' ? (/\w+/.exec(target.value)?.[0] ?? '') : ''
}

/** The parts of one word join: `a$b` is another name, while digits stay a number. */
function isPlainPart(part: SyntaxNode, assigned: Assigned, alone: boolean): boolean {
  if (!alone && part.type === 'Literal') return /^\d*$/.test(part.value)
  return isPlain(part, assigned)
}

function isPlainName(text: string, assigned: Assigned): boolean {
  const word = text.trim()
  return (
    word === '' ||
    /^(\d+|0[xX][\da-fA-F]+|\d+#\d+)$/.test(word) ||
    (/^\w+$/.test(word) && isNumeric(word, assigned))
  )
}

const NUMERIC = new Set(['-eq', '-ne', '-lt', '-le', '-gt', '-ge'])

/** `[[ a -eq b ]]` evaluates both sides as arithmetic; `-v` evaluates a subscript. */
export function checkTest(
  node: TestUnaryExpression | TestBinaryExpression,
  assigned: Assigned,
): string | null {
  if (node.type === 'TestUnary') {
    return (node.operator === '-v' || node.operator === '-R') && !/^\w+$/.test(node.operand.text)
      ? REASON
      : null
  }
  if (!NUMERIC.has(node.operator)) return null
  return [node.left, node.right].every((word) => isPlainOperand(word, assigned)) ? null : REASON
}

function isPlainOperand(word: Word, assigned: Assigned): boolean {
  if (/^-?\d+$/.test(word.value)) return true
  const name = /^"?\$\{?(#?\w+|[?#$!])\}?"?$/.exec(word.text)?.[1]
  return name !== undefined && (/^([?#$!]|#\w+)$/.test(name) || isNumeric(name, assigned))
}

/** `${!x}` expands the variable that x names, `${x@P}` runs the substitutions in x, and a subscript is arithmetic. */
export function checkParameter(node: ParameterExpansionPart, assigned: Assigned): string | null {
  if (node.prefix === '!') return 'uses an indirect variable reference'
  const operation = node.operation
  if (operation?.type === 'Transform' && !/^[QEAKakUuL]$/.test(operation.operand.text))
    return 'expands a value as a prompt'
  if (operation?.type === 'Unknown') return 'expands a parameter in a way that cannot be checked'
  if (operation?.type === 'Slice') {
    const parts = [operation.offset, operation.length].filter((part) => part !== undefined)
    if (!parts.every((part) => isPlainSlice(part, assigned))) return REASON
  }
  const index = node.index?.text
  if (index === undefined || index === '@' || index === '*') return null
  return isPlainName(index, assigned) && !looksEvaluated(index) ? null : REASON
}

function isPlainSlice(word: Word, assigned: Assigned): boolean {
  return /^\s*\(?-?\d*\)?\s*$/.test(word.text) || isPlainName(word.text, assigned)
}
