import type { StoredBytes } from './children.ts'
import { handWritten } from './contestants/hand-written.ts'
import { offshoot } from './contestants/offshoot.ts'
import { turnsPrompt } from './workload.ts'

/**
 * What a conversation of so many turns leaves on disk, and what its messages take in the last request. Bytes a turn, each
 * of which has a result of so many characters.
 */
export async function measureStoredBytes(
  baseUrl: string,
  turns: number,
  chars: number,
): Promise<StoredBytes> {
  const [empty, whole] = [await storeAfter(baseUrl, 0, chars), await storeAfter(baseUrl, turns, chars)]
  return { stored: (whole - empty) / turns, own: (await messageBytes(baseUrl, turns, chars)) / turns }
}

/** The size of a store that has been closed, after one conversation. */
async function storeAfter(baseUrl: string, turns: number, chars: number): Promise<number> {
  const contestant = await offshoot(baseUrl)
  await contestant.converse({ baseUrl, prompt: turnsPrompt(turns, 0, chars) })
  return await contestant.close()
}

/** By how much the last request of a conversation is larger than the first one. */
async function messageBytes(baseUrl: string, turns: number, chars: number): Promise<number> {
  const sizes: number[] = []
  const { fetch } = globalThis
  globalThis.fetch = (input, init) => {
    sizes.push(Buffer.byteLength(init!.body as string))
    return fetch(input, init)
  }
  await handWritten.converse({ baseUrl, prompt: turnsPrompt(turns, 0, chars) })
  return sizes.at(-1)! - sizes[0]!
}
