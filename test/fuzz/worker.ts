import { parentPort, workerData } from 'node:worker_threads'
import { tryInput, type Found } from './fuzz.ts'
import { targetNamed } from './targets.ts'

/** Inputs of a seed from one on, until a time. */
export interface Work {
  readonly parser: string
  readonly seed: number
  readonly from: number
  readonly until: number
}

/** `at`: that input is about to be tried. */
export type Told =
  | { readonly type: 'at'; readonly at: number; readonly mb: number }
  | { readonly type: 'found'; readonly found: Found }

const { parser, seed, from, until } = workerData as Work
const target = targetNamed(parser)
const tell = (told: Told) => parentPort!.postMessage(told)

/** The same thing is found again and again. */
const MAX_OF_A_KIND = 3
const kinds = new Map<string, number>()

for (let at = from; at === from || Date.now() < until; at++) {
  tell({ type: 'at', at, mb: Math.round(process.memoryUsage().rss / 1024 ** 2) })
  const found = await tryInput(target, seed, at, (property) => (kinds.get(property) ?? 0) < MAX_OF_A_KIND)
  if (found === null) continue
  kinds.set(found.property, (kinds.get(found.property) ?? 0) + 1)
  tell({ type: 'found', found })
}
await target.close?.()
