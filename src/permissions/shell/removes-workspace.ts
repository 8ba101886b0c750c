import type { PermissionCall, PermissionPath } from '../types.ts'
import { resolved } from './resolve-path.ts'
import type { SurveyedFile } from './survey-types.ts'

/** A glob whose last part matches every name. */
const FINDS_ALL = /(^|\/)(\[[^\]]*\]|[*?.])*\*(\[[^\]]*\]|[*?.])*\/?$/

/** Whether a command removes everything in a directory that is, or contains, the workspace. */
export function removesAll(call: PermissionCall, file: SurveyedFile, path: PermissionPath): boolean {
  if (file.access !== 'remove') return false
  const root = resolved(call, '.').absolute
  if (file.field.glob && !FINDS_ALL.test(file.field.text)) return false
  const names = file.walk?.names ?? null
  if (names !== null && !names.some((name) => FINDS_ALL.test(name))) return false
  return (
    (path.relative === '.' && !path.outside) ||
    path.absolute === root ||
    root.startsWith(path.absolute.endsWith('/') ? path.absolute : `${path.absolute}/`)
  )
}
