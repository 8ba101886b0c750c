import { readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { ToolError, type ResolvedPath } from './port.ts'

/** The error for a missing file, with suggestions of similar names. */
export async function notFound(target: ResolvedPath): Promise<ToolError> {
  const near = await nearNames(target.absolute)
  const directory = target.relative.includes('/') ? dirname(target.relative) : ''
  const hint =
    near.length > 0
      ? `Similar: ${near.map((name) => join(directory, name)).join(', ')}`
      : 'Find it with glob or list.'
  return new ToolError('not_found', `there is no file ${target.relative}`, hint)
}

const MAX_NAMES = 5
const MAX_ENTRIES = 5_000

async function nearNames(path: string): Promise<string[]> {
  const wanted = basename(path).toLowerCase()
  const entries = await readdir(dirname(path)).catch(() => [])
  return entries
    .slice(0, MAX_ENTRIES)
    .map((name) => ({ name, distance: distanceOf(wanted, name.toLowerCase()) }))
    .filter((each) => each.distance <= Math.max(2, Math.ceil(wanted.length / 3)))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, MAX_NAMES)
    .map((each) => each.name)
}

/**
 * A name with another extension, or one that contains the wanted name, counts as similar; otherwise the edit distance
 * decides.
 */
function distanceOf(wanted: string, name: string): number {
  if (stem(wanted) === stem(name)) return 1
  if (Math.min(wanted.length, name.length) >= 3 && (name.includes(wanted) || wanted.includes(name))) return 2
  return editDistance(wanted, name)
}

function stem(name: string): string {
  return name.replace(/(.)\.[^.]*$/, '$1')
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1))
    }
    row = next
  }
  return row[b.length]!
}
