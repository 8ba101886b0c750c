import type { Files } from './recording.ts'

/** The first line that is another one, in words; null: all files are the same. */
export function firstDifference(stored: Files, now: Files): string | null {
  const names = [...new Set([...stored.keys(), ...now.keys()])].sort()
  for (const name of names) {
    const [before, after] = [stored.get(name), now.get(name)]
    if (before === undefined) return `${name} is new`
    if (after === undefined) return `${name} is missing`
    if (before !== after) return lineThatDiffers(name, before, after)
  }
  return null
}

const SHOWN_CHARS = 200

function lineThatDiffers(name: string, before: string, after: string): string {
  const [old, fresh] = [before.split('\n'), after.split('\n')]
  const at = old.findIndex((line, i) => line !== fresh[i])
  const line = at < 0 ? old.length : at
  const column = columnOf(old[line] ?? '', fresh[line] ?? '')
  const shown = (text: string | undefined) =>
    text === undefined ? '(the file ends)' : text.slice(Math.max(0, column - 40), column + SHOWN_CHARS)
  return `${name}, line ${line + 1}, column ${column + 1}:\n- ${shown(old[line])}\n+ ${shown(fresh[line])}`
}

function columnOf(one: string, other: string): number {
  let at = 0
  while (at < one.length && one[at] === other[at]) at++
  return at
}
