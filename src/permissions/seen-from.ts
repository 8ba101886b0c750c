import type { Item, Reach } from './item.ts'
import type { PathShape } from './path-shape.ts'
import { ANY_PATH } from './path-tokens.ts'

/**
 * Spells a path relative to another directory, for patterns that start there. Ask and deny rules may also use the
 * workspace spelling.
 */
export function seenFrom(directory: string, item: Item): Item {
  const absolute = item.kind === 'path' ? item.texts.at(-1) : undefined
  if (absolute === undefined) return item
  const from = directory.endsWith('/') ? directory : `${directory}/`
  const inside =
    absolute === directory ? ['.'] : absolute.startsWith(from) ? [absolute.slice(from.length)] : []
  const reach = item.reach && reachFrom(from, item.reach)
  return {
    ...item,
    texts: [...inside, absolute],
    aliases: [...item.aliases, ...item.texts],
    ...(reach ? { reach } : {}),
  }
}

/** Shapes start with literal characters; a shape that may lead into the directory may name anything in it. */
function reachFrom(from: string, { paths, files }: Reach): Reach {
  const inside = paths.flatMap((shape): readonly PathShape[] => {
    const gap = shape.findIndex((token) => typeof token !== 'string')
    const start = shape.slice(0, gap === -1 ? shape.length : gap).join('')
    if (start.startsWith(from)) return [shape.slice(from.length)]
    return gap !== -1 && from.startsWith(start) ? [[ANY_PATH]] : []
  })
  const named = files?.flatMap(({ absolute }) =>
    absolute.startsWith(from) ? [{ relative: absolute.slice(from.length), absolute }] : [],
  )
  return { paths: [...paths, ...inside], files: files === null ? null : [...files, ...(named ?? [])] }
}
