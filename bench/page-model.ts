import http from 'node:http'
import type { AddressInfo } from 'node:net'

/** Chat Completions: a parent that asks for children, who then write without an end, so many pieces a second each. */
export interface PageModel extends AsyncDisposable {
  readonly url: string
  /** Has every child come to its end. */
  stop(): void
}

export async function startPageModel(children: number, piecesPerSecond: number): Promise<PageModel> {
  const timers = new Map<http.ServerResponse, NodeJS.Timeout>()
  const stop = () => {
    for (const [response, timer] of timers) {
      clearInterval(timer)
      finish(response, 'stop')
    }
    timers.clear()
  }
  const write = (response: http.ServerResponse) => {
    const timer = setInterval(
      () => response.write(piece({ content: `t${Date.now()} ` })),
      1000 / piecesPerSecond,
    )
    timers.set(response, timer)
  }
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const text = Buffer.concat(chunks).toString()
      if (text.includes('"Write on.')) return write(response)
      if (text.includes('"role":"tool"')) return finish(response, 'stop')
      response.write(piece({ tool_calls: callsFor(children) }))
      finish(response, 'tool_calls')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop,
    async [Symbol.asyncDispose]() {
      stop()
      await new Promise((resolve) => {
        server.close(resolve)
        server.closeAllConnections()
      })
    },
  }
}

function callsFor(children: number): object[] {
  return Array.from({ length: children }, (_, index) => {
    const input = {
      subagent_type: 'general',
      description: `child ${index}`,
      prompt: 'Write on.',
      max_tokens: 100_000,
    }
    return {
      index,
      id: `call_${index}`,
      type: 'function',
      function: { name: 'task', arguments: JSON.stringify(input) },
    }
  })
}

function finish(response: http.ServerResponse, reason: string): void {
  response.end(`${piece({}, reason)}data: [DONE]\n\n`)
}

function piece(delta: object, reason: string | null = null): string {
  const envelope = { id: 'one', object: 'chat.completion.chunk', created: 1, model: 'page' }
  const usage = reason ? { usage: { prompt_tokens: 500, completion_tokens: 100, total_tokens: 600 } } : {}
  return `data: ${JSON.stringify({ ...envelope, choices: [{ index: 0, delta, finish_reason: reason }], ...usage })}\n\n`
}
