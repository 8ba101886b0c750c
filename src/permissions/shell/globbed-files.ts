import type { Item } from '../item.ts'
import { matchPattern, UNKNOWN } from '../match-pattern.ts'
import { commandPathItem, outsideItem } from '../path-items.ts'
import type { FoundPath, PermissionCall, PermissionPath } from '../types.ts'
import { joinPath } from './directories.ts'
import { GLOB } from './named-files.ts'
import { resolved } from './resolve-path.ts'
import type { SurveyedFile } from './survey-types.ts'

/**
 * What a glob matches now and the shell will hand over: a guarded file, or a link that leads out of the workspace, asks as
 * if the line named it.
 */
export function globbedItems(call: PermissionCall, file: SurveyedFile): readonly Item[] {
  const access = file.access === 'read' ? 'read' : 'write'
  const matched = globbed(call, file)
  const guarded = matched.find(({ guarded: kind }) => (access === 'read' ? kind === 'secret' : kind !== null))
  const away = matched.find(({ link, outside }) => link && outside)
  const start = startsOf(call, file).find(({ outside }) => outside)
  return [
    ...(start === undefined ? [] : [outsideItem(start)]),
    ...(guarded === undefined ? [] : [commandPathItem(access, guarded)]),
    ...(away === undefined ? [] : [outsideItem(away)]),
  ]
}

function globbed(call: PermissionCall, file: SurveyedFile): readonly FoundPath[] {
  const { globs } = namesOf(file)
  return startsOf(call, file)
    .filter(({ outside }) => !outside)
    .flatMap((start) =>
      (call.filesBelow?.(start.absolute, globs.length) ?? []).filter((found) =>
        isMatched(globs, start, found),
      ),
    )
}

/** The directories before the first glob. */
function startsOf(call: PermissionCall, file: SurveyedFile): readonly PermissionPath[] {
  const { field, directories } = file
  if (!field.glob || field.text.includes(UNKNOWN)) return []
  const { before } = namesOf(file)
  const starts = field.text.startsWith('/')
    ? [`/${before}`]
    : field.tilde
      ? [before]
      : (directories ?? []).map((directory) => joinPath(directory, before || '.'))
  return starts.map((start) => resolved(call, start))
}

function namesOf({ field }: SurveyedFile): { readonly before: string; readonly globs: readonly string[] } {
  const names = field.text.split('/').filter((name) => name !== '' && name !== '.')
  const first = names.findIndex((name) => GLOB.test(name))
  return { before: names.slice(0, first).join('/'), globs: names.slice(first) }
}

/** A link may be what a name before the last one matches. */
function isMatched(globs: readonly string[], start: PermissionPath, found: FoundPath): boolean {
  const path = found.at ?? found.absolute
  const names = path
    .slice(start.absolute.length)
    .split('/')
    .filter((name) => name !== '')
  const isWhole = found.link ? names.length <= globs.length : names.length === globs.length
  return isWhole && names.length > 0 && names.every((name, at) => matchesName(globs[at]!, name))
}

function matchesName(glob: string, name: string): boolean {
  if (name.startsWith('.') && !glob.startsWith('.')) return false
  return (
    glob.includes('(') ||
    matchPattern(glob.replaceAll(/\[[^\]]*\]|\\./g, '?').replaceAll('**', '*'), name, 'path')
  )
}
