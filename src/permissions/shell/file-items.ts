import type { Walk } from './field.ts'
import type { Caution, Item, Reach } from '../item.ts'
import { commandPathItem, outsideItem } from '../path-items.ts'
import type { PathShape } from '../path-shape.ts'
import { shapeBelow, shapeOfGlob } from '../path-shape.ts'
import { ANY_PATH, OPTIONAL_DIRECTORIES } from '../path-tokens.ts'
import { matchPattern, UNKNOWN } from '../match-pattern.ts'
import { resolveWord } from '../resolve-path-words.ts'
import type { FoundPath, PermissionCall, PermissionPath } from '../types.ts'
import { joinPath } from './directories.ts'
import { globbedItems } from './globbed-files.ts'
import { GLOB, isAfterGuarded, namedFiles } from './named-files.ts'
import type { NamedFiles } from './named-files.ts'
import { removesAll } from './removes-workspace.ts'
import { isOnlyInCell } from './only-in-cell.ts'
import { resolved } from './resolve-path.ts'
import type { SurveyedFile } from './survey-types.ts'

export interface FileItems {
  readonly items: readonly Item[]
  readonly cautions: readonly Caution[]
}

/** Items for a file that a command names, the files that a glob matches, or those below a directory. */
export function fileItems(call: PermissionCall, file: SurveyedFile): FileItems {
  if (file.mention) return { items: mentionItems(call, file), cautions: [] }
  const { found, text } = file.field
  if (found !== undefined && text === UNKNOWN) return foundItems(call, file, found)
  const named = namedFiles(file, file.directories)
  const paths = named.paths.map((path) => resolved(call, path))
  const listed = named.known ? null : listedGlob(call, file)
  const unknown =
    named.known || listed !== null ? [] : [{ reason: `${file.access}s a file that is unknown in advance` }]
  const redirected = file.redirected ? paths : []
  return {
    items: [
      ...pathItems(call, file, paths),
      ...reachItems(call, file, named, paths),
      ...(listed ?? []),
      ...globbedItems(call, file),
    ],
    cautions: [
      ...unknown,
      ...redirected.map((path) => ({
        reason: `writes to ${path.relative}`,
        write: commandPathItem('write', path),
      })),
    ],
  }
}

/** A directory that a glob matches may be a link. Without links below, the files that the glob reads are known. */
function listedGlob(
  call: PermissionCall,
  { field, access, directories, walk }: SurveyedFile,
): readonly Item[] | null {
  if (!field.glob || access !== 'read' || walk || directories === null || field.text.includes(UNKNOWN))
    return null
  const names = field.text.split('/')
  const first = names.findIndex((name) => GLOB.test(name))
  const rest = names.slice(first)
  // a glob at the workspace root would require a look at the whole workspace
  if (first < 1 || rest.includes('..') || field.tilde) return null
  const start = names.slice(0, first).join('/') || '/'
  const paths = directories.map((directory) => resolved(call, joinPath(directory, start)))
  const last = (rest.findLast((name) => name !== '') ?? '*').replaceAll('**', '*')
  const taken = { names: [last], hidden: rest.some((name) => name.startsWith('.')), links: true, look: true }
  const found = foundBelow(call, taken, paths)
  if (found === null || found.some(({ link }) => link) || paths.some(({ outside }) => outside)) return null
  const secret = found.find(isSecret)
  return secret === undefined ? [] : [commandPathItem('read', secret)]
}

