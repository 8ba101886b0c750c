import { posix } from 'node:path'
import { findCycles } from './find-cycles.ts'

/** Imports of each file, by path from the root of the repository. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>

/** What stands in one folder, files and rooms, with what each of them imports of the others. */
export interface Floor {
  readonly folder: string
  /** Of each file or room the others that something in it imports, with one import of each as a witness. */
  readonly arrows: ReadonlyMap<string, ReadonlyMap<string, string>>
}

/** Every folder with the arrows between what stands in it. */
export function foldersOf(graph: ImportGraph): Floor[] {
  const folders = new Map<string, Map<string, Map<string, string>>>()
  for (const [from, targets] of graph)
    for (const to of targets) {
      const folder = commonFolder(from, to)
      const [a, b] = [childOf(folder, from), childOf(folder, to)]
      if (a === b) continue
      const arrows = entry(folders, folder, () => new Map<string, Map<string, string>>())
      entry(arrows, b, () => new Map())
      const toOthers = entry(arrows, a, () => new Map<string, string>())
      if (!toOthers.has(b)) toOthers.set(b, `${from} imports ${to}`)
    }
  return [...folders].map(([folder, arrows]) => ({ folder, arrows }))
}

/**
 * Arrows that point back: in each folder there must be an order of what stands in it in which everything imports only what
 * comes before. `orders` names that order for the folders in it.
 */
export function backArrows(
  graph: ImportGraph,
  orders: Readonly<Record<string, readonly string[]>>,
): string[] {
  return foldersOf(graph).flatMap(({ folder, arrows }) => {
    const edges = new Map([...arrows].map(([from, to]) => [from, [...to.keys()]]))
    const circles = findCycles(edges).map(
      (circle) => `${folder}: ${circle.join(' -> ')}: ${witness(arrows, circle)}`,
    )
    const order = orders[folder]
    return order ? [...circles, ...againstOrder(folder, arrows, order)] : circles
  })
}

function againstOrder(folder: string, arrows: Floor['arrows'], order: readonly string[]): string[] {
  const isRoom = (name: string) => !/\.tsx?$/.test(name)
  const rooms = [...arrows.keys()].filter(isRoom)
  const strangers = rooms.filter((room) => !order.includes(room))
  const back = [...arrows].flatMap(([from, targets]) =>
    [...targets].filter(([to]) => isRoom(from) && isRoom(to) && order.indexOf(from) < order.indexOf(to)),
  )
  return [
    ...strangers.map((room) => `${folder}/${room} is not in the order of ${folder}`),
    ...back.map(([, example]) => `${example}, which points back in ${folder}`),
  ]
}

function witness(arrows: Floor['arrows'], [from, to]: readonly string[]): string {
  return arrows.get(from!)?.get(to!) ?? ''
}

/** The floor of each room of a folder: 0 imports no other, and each other one is above all that it imports. */
export function floorsOf({ arrows }: Floor): ReadonlyMap<string, number> {
  const floors = new Map<string, number>()
  const floorOf = (name: string): number => {
    const known = floors.get(name)
    if (known !== undefined) return known
    const below = [...(arrows.get(name)?.keys() ?? [])].map(floorOf)
    const floor = below.length === 0 ? 0 : 1 + Math.max(...below)
    floors.set(name, floor)
    return floor
  }
  for (const name of arrows.keys()) floorOf(name)
  return floors
}

function commonFolder(a: string, b: string): string {
  let folder = posix.dirname(a)
  while (folder !== '.' && !b.startsWith(`${folder}/`)) folder = posix.dirname(folder)
  return folder
}

function childOf(folder: string, name: string): string {
  return name.slice(folder.length + 1).split('/')[0]!
}

function entry<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const value = map.get(key) ?? make()
  map.set(key, value)
  return value
}
