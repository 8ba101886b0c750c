import type { Item } from './item.ts'
import type { PermissionCall, PermissionPath } from './types.ts'

/** Items for a file tool's call on one path: the path itself, and the guards of directories and files. */
export function pathItems(call: PermissionCall, path: PermissionPath): readonly Item[] {
  const own: Item = {
    ...pathItem([call.tool, call.toolset, '*'], path),
    effects: call.effects,
    guard: guardOf(path, call.effects !== 'none'),
    fallback: call.effects === 'none' || call.effects === 'spawn' ? 'allow' : 'ask',
    grant: pathGrant(call.tool, path),
  }
  return path.outside ? [own, outsideItem(path)] : [own]
}

/**
 * A path outside the workspace asks until a rule or a grant for `external_directory` names it. `harmless`: in the
 * sandbox it leads to no file of people. Then it is part of the command: mode `auto` allows it.
 */
export function outsideItem(path: PermissionPath, harmless = false): Item {
  return {
    ...pathItem(['external_directory'], path),
    effects: harmless ? 'execute' : null,
    title: `${path.absolute} is outside the workspace`,
    fallback: 'ask',
  }
}

/** A file that a command names: deny and ask rules of file tools apply to the command if they match the file. */
export function commandPathItem(access: 'read' | 'write', path: PermissionPath): Item {
  const write = access === 'write'
  return {
    ...pathItem(write ? ['write', 'edit', 'files'] : ['read', 'files'], path),
    effects: write ? 'write' : 'none',
    guard: guardOf(path, write),
    fallback: 'allow',
  }
}

function pathItem(tools: readonly string[], path: PermissionPath): Item {
  return {
    tools,
    effects: null,
    title: `${tools[0] ?? ''} ${path.relative}`,
    kind: 'path',
    texts: path.relative === path.absolute ? [path.absolute] : [path.relative, path.absolute],
    aliases: [],
    uncertain: null,
    cautions: [],
    guard: null,
    fallback: 'ask',
    grant: null,
  }
}

const GUARDED = {
  git: 'belongs to version control',
  config: 'contains rules or code that runs automatically',
  secret: 'looks like a secret',
  skill: 'contains instructions that agents follow',
} as const

/** Skills are guarded against changes only. */
function guardOf(path: PermissionPath, changes: boolean): string | null {
  const free = path.guarded === null || (path.guarded === 'skill' && !changes)
  return free ? null : `${path.relative} ${GUARDED[path.guarded]} and always asks`
}

function pathGrant(tool: string, path: PermissionPath) {
  const literal = !/[*?]/.test(path.relative)
  return literal && !path.outside && path.guarded === null ? { tool, pattern: path.relative } : null
}