/** A name inside an argument: only deny and ask rules apply to it, and the guard for secrets. */
function mentionItems(call: PermissionCall, file: SurveyedFile): readonly Item[] {
  const access = file.access === 'read' ? 'read' : 'write'
  if (file.field.glob)
    return [{ ...anyFile(access), reach: reachOf(globShapes(call, file), null) }, ...globbedItems(call, file)]
  const named = namedFiles(file, file.directories)
  if (!named.known) return [{ ...anyFile(access), reach: reachOf([[ANY_PATH]], null) }]
  const root = resolved(call, '.').absolute
  const names = named.paths.map((path) => fromRoot(root, path))
  const shapes = names.flatMap(([relative, absolute]) => [[...relative], [...absolute]])
  const reach = shapes.length === 0 ? [] : [{ ...anyFile(access), reach: reachOf(shapes, null) }]
  const secrets = names.filter(([name]) => SECRET.test(name)).map(([name]) => resolved(call, name))
  const guarded = secrets.find((path) => isSecret({ ...path, link: false }))
  return guarded === undefined ? reach : [...reach, commandPathItem(access, guarded)]
}

/** Only names like these are looked up. */
const SECRET =
  /(^|\/)\.[a-z]|id_[a-z\d]+$|\.(pem|key|p12|pfx|jks|keystore|ppk|kdbx|p8)$|credential|secret|passw/i

function fromRoot(root: string, path: string): readonly [relative: string, absolute: string] {
  const absolute = resolveWord(path.startsWith('/') ? path : `${root}/${path}`)
  return [absolute.startsWith(`${root}/`) ? absolute.slice(root.length + 1) : absolute, absolute]
}

function foundItems(
  call: PermissionCall,
  file: SurveyedFile,
  found: NonNullable<SurveyedFile['field']['found']>,
): FileItems {
  const { walk: _, ...rest } = file
  const all = found.map((use) => fileItems(call, { ...rest, ...use, access: file.access }))
  return { items: all.flatMap((one) => one.items), cautions: all.flatMap((one) => one.cautions) }
}

function pathItems(
  call: PermissionCall,
  file: SurveyedFile,
  paths: readonly PermissionPath[],
): readonly Item[] {
  const access = file.access === 'read' ? 'read' : 'write'
  return paths.flatMap((path) => {
    const whole = removesAll(call, file, path)
    const item = { ...commandPathItem(access, path), ...(whole ? REMOVES_ALL : {}) }
    return path.outside ? [item, outsideItem(path, isHarmless(call, file, path))] : [item]
  })
}

/** What a glob finds may lead back into the workspace. */
function isHarmless(call: PermissionCall, { field }: SurveyedFile, path: PermissionPath): boolean {
  return !field.glob && !field.text.includes(UNKNOWN) && isOnlyInCell(call, path)
}

const REMOVES_ALL = { guard: 'removes the whole workspace and always asks' }

/** One item for all files that the command may reach, and one for an existing guarded file among them. */
function reachItems(
  call: PermissionCall,
  file: SurveyedFile,
  named: NamedFiles,
  paths: readonly PermissionPath[],
): readonly Item[] {
  const shapes = shapesOf(call, file, named, paths)
  if (shapes.length === 0) return []
  const found = file.walk ? foundOnWalk(call, file.access, file.walk, paths) : null
  const base = { ...anyFile(file.access === 'read' ? 'read' : 'write'), reach: reachOf(shapes, found) }
  const guard = file.walk?.look === true ? guardOfWalk(file, file.walk, found) : null
  return guard === null ? [base] : [base, guard]
}

function reachOf(paths: readonly PathShape[], files: readonly FoundPath[] | null): Reach {
  return { paths, files }
}

/** No allow rule can name this item; only ask and deny rules may match it. */
function anyFile(access: 'read' | 'write'): Item {
  const nowhere = { absolute: '', relative: '', outside: false, guarded: null }
  return { ...commandPathItem(access, nowhere), title: `${access} files`, texts: [] }
}

const MAX_GLOB = 300

function shapesOf(
  call: PermissionCall,
  file: SurveyedFile,
  named: NamedFiles,
  paths: readonly PermissionPath[],
): readonly PathShape[] {
  if (file.field.glob && file.field.text.length <= MAX_GLOB) return globShapes(call, file)
  if (!named.known || file.field.glob) return [[ANY_PATH]]
  if (!file.walk) return []
  const { names } = file.walk
  return paths.flatMap(({ relative, absolute }) =>
    [relative, absolute].flatMap((start) =>
      names === null ? [shapeBelow(start)] : names.map((name) => shapeOfName(start, name)),
    ),
  )
}

