/** The part of zod's issues used here. */
export interface InputIssue {
  readonly code: string
  readonly path: readonly PropertyKey[]
  readonly message: string
  readonly expected?: string
  readonly values?: readonly unknown[]
}

type Container = Record<PropertyKey, unknown>

/** A copy of the input with every fixable issue fixed; the rest is unchanged. */
export function mendInput(
  input: Record<string, unknown>,
  issues: readonly InputIssue[],
): Record<string, unknown> {
  const mended = structuredClone(input)
  for (const issue of issues) mendOne(mended, issue)
  return mended
}

function mendOne(input: Container, issue: InputIssue): void {
  const key = issue.path.at(-1)
  const holder = issue.path
    .slice(0, -1)
    .reduce<unknown>((inner, name) => (inner as Container | undefined)?.[name], input)
  if (key === undefined || typeof holder !== 'object' || holder === null || !Object.hasOwn(holder, key))
    return
  const container = holder as Container
  const value = container[key]
  if (value === null) delete container[key]
  else
    container[key] =
      issue.code === 'invalid_value'
        ? nearestOption(value, issue.values ?? [])
        : convert(value, issue.expected)
}

function nearestOption(value: unknown, options: readonly unknown[]): unknown {
  if (typeof value !== 'string') return value
  const wanted = value.trim().toLowerCase()
  return options.find((option) => typeof option === 'string' && option.toLowerCase() === wanted) ?? value
}

function convert(value: unknown, expected: string | undefined): unknown {
  switch (expected) {
    case 'number':
    case 'int':
      return typeof value === 'string' && /^\s*-?\d+(\.\d+)?\s*$/.test(value) ? Number(value) : value
    case 'boolean':
      return typeof value === 'string' && /^\s*(true|false)\s*$/i.test(value) ? /true/i.test(value) : value
    case 'string':
      return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value
    case 'array':
      return typeof value === 'string' ? listOf(value) : value
    case 'object':
    case 'record':
      return typeof value === 'string' ? parsed(value) : value
    default:
      return value
  }
}

function listOf(text: string): unknown {
  const value = parsed(text)
  return Array.isArray(value) ? value : [text]
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}
