import type { PermissionCall, PermissionPath } from '../types.ts'

/** There the system shows files under second names, those of the workspace too. */
const SECOND_NAMES = ['/proc', '/dev', '/sys']

/**
 * Whether a path means a file of the sandbox or of the system in the sandbox of the call: neither a directory of people,
 * nor one around it, nor a place that may lead there.
 */
export function isOnlyInCell({ confinedTo }: PermissionCall, { absolute, ownView }: PermissionPath): boolean {
  if (confinedTo === undefined || ownView || !absolute.startsWith('/')) return false
  if (confinedTo.some((shown) => isWithin(absolute, shown) || isWithin(shown, absolute))) return false
  return !SECOND_NAMES.some((place) => isWithin(place, absolute))
}

function isWithin(directory: string, path: string): boolean {
  return path === directory || path.startsWith(directory.endsWith('/') ? directory : `${directory}/`)
}
