import type { HttpAnswer } from '../../src/model/fetch.ts'

/** The pieces of a body; rejects when it fails. */
export async function* bytesOf({ body }: HttpAnswer): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader()
  for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) yield read.value
}

export async function textOf(answer: HttpAnswer): Promise<string> {
  return Buffer.concat(await Array.fromAsync(bytesOf(answer))).toString()
}
