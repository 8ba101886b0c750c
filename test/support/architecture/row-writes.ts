import { Visitor, parseSync } from 'rolldown/utils'

/** Lines that write a property `row` of an object: `x.row = ...`, `Object.assign(x, { row })`. */
export function rowWrites(name: string, text: string): string[] {
  const { program } = parseSync(name, text)
  const found: string[] = []
  const write = ({ start }: { readonly start: number }) =>
    found.push(`${name}:${text.slice(0, start).split('\n').length} writes a row`)

  new Visitor({
    AssignmentExpression(node) {
      const { left } = node
      if (left.type === 'MemberExpression' && isRow(left.property)) write(node)
    },
    CallExpression(node) {
      const { callee, arguments: given } = node
      if (callee.type !== 'MemberExpression' || !isNamed(callee.object, 'Object')) return
      if (!isNamed(callee.property, 'assign') && !isNamed(callee.property, 'defineProperty')) return
      const names = given
        .slice(1)
        .flatMap((each) => (each.type === 'ObjectExpression' ? each.properties : []))
      const isRowNamed = names.some((each) => each.type === 'Property' && isRow(each.key))
      if (isRowNamed || given.slice(1).some(isRow)) write(node)
    },
  }).visit(program)
  return found
}

/** `x.row` and `x['row']`; a private field `#row` is of its class alone. */
function isRow(node: object): boolean {
  return isNamed(node, 'row') || ('value' in node && node.value === 'row')
}

function isNamed(node: object, name: string): boolean {
  return 'type' in node && node.type === 'Identifier' && 'name' in node && node.name === name
}
