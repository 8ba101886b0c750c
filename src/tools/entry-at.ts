import { statSync } from 'node:fs'

/** What is at a path, links followed; what cannot be looked at counts as something. */
export function entryAt(absolute: string): 'directory' | 'other' | 'none' {
  try {
    const found = statSync(absolute, { throwIfNoEntry: false })
    if (found === undefined) return 'none'
    return found.isDirectory() ? 'directory' : 'other'
  } catch {
    return 'other'
  }
}
