import { posix } from 'node:path'
import { isBuiltin } from 'node:module'
import { findCycles } from './find-cycles.ts'
import {
  ENTRIES,
  INDEX_MAX_LINES,
  NODE_MODULES,
  PACKAGES,
  PURE_ROOMS,
  REQUIRE_ROOMS,
  ROOMS,
  ROOMS_OF_TESTS,
  ROOT_FILES,
  TEST_PACKAGES,
  TYPES_ONLY,
} from './rules.ts'
import { type Mention, type SourceFile, readSource } from './source-file.ts'

/** Names (`src/core/ids.ts`) and texts of all source files. */
export type SourceTree = ReadonlyMap<string, string>

/** One sentence for each place that breaks a rule. */
export function findViolations(tree: SourceTree): string[] {
  const files = [...tree].map(([name, text]) => readSource(name, text))
  return [
    ...files.flatMap((file) => [
      ...brokenShape(file),
      ...file.mentions.flatMap((it) => brokenImport(it, file, tree)),
    ]),
    ...findCycles(importGraph(files, tree)).map((cycle) => `import cycle: ${cycle.join(' -> ')}`),
  ]
}

function brokenShape(file: SourceFile): string[] {
  const at = (line: number) => `${file.name}:${line}`
  return [
    ...file.syntaxErrors.map((error) => `${file.name} cannot be parsed: ${error}`),
    ...(isKnownPlace(file.name) ? [] : [`${file.name} is in no room of the table`]),
    ...file.anys.map((line) => `${at(line)} uses any`),
    ...(isTest(file.name) || REQUIRE_ROOMS.has(roomOf(file.name))
      ? []
      : file.requires.map(
          (line) => `${at(line)} makes a require, which only ${[...REQUIRE_ROOMS].join(', ')} may`,
        )),
    ...(ENTRIES.has(file.name)
      ? []
      : file.reExports.map((line) => `${at(line)} re-exports, and is no entry file`)),
    ...(file.name === 'src/index.ts' ? brokenIndex(file) : []),
  ]
}

function isKnownPlace(name: string): boolean {
  return ROOT_FILES.has(name) || roomOf(name) in ROOMS
}

function brokenIndex(file: SourceFile): string[] {
  const tooLong = file.lineCount > INDEX_MAX_LINES
  return [
    ...(tooLong ? [`${file.name} has ${file.lineCount} lines, more than ${INDEX_MAX_LINES}`] : []),
    ...file.starExports.map((line) => `${file.name}:${line} exports a whole module; name what is public`),
  ]
}

function brokenImport(mention: Mention, file: SourceFile, tree: SourceTree): string[] {
  const { specifier } = mention
  const problem =
    specifier === undefined
      ? computedImport(file)
      : specifier.startsWith('.')
        ? relativeImport(mention, specifier, file, tree)
        : isBuiltin(specifier)
          ? nodeImport(specifier, file)
          : packageImport(specifier, file)
  return problem === undefined ? [] : [`${file.name}:${mention.line} ${problem}`]
}

/** A module whose name is computed can be anything, so only the composition root may load one. */
function computedImport(file: SourceFile): string | undefined {
  return roomOf(file.name) === 'cli' ? undefined : 'imports a computed name, which only cli may'
}

function relativeImport(
  mention: Mention,
  specifier: string,
  file: SourceFile,
  tree: SourceTree,
): string | undefined {
  const target = resolve(file.name, specifier)
  if (isTest(file.name) && (target.startsWith('test/support/') || ROOT_FILES.has(target))) return undefined
  if (!tree.has(target)) return `imports ${specifier}, which is no source file (write the .ts suffix)`
  if (isTest(target)) return `imports the test ${specifier}`
  if (isProduct(file.name) && !isProduct(target)) return `imports the fixture ${specifier}`
  return roomImport(roomOf(file.name), roomOf(target), mention.typeOnly, file.name, target)
}

