import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { bytesOf, textOf } from '../../test/support/http-answer.ts'
import { startRawServer, type RawHandler } from '../../test/support/model-server.ts'
import type { HttpBodyReader } from './http-body.ts'
import { createFetch } from './fetch.ts'

const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup()
})

async function serve(handler: RawHandler): Promise<string> {
  const { url, close } = await startRawServer(handler)
  cleanups.push(close)
  return url
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += chunk
  return text
}

async function textFrom(reader: HttpBodyReader): Promise<string> {
  return Buffer.from((await reader.read()).value ?? []).toString()
}

function causeOf(promise: Promise<unknown>): Promise<Error & { code?: string }> {
  return promise.then(
    () => Promise.reject(new Error('it did not fail')),
    (error: Error) => error.cause as Error,
  )
}

describe('createFetch', () => {
  it('sends method, headers and body, and gives back status, headers and body', async () => {
    const url = await serve(async (request, response) => {
      response.writeHead(201, 'Made', {
        'x-seen': `${request.method} ${String(request.headers['x-a'])}`,
        'set-cookie': ['a=1', 'b=2'],
      })
      response.end(await bodyOf(request))
    })
    const response = await createFetch()(`${url}/p?q=1`, {
      method: 'POST',
      headers: { 'X-A': 'é'.normalize('NFD').slice(0, 1) },
      body: 'grüße',
    })
    expect([response.status, response.statusText, response.ok]).toEqual([201, 'Made', true])
    expect(response.headers.get('x-seen')).toBe('POST e')
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'x-seen': 'POST e',
      'set-cookie': 'a=1, b=2',
    })
    expect(await textOf(response)).toBe('grüße')
  })

  it('takes headers in every form, without the undefined ones', async () => {
    const url = await serve((request, response) => response.end(JSON.stringify(request.headers)))
    const fetch = createFetch()
    for (const headers of [new Headers({ a: '1' }), [['a', '1']], { a: '1', b: undefined }]) {
      const answer = await fetch(url, { headers: headers as unknown as Record<string, string> })
      const seen: unknown = JSON.parse(await textOf(answer))
      expect(seen).toMatchObject({ a: '1' })
      expect(seen).not.toHaveProperty('b')
    }
  })

  it('uses one connection for requests that follow each other', async () => {
    const sockets = new Set<unknown>()
    const url = await serve((request, response) => {
      sockets.add(request.socket)
      response.end('x')
    })
    const fetch = createFetch()
    for (let i = 0; i < 5; i++) await textOf(await fetch(url))
    expect(sockets.size).toBe(1)
  })

  it.each([
    ['gzip', promisify(zlib.gzip)],
    ['deflate', promisify(zlib.deflate)],
    ['br', promisify(zlib.brotliCompress)],
    ['zstd', promisify(zlib.zstdCompress)],
  ] as const)('decodes %s', async (encoding, encode) => {
    const packed = await encode(Buffer.from('hello '.repeat(10_000)))
    const url = await serve((_, response) =>
      response.writeHead(200, { 'content-encoding': encoding }).end(packed),
    )
    expect(await textOf(await createFetch()(url))).toBe('hello '.repeat(10_000))
  })

  it('uses every connection of many requests side by side again', async () => {
    const many = 300 // more than Node keeps by itself
    const sockets = new Set<unknown>()
    let waiting: ServerResponse[] = []
    const url = await serve((request, response) => {
      sockets.add(request.socket)
      if (waiting.push(response) < many) return
      for (const each of waiting) each.end('x')
      waiting = []
    })
    const fetch = createFetch()
    for (let round = 0; round < 2; round++) {
      const answers = await Promise.all(Array.from({ length: many }, () => fetch(url)))
      await Promise.all(answers.map(textOf))
      await new Promise(setImmediate) // the agent gets a socket back after its answer has been read
    }
    expect(sockets.size).toBe(many)
  })

  it('errors the body when what is packed is broken, or ends too early', async () => {
    const packed = await promisify(zlib.gzip)(Buffer.from('hello '.repeat(10_000)))
    for (const bytes of [Buffer.from('not gzip'), packed.subarray(0, packed.length / 2)]) {
      const url = await serve((_, response) =>
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(bytes),
      )
      const response = await createFetch()(url)
      await expect(textOf(response)).rejects.toThrow(/header|end of file/)
    }
  })

  it('reads while the server still writes', async () => {
    let answer!: ServerResponse
    const url = await serve((_, response) => void (answer = response).write('one'))
    const reader = (await createFetch()(url)).body!.getReader()
    expect(await textFrom(reader)).toBe('one')
    answer.end('two')
    expect(await textFrom(reader)).toBe('two')
    expect((await reader.read()).done).toBe(true)
  })

  it('does not read what nobody asks for', async () => {
    const total = 64 * 1024 * 1024
    let sent = 0
    const url = await serve(async (_, response) => {
      const piece = Buffer.alloc(64 * 1024)
      for (; sent < total; sent += piece.length) if (!response.write(piece)) await once(response, 'drain')
      response.end()
    })
    const response = await createFetch()(url)
    // turns enough for a reader without back-pressure to have it all
    for (let turn = 0; turn < 5_000; turn++) await new Promise((resolve) => setImmediate(resolve))
    expect(sent).toBeLessThan(total / 2)
    let received = 0
    for await (const chunk of bytesOf(response)) received += chunk.length
    expect(received).toBe(total)
  })

  it('ends the connection on abort, before the answer and in the middle of it', async () => {
    const closed: Promise<unknown>[] = []
    let arrived!: () => void
    const url = await serve((request, response) => {
      closed.push(once(response, 'close'))
      if (request.url === '/streaming') response.write('one')
      arrived()
    })
    const fetch = createFetch()
    const seen = () => new Promise<void>((resolve) => (arrived = resolve))

    const first = new AbortController()
    const asked = seen()
    const pending = fetch(`${url}/silent`, { signal: first.signal })
    await asked
    first.abort(new Error('enough'))
    await expect(pending).rejects.toThrow('enough')

    const second = new AbortController()
    const again = seen()
    const response = await fetch(`${url}/streaming`, { signal: second.signal })
    await again
    const reader = response.body!.getReader()
    await reader.read()
    const rest = reader.read()
    second.abort(new Error('enough too'))
    await expect(rest).rejects.toThrow('enough too')
    await Promise.all(closed)
    await expect(fetch(url, { signal: second.signal })).rejects.toThrow('enough too')
  })

  it('ends the connection when the body is cancelled', async () => {
    let closed!: Promise<unknown>
    const url = await serve((_, response) => {
      closed = once(response, 'close')
      response.write('one')
    })
    const response = await createFetch()(url)
    await response.body!.cancel()
    await closed
  })

  it('errors the body when the connection breaks', async () => {
    const url = await serve((_, response) => {
      response.writeHead(200, { 'content-length': '100' })
      response.write('one', () => response.socket!.destroy())
    })
    const response = await createFetch()(url)
    await expect(textOf(response)).rejects.toMatchObject({ code: 'ECONNRESET' })
  })

  it('says who could not be reached', async () => {
    // a port that is given to nobody who asks for any
    expect(await causeOf(createFetch()('http://127.0.0.1:9'))).toMatchObject({
      code: 'ECONNREFUSED',
      message: 'nothing listens on 127.0.0.1:9',
    })
    const dead = await serve((request) => request.socket.destroy())
    expect(await causeOf(createFetch()(dead))).toMatchObject({ code: 'ECONNRESET' })
    expect((await causeOf(createFetch()('ftp://127.0.0.1/x'))).message).toContain('ftp:')
    await expect(createFetch()('no url')).rejects.toThrow('Invalid URL')
  })

  it('follows redirects on the same host only, and not for ever', async () => {
    const url = await serve((request, response) => {
      const to = { '/a': '/b', '/out': 'http://127.0.0.2:1/x', '/loop': '/loop' }[request.url!]
      if (to) return void response.writeHead(307, { location: to }).end()
      void bodyOf(request).then((body) => response.end(`${request.method} ${body}`))
    })
    const fetch = createFetch()
    expect(await textOf(await fetch(`${url}/a`, { method: 'POST', body: 'x' }))).toBe('POST x')
    expect((await causeOf(fetch(`${url}/out`))).message).toContain('another host')
    expect((await causeOf(fetch(`${url}/loop`))).message).toContain('more than 5 times')
  })

  it.each(['/out', '/loop'])(
    'does not read the body of a redirect, which may have no end: %s',
    async (path) => {
      const closed: Promise<unknown>[] = []
      const url = await serve((request, response) => {
        closed.push(once(response, 'close'))
        response
          .writeHead(307, { location: request.url === '/out' ? 'http://127.0.0.2:1/' : '/loop' })
          .write('x')
      })
      await expect(createFetch()(url + path)).rejects.toThrow('fetch failed')
      expect(closed).toHaveLength(path === '/out' ? 1 : 6)
      await Promise.all(closed)
    },
  )

  it('does not trip over names of encodings that it does not know', async () => {
    const url = await serve((_, response) =>
      response.writeHead(200, { 'content-encoding': 'constructor' }).end('x'),
    )
    expect(await textOf(await createFetch()(url))).toBe('x')
  })

  it('has no body where there is none, and takes odd answers as errors', async () => {
    const url = await serve((request, response) => {
      if (request.url === '/204') response.writeHead(204).end()
      else request.socket.end('HTTP/1.1 999 Odd\r\ncontent-length: 0\r\n\r\n')
    })
    expect((await createFetch()(`${url}/204`)).body).toBeNull()
    expect((await causeOf(createFetch()(`${url}/odd`))).message).toContain('999')
  })
})
