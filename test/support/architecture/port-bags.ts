import { posix } from 'node:path'
import { Visitor, parseSync } from 'rolldown/utils'
import { BAGS, BAG_TAKERS, MAX_PORTS, UNNAMED_MEMBERS } from './rules.ts'

interface Node {
  readonly type: string
  readonly start: number
}

/**
 * Where a source takes all the ports of a runtime, or all of a scope, instead of those that it uses. Allowed are
 * `Pick<Deps, 'store' | 'clock'>`, `Deps['config']`, the constraint of a type parameter, and the files that may take all,
 * each as often as it is listed.
 */
export function findBagTakers(tree: ReadonlyMap<string, string>): string[] {
  const listed = [...BAG_TAKERS.keys()].filter((file) => !tree.has(file))
  return [
    ...listed.map((file) => `${file} is listed and does not exist`),
    ...[...tree]
      .filter(([file]) => !/\.test\.tsx?$/.test(file))
      .flatMap(([file, text]) => takersIn(file, text)),
  ]
}

function takersIn(file: string, text: string): string[] {
  const found = bagMentions(file, text)
  const listed = BAG_TAKERS.get(file) ?? 0
  if (found.length === listed) return []
  if (found.length < listed) return [`${file} takes all ${found.length} times, not ${listed}: list it so`]
  return found.map(
    ({ line, what }) => `${file}:${line} ${what}: name the ports, as Pick<Deps, 'store' | 'clock'>`,
  )
}

/** The mentions of a bag that do not say which of its members are used. */
export function bagMentions(file: string, text: string): { readonly line: number; readonly what: string }[] {
  const { program } = parseSync(file, text)
  const bags = new Map<string, string>(BAGS.get(file)?.map((name) => [name, name]))
  const narrowed = new Set<number>()
  const found = new Map<number, string>()
  const bagOf = (node: unknown) => {
    const name = referenced(node)
    return name === undefined ? undefined : bags.get(name)
  }
  const narrow = (node: Node) => narrowed.add(node.start)
  const narrowPicked = ([from, members]: readonly Node[] = []) => {
    if (!from || !members) return
    const bag = bagOf(from)
    const given = parametersIn(from)
    if (bag && isNamed(bag, members)) narrow(from)
    if (given && isNamed('', members)) narrow(given)
  }

  new Visitor({
    ImportDeclaration({ start, source, specifiers }) {
      const names = BAGS.get(resolved(file, source.value))
      if (!names) return
      for (const each of specifiers) {
        if (each.type !== 'ImportSpecifier') found.set(start, 'imports all of a bag under another name')
        else if (each.imported.type === 'Identifier' && names.includes(each.imported.name))
          bags.set(each.local.name, each.imported.name)
      }
    },
    TSImportType({ start, source }) {
      if (BAGS.has(resolved(file, source.value))) found.set(start, `takes a bag by import('...')`)
    },
    TSTypeParameter({ constraint }) {
      const of = constraint && (argumentsOf(constraint, 'Partial')?.[0] ?? keyOf(constraint))
      if (of && bagOf(of)) narrow(of)
    },
    TSIndexedAccessType({ objectType, indexType }) {
      const bag = bagOf(objectType)
      const name = literalOf(indexType)
      if (bag && name !== undefined && !UNNAMED_MEMBERS.has(`${bag}.${name}`)) narrow(objectType)
    },
    TSTypeReference(node) {
      narrowPicked(argumentsOf(node, 'Pick'))
      const bag = bagOf(node)
      if (parametersIn(node) && file.startsWith('src/runtime/') && !narrowed.has(node.start))
        found.set(node.start, 'takes what another function takes')
      if (bag && !narrowed.has(node.start)) found.set(node.start, `takes all of ${bag}`)
    },
    TSInterfaceHeritage({ start, expression, typeArguments }) {
      const name = expression.type === 'Identifier' ? expression.name : ''
      if (name === 'Pick') narrowPicked(typeArguments?.params)
      if (bags.has(name)) found.set(start, `takes all of ${bags.get(name)}`)
    },
  }).visit(program)

  return [...found]
    .toSorted(([a], [b]) => a - b)
    .map(([start, what]) => ({ line: text.slice(0, start).split('\n').length, what }))
}

/** Few members, each by its name, and none that holds a bag itself. */
function isNamed(bag: string, members: unknown): boolean {
  const { type, types } = members as { readonly type: string; readonly types?: readonly unknown[] }
  const names = (type === 'TSUnionType' ? types! : [members]).map(literalOf)
  return (
    names.length <= MAX_PORTS &&
    names.every((name) => name !== undefined && !UNNAMED_MEMBERS.has(`${bag}.${name}`))
  )
}

function referenced(node: unknown): string | undefined {
  const { type, typeName } = node as { readonly type: string; readonly typeName?: { readonly name?: string } }
  return type === 'TSTypeReference' ? typeName?.name : undefined
}

function argumentsOf(node: unknown, name: string): readonly Node[] | undefined {
  const { typeArguments } = node as { readonly typeArguments?: { readonly params: readonly Node[] } | null }
  return referenced(node) === name ? typeArguments?.params : undefined
}

/** `Parameters<typeof drive>`, also in `Parameters<typeof drive>[0]`: what a function takes may be a bag. */
function parametersIn(node: unknown): Node | undefined {
  const { type, objectType } = node as { readonly type: string; readonly objectType?: Node }
  if (type === 'TSIndexedAccessType') return parametersIn(objectType)
  const given = argumentsOf(node, 'Parameters') ?? argumentsOf(node, 'ConstructorParameters')
  return given?.[0]?.type === 'TSTypeQuery' ? (node as Node) : undefined
}

function keyOf(node: unknown): Node | undefined {
  const { type, operator, typeAnnotation } = node as {
    readonly type: string
    readonly operator?: string
    readonly typeAnnotation?: Node
  }
  return type === 'TSTypeOperator' && operator === 'keyof' ? typeAnnotation : undefined
}

function literalOf(node: unknown): string | undefined {
  const { type, literal } = node as { readonly type: string; readonly literal?: { readonly value?: unknown } }
  const value = type === 'TSLiteralType' ? literal?.value : undefined
  return typeof value === 'string' ? value : undefined
}

function resolved(file: string, specifier: string): string {
  return specifier.startsWith('.') ? posix.join(posix.dirname(file), specifier) : specifier
}