function shapeOfName(directory: string, name: string): PathShape {
  const start = directory === '.' ? '' : `${directory}/`
  return [...start, OPTIONAL_DIRECTORIES, ANY_PATH, '/', ...shapeOfGlob('.', name)]
}

/** Resolves the directory before the first glob, since a link there may lead elsewhere. */
function globShapes(call: PermissionCall, { field, directories, walk }: SurveyedFile): readonly PathShape[] {
  const names = field.text.split('/')
  const first = names.findIndex((name) => GLOB.test(name))
  const start = names.slice(0, Math.max(first, 0)).join('/')
  const rest = `${names.slice(Math.max(first, 0)).join('/')}${walk ? '/**' : ''}`
  const isAbsolute = field.text.startsWith('/') || field.tilde
  if (directories === null && !isAbsolute) return [[ANY_PATH]]
  const from = isAbsolute ? [start || '/'] : (directories ?? []).map((one) => `${one}/${start || '.'}`)
  return from.flatMap((directory) => {
    const path = resolved(call, directory)
    return [shapeOfGlob(path.relative, rest), shapeOfGlob(path.absolute, rest)]
  })
}

/** What is removed by its name may be in version control too, which other walks leave out. */
function foundOnWalk(
  call: PermissionCall,
  access: SurveyedFile['access'],
  walk: Walk,
  paths: readonly PermissionPath[],
): readonly FoundPath[] | null {
  const found = foundBelow(call, walk, paths)
  if (access !== 'remove' || found === null) return found
  const repositories = paths.map((path) => ({ ...path, absolute: `${path.absolute}/.git` }))
  return [...found, ...(foundBelow(call, walk, repositories) ?? [])]
}

/** The files that a walk selects; null: unknown. */
function foundBelow(
  call: PermissionCall,
  walk: Walk,
  paths: readonly PermissionPath[],
): readonly FoundPath[] | null {
  if (!walk.look || call.filesBelow === undefined) return null
  const lists = paths
    .filter(({ outside }) => !outside)
    .map((path) => ({ path, files: call.filesBelow?.(path.absolute) }))
  return lists.reduce<readonly FoundPath[] | null>(
    (all, { path, files }) =>
      all === null || !files ? null : [...all, ...files.filter((file) => isTaken(walk, path, file))],
    [],
  )
}

function isTaken({ names, hidden, links }: Walk, from: PermissionPath, file: FoundPath): boolean {
  if (file.link) return links
  const inside = file.absolute.slice(from.absolute.length)
  if (!hidden && inside.includes('/.')) return false
  const name = file.absolute.slice(file.absolute.lastIndexOf('/') + 1)
  return names === null || names.some((glob) => GLOB_CLASS.test(glob) || matchPattern(glob, name, 'path'))
}

/** Patterns cannot express these globs, so they may match any name. */
const GLOB_CLASS = /[[(\\{]/

function guardOfWalk(file: SurveyedFile, walk: Walk, found: readonly FoundPath[] | null): Item | null {
  const access = file.access === 'read' ? 'read' : 'write'
  const any = walk.names === null || walk.names.some(isAfterGuarded)
  if (found === null) {
    const unseen = any && walk.hidden
    return unseen ? { ...anyFile(access), guard: `it ${file.access}s more files than can be checked` } : null
  }
  const guarded = found.find((path) => (access === 'read' ? isSecret(path) : path.guarded !== null))
  if (guarded !== undefined) return commandPathItem(access, guarded)
  const away = found.find(({ link, outside }) => link && outside)
  return away === undefined ? null : outsideItem(away)
}

/** Every search reads version control and settings; their guards apply only to commands that name or change them. */
function isSecret({ guarded }: FoundPath): boolean {
  return guarded === 'secret'
}
