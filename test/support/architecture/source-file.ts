import { Visitor, parseSync } from 'rolldown/utils'

/**
 * One mention of another module: an import, a re-export, a dynamic import, a type's `import('...')`, or the URL
 * of a source beside the file, which a worker or a child process starts.
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
  readonly syntaxErrors: readonly string[]
}

/** Reads what the rules need from the syntax tree, so that comments and strings cannot mislead it. */
export function readSource(name: string, text: string): SourceFile {
  const { program, errors } = parseSync(name, text)
  const lineAt = (offset: number) => text.slice(0, offset).split('\n').length
  const mentions: Mention[] = []
  const reExports: number[] = []
  const starExports: number[] = []
  const anys: number[] = []
  const imported = new Set<string>()
  const mention = (node: { start: number; source: unknown }, kind?: string | null) =>
    mentions.push({ specifier: literal(node.source), typeOnly: kind === 'type', line: lineAt(node.start) })

  new Visitor({
    ImportDeclaration(node) {
      mention(node, node.importKind)
      for (const specifier of node.specifiers) imported.add(specifier.local.name)
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
    syntaxErrors: errors.map((error) => error.message),
  }
}

function isNamed(node: object, name: string): boolean {
  return 'name' in node && node.name === name
}

function isMetaUrl(node: object): boolean {
  const { object, property } = node as {
    readonly object?: { readonly type: string }
    readonly property?: object
  }
  return object?.type === 'MetaProperty' && property !== undefined && isNamed(property, 'url')
}

function literal(source: unknown): string | undefined {
  const value = (source as { value?: unknown }).value
  return typeof value === 'string' ? value : undefined
}
