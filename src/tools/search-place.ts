import { stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { ResolvedPath, ToolContext, Workspace } from './port.ts'
import { printedName } from './printed-name.ts'
import { namedFileError } from './path-target.ts'

/** Where a search runs: a directory, or one file in it. */
export interface SearchPlace {
  readonly target: ResolvedPath
  readonly directory: string
  /** Name of the one file to search. */
  readonly file: string | undefined
  /** Whether ignore files above the directory apply: only those in the workspace do. */
  readonly parents: boolean
}

export async function searchPlace(
  target: ResolvedPath,
  { root, top = root }: Workspace,
): Promise<SearchPlace> {
  const isDirectory = await stat(target.absolute).then(
    (stats) => stats.isDirectory(),
    (error: unknown) => {
      throw namedFileError(error, target.relative)
    },
  )
  return {
    target,
    directory: isDirectory ? target.absolute : dirname(target.absolute),
    file: isDirectory ? undefined : basename(target.absolute),
    parents: !target.outside && target.absolute !== top,
  }
}

/** The name of a found file in a result; undefined if it is outside the workspace. */
export function shownName(found: string, place: SearchPlace, context: ToolContext): string | undefined {
  const path = shown(found, place, context)
  return path && printedName(path.relative)
}

/** Like `shownName`, for results with text: excludes guarded files, unless the place itself is one. */
export function shownText(found: string, place: SearchPlace, context: ToolContext): string | undefined {
  const path = shown(found, place, context)
  return path && (path.guarded === null || place.target.guarded !== null)
    ? printedName(path.relative)
    : undefined
}

function shown(found: string, place: SearchPlace, context: ToolContext): ResolvedPath | undefined {
  const path = context.workspace.resolve(join(place.directory, found))
  return path.outside && !place.target.outside ? undefined : path
}
