import { bestEffort } from '../core/rejections.ts'
import { getEventListeners, once } from 'node:events'
import type { ServerResponse } from 'node:http'
import zlib from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { textOf } from '../../test/support/http-answer.ts'
import { startRawServer, type RawHandler } from '../../test/support/model-server.ts'
import { AnswerError, answerBounds } from './http-answer-bounds.ts'
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

/** Sends text packed, each piece at once, for as long as somebody reads. */
function pourPacked(response: ServerResponse, text: string): void {
  const gzip = zlib.createGzip()
  gzip.pipe(response.writeHead(200, { 'content-encoding': 'gzip' }))
  const more = () => {
    if (response.destroyed) return void gzip.destroy()
    gzip.write(text)
    gzip.flush(() => setImmediate(more))
  }
  more()
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
}

const EVENTS = { 'content-type': 'text/event-stream' }

describe('a packed body', () => {
  it.each(['cancel', 'abort'] as const)('ends with its connection on %s, at any moment', async (how) => {
    const closed: Promise<unknown>[] = []
    const url = await serve((_, response) => {
      closed.push(once(response, 'close'))
      pourPacked(response, 'x'.repeat(100_000))
    })
    const fetch = createFetch()
    for (let moment = 0; moment < 30; moment++) {
      const controller = new AbortController()
      const reader = (await fetch(url, { signal: controller.signal })).body!.getReader()
      await reader.read()
      const rest = (async () => {
        while (!(await reader.read()).done);
      })()
      const outcome = rest.then(
        () => 'done',
        (error: Error) => error.message,
      )
      await turns(moment)
      if (how === 'cancel') await reader.cancel()
      else controller.abort(new Error('enough'))
      expect(await outcome).toBe(how === 'cancel' ? 'done' : 'enough')
    }
    await Promise.all(closed)
  })

  it('leaves the connection to the next request', async () => {
    const sockets = new Set<unknown>()
    const url = await serve((request, response) => {
      sockets.add(request.socket)
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(zlib.gzipSync('hello'))
    })
    const fetch = createFetch()
    for (let i = 0; i < 5; i++) expect(await textOf(await fetch(url))).toBe('hello')
    expect(sockets.size).toBe(1)
  })

  it('is bounded by what it unpacks to', async () => {
    let closed!: Promise<unknown>
    const url = await serve((_, response) => {
      closed = once(response, 'close')
      pourPacked(response, 'x'.repeat(100_000))
    })
    const response = await createFetch({ ...answerBounds, totalBytes: 3 * 1024 * 1024 })(url)
    await expect(textOf(response)).rejects.toThrow(
      new AnswerError('the answer is longer than the limit of 3 MiB'),
    )
    await closed
  })
})

describe('a body', () => {
  const served = async (handler: RawHandler, signal?: AbortSignal) =>
    (await createFetch()(await serve(handler), signal ? { signal } : {})).body!.getReader()

  it('stays at its end, and takes one read at a time', async () => {
    let answer!: ServerResponse
    const reader = await served((_, response) => (answer = response).flushHeaders())
    const first = reader.read()
    await expect(reader.read()).rejects.toThrow('read already')
    answer.end('one')
    expect(Buffer.from((await first).value!).toString()).toBe('one')
    for (let i = 0; i < 3; i++) expect((await reader.read()).done).toBe(true)
  })

  it('stays aborted, and cancelled', async () => {
    const controller = new AbortController()
    const open: RawHandler = (_, response) => void response.write('one')
    const aborted = await served(open, controller.signal)
    controller.abort(new Error('enough'))
    for (let i = 0; i < 2; i++) await expect(aborted.read()).rejects.toThrow('enough')
    const cancelled = await served(open)
    await cancelled.cancel()
    expect((await cancelled.read()).done).toBe(true)
  })

  it.each(['end', 'cancel', 'break'])('listens to its signal no longer than it lasts: %s', async (how) => {
    const { signal } = new AbortController()
    const reader = await served((_, response) => {
      response.write('one')
      if (how === 'end') response.end()
      if (how === 'break') setImmediate(() => response.socket!.destroy())
    }, signal)
    expect(getEventListeners(signal, 'abort')).toHaveLength(1)
    const all = async () => {
      while (!(await reader.read()).done) if (how === 'cancel') await reader.cancel()
    }
    await bestEffort(all())
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  })
})

describe('bounds', () => {
  it('lets whole answers through up to the bound', async () => {
    const url = await serve((_, response) => response.writeHead(200, EVENTS).end('12345\n\n'))
    const read = async (totalBytes: number) => textOf(await createFetch({ ...answerBounds, totalBytes })(url))
    expect(await read(7)).toBe('12345\n\n')
    await expect(read(6)).rejects.toThrow('the answer is longer than the limit of 6 bytes')
  })

  it.each(['\n', '\r', '\r\n'])('counts the bytes of a line from its last end, %j', async (end) => {
    const fetch = createFetch({ ...answerBounds, lineBytes: 20 })
    const url = await serve(async (request, response) => {
      response.writeHead(200, EVENTS)
      const line = 'x'.repeat(request.url === '/long' ? 21 : 19)
      for (let i = 0; i < 10; i++) {
        response.write(`${end}${line}`)
        await turns(3)
      }
      response.end()
    })
    expect(await textOf(await fetch(url))).toHaveLength(10 * (19 + end.length))
    await expect(textOf(await fetch(`${url}/long`))).rejects.toThrow('a line of the answer is longer than')
  })

  it('bounds lines of event streams only', async () => {
    const url = await serve((_, response) => response.end('x'.repeat(100)))
    expect(await textOf(await createFetch({ ...answerBounds, lineBytes: 20 })(url))).toHaveLength(100)
  })

  it('ends the body of an error at its bound, and the connection with it', async () => {
    let closed!: Promise<unknown>
    const url = await serve((_, response) => {
      closed = once(response, 'close')
      response.writeHead(500).write('x'.repeat(99))
      response.write('y'.repeat(99))
    })
    const response = await createFetch({ ...answerBounds, errorBytes: 100 })(url)
    expect(await textOf(response)).toBe(`${'x'.repeat(99)}y`)
    await closed
  })
})
