import { resolve } from 'node:path'

const SCRIPTED = 'scripted:'

/** The file of `scripted:FILE`; undefined for other models. A relative path starts at `directory`. */
export function scriptPath(id: string, directory: string): string | undefined {
  const file = id.startsWith(SCRIPTED) ? id.slice(SCRIPTED.length) : ''
  return file === '' ? undefined : resolve(directory, file)
}
