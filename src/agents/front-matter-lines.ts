import { isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from 'yaml'

/** The first line below the `---`. */
const FIRST = 2

/** The line of a file in which a value of its front matter is; of the nearest value around it where it is not found. */
export function lineOfPath(block: readonly string[], path: readonly PropertyKey[]): number {
  const [key = ''] = path
  const plain = block.findIndex(
    (line) => line.startsWith(`${String(key)}:`) || line.startsWith(`${String(key)} :`),
  )
  const counter = new LineCounter()
  const offset = offsetOf(block.join('\n'), path, counter)
  if (offset === undefined) return plain < 0 ? FIRST : plain + FIRST
  return counter.linePos(offset).line + FIRST - 1
}

function offsetOf(text: string, path: readonly PropertyKey[], lineCounter: LineCounter): number | undefined {
  const document = parseDocument(text, { schema: 'core', stringKeys: true, prettyErrors: false, lineCounter })
  if (document.errors.length > 0) return undefined
  let node: unknown = document.contents
  let offset: number | undefined
  for (const name of path) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && key.value === name)
      if (!pair) return offset
      if (isNode(pair.key)) offset = pair.key.range?.[0] ?? offset
      node = pair.value
    } else if (isSeq(node) && typeof name === 'number') {
      node = node.items[name]
      if (isNode(node)) offset = node.range?.[0] ?? offset
    } else return offset
  }
  return offset
}
