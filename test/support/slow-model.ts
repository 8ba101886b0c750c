import type { ServerResponse } from 'node:http'
import { startRawServer } from './model-server.ts'

/** One answer over Chat Completions that comes piece by piece, as the test says. */
export class SlowModel {
  readonly url: string
  readonly #pieces: readonly string[]
  readonly #close: () => Promise<void>
  #response: ServerResponse | undefined
  #said = 0
  #allowed = 0

  static async start(pieces: readonly string[]): Promise<SlowModel> {
    const asked = Promise.withResolvers<ServerResponse>()
    const server = await startRawServer((_, response) => asked.resolve(response))
    const model = new SlowModel(server.url, pieces, () => server.close())
    void asked.promise.then((response) => model.#begin(response))
    return model
  }

  private constructor(url: string, pieces: readonly string[], close: () => Promise<void>) {
    this.url = url
    this.#pieces = pieces
    this.#close = close
  }

  /** So many pieces more; after the last one the answer ends. */
  say(count: number): void {
    this.#allowed += count
    this.#go()
  }

  #begin(response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    this.#response = response
    this.#go()
  }

  #go(): void {
    const response = this.#response
    if (!response) return
    const end = Math.min(this.#allowed, this.#pieces.length)
    for (; this.#said < end; this.#said++) response.write(chunk({ content: this.#pieces[this.#said] }, null))
    if (this.#said === this.#pieces.length) response.end(`${chunk({}, 'stop')}data: [DONE]\n\n`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close()
  }
}

function chunk(delta: object, reason: string | null): string {
  const choices = [{ index: 0, delta, finish_reason: reason }]
  const usage = reason ? { usage: { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 } } : {}
  return `data: ${JSON.stringify({ id: 'one', object: 'chat.completion.chunk', created: 1, model: 'slow', choices, ...usage })}\n\n`
}
