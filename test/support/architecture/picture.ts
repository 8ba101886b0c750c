import type { Floor } from './floors.ts'

type Arrows = ReadonlyMap<string, readonly string[]>

/** The arrows between the rooms of a folder, without the files beside them. */
export function roomArrows({ arrows }: Floor): Map<string, string[]> {
  const isRoom = (name: string) => !/\.tsx?$/.test(name)
  const rooms = [...arrows].filter(([name]) => isRoom(name))
  return new Map(rooms.map(([name, targets]) => [name, [...targets.keys()].filter(isRoom).toSorted()]))
}

/**
 * Rooms from the top down, a line each, with what they import. Left out is what another of these rooms imports too, so that
 * each arrow that is drawn is the only way from a room to the other.
 */
export function pictureOf(arrows: Arrows, order: readonly string[]): string {
  const width = Math.max(...order.map((room) => room.length))
  const lines = order.toReversed().flatMap((room) => {
    const targets = (arrows.get(room) ?? []).filter((to) => !isBehindAnother(arrows, room, to))
    const drawn = targets.toSorted((a, b) => order.indexOf(b) - order.indexOf(a))
    return drawn.length === 0 ? [] : [`${room.padEnd(width)} ──> ${drawn.join(', ')}`]
  })
  return lines.join('\n')
}

function isBehindAnother(arrows: Arrows, from: string, to: string): boolean {
  return (arrows.get(from) ?? []).some((other) => other !== to && reaches(arrows, other, to))
}

function reaches(arrows: Arrows, from: string, to: string): boolean {
  return (arrows.get(from) ?? []).some((next) => next === to || reaches(arrows, next, to))
}

/** The rooms in the first column of a table, in its order, one list a row. */
export function rowsOf(table: string): string[][] {
  const rows = table.match(/^\| `.*\|$/gm) ?? []
  return rows.map((row) => [...row.split(' | ', 1)[0]!.matchAll(/`([\w-]+)`/g)].map(([, room]) => room!))
}
