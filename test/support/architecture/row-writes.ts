import { Visitor, parseSync } from 'rolldown/utils'

/**
 * Lines that write a property `row` of an object, or a part of such a row: `x.row = ...`, `Object.assign(x, { row })`,
 * `x.row.status = ...`, `Object.assign(x.row, ...)`.
 */
export function rowWrites(name: string, text: string): string[] {
  const { program } = parseSync(name, text)
  const found: string[] = []
  const write = ({ start }: { readonly start: number }) =>
    found.push(`${name}:${text.slice(0, start).split('\n').length} writes a row`)

  new Visitor({
    AssignmentExpression(node) {
      if (isOfRow(node.left)) write(node)
    },
    UpdateExpression(node) {
      if (isOfRow(node.argument)) write(node)
    },
    UnaryExpression(node) {
      if (node.operator === 'delete' && isOfRow(node.argument)) write(node)
    },
    CallExpression(node) {
      const { callee, arguments: given } = node
      if (callee.type !== 'MemberExpression' || !isNamed(callee.object, 'Object')) return
      if (!WRITERS.some((name) => isNamed(callee.property, name))) return
      const names = given
        .slice(1)
        .flatMap((each) => (each.type === 'ObjectExpression' ? each.properties : []))
      const isRowNamed = names.some((each) => each.type === 'Property' && isRow(each.key))
      const isInRow = given.slice(0, 1).some((each) => isNamed(each, 'row') || isOfRow(each))
      if (isRowNamed || isInRow || given.slice(1).some(isRow)) write(node)
    },
  }).visit(program)
  return found
}

const WRITERS = ['assign', 'defineProperty', 'defineProperties', 'setPrototypeOf']

/** `x.row`, `x.row.status`, `row.status`, `x.row!.usage['a']`, `(x.row as Changing).status`. */
function isOfRow(node: object): boolean {
  const { object, property, expression } = node as {
    readonly object?: object
    readonly property?: object
    readonly expression?: object
  }
  if (object && property) return isRow(property) || isNamed(object, 'row') || isOfRow(object)
  return expression !== undefined && (isNamed(expression, 'row') || isOfRow(expression))
}

/** `x.row` and `x['row']`; a private field `#row` is of its class alone. */
function isRow(node: object): boolean {
  return isNamed(node, 'row') || ('value' in node && node.value === 'row')
}

function isNamed(node: object, name: string): boolean {
  return 'type' in node && node.type === 'Identifier' && 'name' in node && node.name === name
}
