import { Visitor, parseSync } from 'rolldown/utils'
import { readOnce } from './read-once.ts'

/**
 * One mention of another module: an import, a re-export, a dynamic import, a type's `import('...')`, the URL of a source
 * beside the file, which a worker or a child process starts, or what `import.meta.resolve`, `import.meta.glob`,
 * `process.getBuiltinModule` or a function of `createRequire` is called with.
 */
export interface Mention {
  /** undefined where a dynamic import computes it. */
  readonly specifier: string | undefined
  readonly typeOnly: boolean
  readonly line: number
}

export interface SourceFile {
  readonly name: string
  readonly lineCount: number
  readonly mentions: readonly Mention[]
  /** Lines that hand on what another module exports. */
  readonly reExports: readonly number[]
  /** Those of them that hand on everything. */
  readonly starExports: readonly number[]
  /** Lines with the type `any`. */
  readonly anys: readonly number[]
  /** Lines that make a `require`. */
  readonly requires: readonly number[]
  readonly syntaxErrors: readonly string[]
}

/** Reads what the rules need from the syntax tree, so that comments and strings cannot mislead it. */
export const readSource = readOnce(parseSource)

function parseSource(name: string, text: string): SourceFile {
  const { program, errors } = parseSync(name, text)
  const lineAt = (offset: number) => text.slice(0, offset).split('\n').length
  const mentions: Mention[] = []
  const reExports: number[] = []
  const starExports: number[] = []
  const anys: number[] = []
  const requires: number[] = []
  const imported = new Set<string>()
  /** Names of `createRequire`, and of what it has made. */
  const makers = new Set<string>()
  const loaders = new Set<string>()
  const isMaking = (node: object | null | undefined) => {
    const callee = (node as { readonly callee?: object } | null)?.callee
    return callee !== undefined && nameIn(callee, makers, 'createRequire')
  }
  const mention = (node: { start: number; source: unknown }, kind?: string | null) =>
    mentions.push({ specifier: literal(node.source), typeOnly: kind === 'type', line: lineAt(node.start) })

  new Visitor({
    ImportDeclaration(node) {
      mention(node, node.importKind)
      for (const specifier of node.specifiers) {
        imported.add(specifier.local.name)
        if (specifier.type === 'ImportSpecifier' && isNamed(specifier.imported, 'createRequire'))
          makers.add(specifier.local.name)
      }
    },
    ExportNamedDeclaration(node) {
      if (node.source) mention({ start: node.start, source: node.source }, node.exportKind)
      const handsOn = node.specifiers.some(
        ({ local }) => local.type === 'Identifier' && imported.has(local.name),
      )
      if (node.source || handsOn) reExports.push(lineAt(node.start))
    },
    ExportAllDeclaration(node) {
      mention(node, node.exportKind)
      reExports.push(lineAt(node.start))
      starExports.push(lineAt(node.start))
    },
    ImportExpression: (node) => mention(node),
    NewExpression({ start, callee, arguments: [path, from] }) {
      if (!path || !from || !isNamed(callee, 'URL') || !isMetaUrl(from)) return
      const specifier = literal(path)
      if (specifier && /^\.{1,2}\/.*\.tsx?$/.test(specifier)) mention({ start, source: path })
    },
    VariableDeclarator({ id, init }) {
      if (id.type === 'Identifier' && isMaking(init)) loaders.add(id.name)
    },
    CallExpression(node) {
      const { start, callee, arguments: given } = node
      if (isMaking(node)) requires.push(lineAt(start))
      const isLoading = nameIn(callee, loaders, 'getBuiltinModule') || isMaking(callee) || isOfMeta(callee)
      if (isLoading) for (const source of branchesOf(given[0])) mention({ start, source })
    },
    TSImportType: (node) => mention(node, 'type'),
    TSAnyKeyword: (node) => anys.push(lineAt(node.start)),
  }).visit(program)

  return {
    name,
    lineCount: text.trimEnd().split('\n').length,
    mentions,
    reExports,
    starExports,
    anys,
    requires,
    syntaxErrors: errors.map((error) => error.message),
  }
}

function isNamed(node: object, name: string): boolean {
  return 'name' in node && node.name === name
}

interface Member {
  readonly object?: { readonly type: string }
  readonly property?: object
}

function isMetaUrl(node: object): boolean {
  const { object, property } = node as Member
  return object?.type === 'MetaProperty' && property !== undefined && isNamed(property, 'url')
}

/** `import.meta.resolve`, and what Vite has there. */
function isOfMeta(node: object): boolean {
  return (node as Member).object?.type === 'MetaProperty'
}

/** One of the names, or a member `x.name`. */
function nameIn(node: object, names: ReadonlySet<string>, member: string): boolean {
  const { property } = node as Member
  return property ? isNamed(property, member) : [...names].some((name) => isNamed(node, name))
}

/** Both of `a ? 'b' : 'c'`, and each of `['b', 'c']`. */
function branchesOf(node: unknown): readonly unknown[] {
  const { consequent, alternate, elements } = (node ?? {}) as {
    readonly consequent?: unknown
    readonly alternate?: unknown
    readonly elements?: readonly unknown[]
  }
  if (elements) return elements
  return consequent && alternate ? [consequent, alternate] : [node ?? {}]
}

function literal(source: unknown): string | undefined {
  const value = (source as { value?: unknown }).value
  return typeof value === 'string' ? value : undefined
}
