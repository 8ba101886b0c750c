import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { scriptPath } from '../../model/script-path.ts'
import type { AskedRequest, NamedScript } from './request.ts'

const MAX_BYTES = 64 * 1024 * 1024

/** The script that a model of a project names; undefined for a model that names none. */
export function scriptOf(model: unknown, root: string): NamedScript | undefined {
  const path = typeof model === 'string' ? scriptPath(model, root) : undefined
  return path === undefined ? undefined : { path, sha256: hashOf(path) }
}

/** A yes to a script is a yes to its content: another content is another request. */
export function scriptIdentity(script: NamedScript | undefined): { readonly script?: string | null } {
  return script ? { script: script.sha256 } : {}
}

export function scriptText(script: NamedScript | undefined): string {
  if (!script) return ''
  if (script.sha256 === null) return ' (the script cannot be read)'
  return ` (the script is read; its SHA-256 begins with ${script.sha256.slice(0, 12)})`
}

/** The content of each script that a person has granted, by its path. */
export function grantedScripts(requests: readonly AskedRequest[]): ReadonlyMap<string, string | null> {
  const granted = requests.flatMap((each) => (each.granted && each.script ? [each.script] : []))
  return new Map(granted.map(({ path, sha256 }) => [path, sha256]))
}

/** Nothing that blocks or never ends (a pipe, a device) is opened. */
function hashOf(path: string): string | null {
  try {
    const stats = statSync(path)
    if (!stats.isFile() || stats.size > MAX_BYTES) return null
    return createHash('sha256').update(readFileSync(path)).digest('hex')
  } catch {
    return null
  }
}
