import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { scriptPath } from '../model/script-path.ts'
import type { AskedRequest, NamedScript } from './trust-request.ts'

const MAX_BYTES = 64 * 1024 * 1024

/** The script named by a project's model; undefined for other models. */
export function scriptOf(model: unknown, root: string): NamedScript | undefined {
  if (typeof model !== 'string') return undefined
  const path = scriptPath(model, root)
  return path === undefined ? undefined : { id: model, sha256: hashOf(path) }
}

/** A grant for a script covers its content: other content is another request. */
export function scriptIdentity(script: NamedScript | undefined): { readonly script?: string | null } {
  return script ? { script: script.sha256 } : {}
}

export function scriptText(script: NamedScript | undefined): string {
  if (!script) return ''
  if (script.sha256 === null) return ' (the script cannot be read)'
  return ` (the script is read; its SHA-256 begins with ${script.sha256.slice(0, 12)})`
}

/**
 * The granted content of each script that the project names, by model id; null: none. A conversation started with such
 * a model names it too, however the script changes.
 */
export function grantedScripts(requests: readonly AskedRequest[]): ReadonlyMap<string, string | null> {
  const named = requests.flatMap(({ granted, script }) => (script ? [{ granted, ...script }] : []))
  const heldFirst = named.toSorted((a, b) => Number(a.granted) - Number(b.granted))
  return new Map(heldFirst.map(({ id, sha256, granted }) => [id, granted ? sha256 : null]))
}

/** Never opens anything that blocks or never ends (a pipe, a device). */
function hashOf(path: string): string | null {
  try {
    const stats = statSync(path)
    if (!stats.isFile() || stats.size > MAX_BYTES) return null
    return createHash('sha256').update(readFileSync(path)).digest('hex')
  } catch {
    return null
  }
}
