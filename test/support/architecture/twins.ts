import { parseSync } from 'rolldown/utils'
import { TWINS } from './rules.ts'

/**
 * Names that several files of one program export for declarations of their own. There are two programs: what runs in Node,
 * and the page; `src/client` is in both. A route or a type of `src/protocol` has the name of what it carries.
 */
export function findTwins(tree: ReadonlyMap<string, string>): string[] {
  const product = [...tree].filter(
    ([name]) => !/\.test\.tsx?$/.test(name) && !/\/fixtures\/|\/protocol\//.test(name),
  )
  const isPage = (name: string) => name.startsWith('web/')
  const node = product.filter(([name]) => !isPage(name))
  const page = product.filter(([name]) => isPage(name) || name.startsWith('src/client/'))
  const found = new Map([...twinsOf(node), ...twinsOf(page)])
  return [
    ...[...found]
      .filter(([name]) => !TWINS.has(name))
      .map(([name, files]) => `${name} is exported by ${files.join(', ')}: rename what is not the same`),
    ...[...TWINS.keys()].filter((name) => !found.has(name)).map((name) => `${name} is no twin any more`),
  ]
}

function twinsOf(files: readonly (readonly [string, string])[]): (readonly [string, readonly string[]])[] {
  const exported = files.flatMap(([file, text]) =>
    declaredExports(file, text).map((name) => ({ name, file })),
  )
  return [...Map.groupBy(exported, ({ name }) => name)]
    .map(([name, places]) => [name, [...new Set(places.map(({ file }) => file))]] as const)
    .filter(([, places]) => places.length > 1)
}

/** What a file declares and exports; not what it hands on. */
function declaredExports(file: string, text: string): string[] {
  const { program } = parseSync(file, text)
  const imported = new Set(
    program.body.flatMap((node) =>
      node.type === 'ImportDeclaration' ? node.specifiers.map(({ local }) => local.name) : [],
    ),
  )
  return program.body.flatMap((node) => {
    if (node.type !== 'ExportNamedDeclaration' || node.source) return []
    const { declaration, specifiers } = node
    if (!declaration)
      return specifiers.flatMap(({ local, exported }) =>
        'name' in local && 'name' in exported && !imported.has(local.name) ? [exported.name] : [],
      )
    const ids =
      declaration.type === 'VariableDeclaration'
        ? declaration.declarations.map(({ id }) => id)
        : [declaration.id]
    return ids.flatMap((id) => (id && 'name' in id ? [id.name] : []))
  })
}