function roomImport(
  from: string,
  to: string,
  typeOnly: boolean,
  name: string,
  target: string,
): string | undefined {
  if (from === to || ROOT_FILES.has(name)) return undefined
  const allowed = ROOMS[from]
  if (allowed === 'everything' && (to in ROOMS || target === 'src/index.ts')) return undefined
  if (isTest(name) && ROOMS_OF_TESTS[from]?.includes(to)) return undefined
  if (allowed === undefined || allowed === 'everything' || !allowed.includes(to))
    return `imports ${target}: ${from} may not import ${to}`
  const mustBeType = TYPES_ONLY.has(`${from} -> ${to}`) && !typeOnly && !isTest(name)
  return mustBeType ? `imports ${target}: ${from} may import only types of ${to}` : undefined
}

function nodeImport(specifier: string, file: SourceFile): string | undefined {
  if (isTest(file.name)) return undefined
  const room = roomOf(file.name)
  const name = specifier.startsWith('node:') ? specifier : `node:${specifier}`
  if (PURE_ROOMS[room]?.includes(name) === false) return `imports ${name}: ${room} is pure`
  const rooms = NODE_MODULES[name]
  return rooms === undefined || rooms.includes(room)
    ? undefined
    : `imports ${name}, which belongs to ${rooms.join(', ')}`
}

function packageImport(specifier: string, file: SourceFile): string | undefined {
  const name = specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
  if (isTest(file.name) && TEST_PACKAGES.has(name)) return undefined
  const rooms = PACKAGES[name]
  if (rooms === undefined) return `imports the package ${name}, for which the rules name no room`
  if (rooms === 'everywhere' || rooms.includes(roomOf(file.name))) return undefined
  return `imports the package ${name}, which belongs to ${rooms.join(', ')}`
}

/**
 * One sentence for each import of the page that is none of its own files, of the client and the protocol of the program, or
 * of `packages`.
 */
export function findForeignImports(tree: SourceTree, packages: readonly string[]): string[] {
  return [...tree].flatMap(([name, text]) =>
    readSource(name, text)
      .mentions.filter(({ specifier }) => !isOfPage(specifier, name, packages))
      .map(({ specifier, line }) => `${name}:${line} imports ${specifier ?? 'a computed name'}`),
  )
}

function isOfPage(specifier: string | undefined, name: string, packages: readonly string[]): boolean {
  if (specifier === undefined) return false
  if (specifier.startsWith('.')) {
    const target = resolve(name, specifier)
    return target.startsWith('web/src/') && (!isProduct(name) || isProduct(target))
  }
  if (/^offshoot(?:\/|$)/.test(specifier)) return /^offshoot\/(?:client|protocol)$/.test(specifier)
  if (isTest(name) && specifier === 'vitest') return true
  return packages.some((each) => specifier === each || specifier.startsWith(`${each}/`))
}

/** What the files of the program import of each other; tests and what only they use are left out. */
export function importsOf(tree: SourceTree): Map<string, string[]> {
  const files = [...tree].filter(([name]) => isProduct(name))
  return importGraph(
    files.map(([name, text]) => readSource(name, text)),
    tree,
  )
}

function importGraph(files: readonly SourceFile[], tree: SourceTree): Map<string, string[]> {
  const targets = (file: SourceFile) =>
    file.mentions
      .flatMap(({ specifier }) => (specifier?.startsWith('.') ? [resolve(file.name, specifier)] : []))
      .filter((target) => tree.has(target))
  return new Map(files.map((file) => [file.name, targets(file)]))
}

function resolve(from: string, specifier: string): string {
  return posix.join(posix.dirname(from), specifier)
}

/** `src/core/ids.ts` is in core; a file directly below src is in a room of its own name. */
function roomOf(name: string): string {
  return name.split('/')[1] ?? name
}

/** A file that is part of what people run: no test, and nothing that only tests use. */
function isProduct(name: string): boolean {
  return !isTest(name) && !name.includes('/fixtures/')
}

function isTest(name: string): boolean {
  return /\.test\.tsx?$/.test(name)
}
