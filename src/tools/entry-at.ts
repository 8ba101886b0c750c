import { statSync } from 'node:fs'

/** The entry at a path, following links; an unreadable one counts as existing. */
export function entryAt(absolute: string): 'directory' | 'other' | 'none' {
  try {
    const found = statSync(absolute, { throwIfNoEntry: false })
    if (found === undefined) return 'none'
    return found.isDirectory() ? 'directory' : 'other'
  } catch {
    return 'other'
  }
}
