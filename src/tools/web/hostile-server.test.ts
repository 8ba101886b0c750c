import { randomBytes } from 'node:crypto'
import type http from 'node:http'
import type { Socket } from 'node:net'
import zlib from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { loopbackNetwork } from './fixtures/loopback-network.ts'
import { fetchPage, handTimers } from './fixtures/call.ts'
import { got, HOME, names, networkOf, page, PUBLIC } from './fixtures/example-site.ts'
import { httpSite, rawSite, type Handler } from './fixtures/site.ts'

const code = (name: string, message: RegExp) =>
  expect.objectContaining({ code: name, message: expect.stringMatching(message) })

describe('a hostile server', { timeout: 30_000 }, () => {
  const MIB = 1024 * 1024
  const body =
    (size: number, headers: http.OutgoingHttpHeaders = {}): Handler =>
    (_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain', ...headers })
      let left = size
      const piece = Buffer.alloc(64 * 1024, 'a')
      const write = () => {
        while (left > 0 && !response.destroyed) if (((left -= piece.length), !response.write(piece))) return
        response.end()
      }
      response.on('drain', write)
      write()
    }

  const raw = async (bytes: string | ((socket: Socket) => unknown)) => {
    await using site = await rawSite((socket) =>
      typeof bytes === 'string' ? socket.once('data', () => socket.end(bytes)) : bytes(socket),
    )
    return await fetchPage(networkOf(site), HOME)
  }
  const OK = 'HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n'

  test('that sends 100 MB is cut off at 10 MiB', async () => {
    await using site = await httpSite(body(100 * MIB))
    await expect(fetchPage(networkOf(site), HOME)).rejects.toEqual(code('too_large', /larger than 10 MiB/))
    await expect(got(body(0, { 'content-length': 100 * MIB }))).rejects.toEqual(code('too_large', /10 MiB/))
    expect((await got(body(9 * MIB))).length).toBeGreaterThan(9 * MIB)
  })

  test.each([
    ['gzip', (data: Buffer) => zlib.gzipSync(data)],
    [
      'br',
      (data: Buffer) =>
        zlib.brotliCompressSync(data, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } }),
    ],
    ['zstd', (data: Buffer) => zlib.zstdCompressSync(data)],
    ['deflate', (data: Buffer) => zlib.deflateSync(data)],
  ])('that sends a %s bomb is cut off after decompression', async (encoding, pack) => {
    const send =
      (packed: Buffer): Handler =>
      (_, response) =>
        response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': encoding }).end(packed)
    const bomb = pack(Buffer.alloc(64 * MIB))
    expect(bomb.length).toBeLessThan(MIB)
    await expect(got(send(bomb))).rejects.toEqual(code('too_large', /10 MiB/))
    expect(await got(send(pack(Buffer.from('small enough'))))).toContain('small enough')
    const broken = pack(randomBytes(5_000))
    await expect(got(send(broken.subarray(0, 2_000)))).rejects.toMatchObject({ code: 'network' })
    await expect(got(send(Buffer.from('not packed at all')))).rejects.toEqual(
      code('network', /damaged|failed/),
    )
  })

  test('that compresses twice, or with an unknown encoding, is refused', async () => {
    const packed: Handler = (_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip, gzip' }).end(zlib.gzipSync(zlib.gzipSync('x')))
    await expect(got(packed)).rejects.toEqual(code('unsupported_encoding', /\(gzip, gzip\)/))
    await expect(raw(`${OK}content-encoding: x\u001b[2J\r\n\r\nx`)).rejects.toMatchObject({
      name: 'ToolError',
      message: expect.not.stringContaining('\u001b'),
    })
  })

  test.each([
    ['hangs up', '', /connection closed/],
    ['breaks off', `${OK}content-length: 100\r\n\r\nshort`, /connection closed/],
    [
      'breaks off between chunks',
      `${OK}transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n`,
      /connection closed/,
    ],
    [
      'sends malformed chunks',
      `${OK}transfer-encoding: chunked\r\n\r\nzz\r\nhello\r\n`,
      /response is not valid HTTP|connection closed/,
    ],
    [
      'sends two lengths',
      `${OK}content-length: 1\r\ncontent-length: 2\r\n\r\nab`,
      /response is not valid HTTP/,
    ],
    [
      'sends a length and chunks',
      `${OK}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
      /response is not valid HTTP/,
    ],
    ['sends an invalid length', `${OK}content-length: -5\r\n\r\nab`, /response is not valid HTTP/],
    ['speaks another protocol', 'SSH-2.0-OpenSSH_9.0\r\n', /response is not valid HTTP/],
    ['sends no status line', 'hello\n', /response is not valid HTTP/],
    ['sends a header bomb', `${OK}a: ${'b'.repeat(100_000)}\r\n\r\nx`, /larger than 64 KiB/],
    ['sends a bomb of many headers', `${OK}${'a: b\r\n'.repeat(60_000)}\r\nx`, /larger than 64 KiB/],
    [
      'sends a header that never ends',
      `HTTP/1.1 200 ${'O'.repeat(100_000)}`,
      /larger than 64 KiB|connection closed/,
    ],
    [
      'switches protocols',
      'HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
      /response is not valid HTTP/,
    ],
  ])('that %s fails with a clear message', async (_, bytes, words) => {
    await expect(raw(bytes)).rejects.toEqual(code('network', words))
  })

  test('that sends more than its content-length is read up to that length', async () => {
    expect(await raw(`${OK}content-length: 2\r\n\r\nabcdef`)).toMatch(/>\nab\n<\/web_page>/)
  })

  test('that drips, hangs or never ends is cut off at the timeout and disconnected', async () => {
    const drips: ((socket: Socket) => unknown)[] = [
      () => {},
      (socket) => socket.write('HTTP/1.1 200 OK\r\n'),
      (socket) => socket.write(`${OK}\r\nfirst`),
      (socket) => socket.write('HTTP/1.1 103 Early\r\n\r\n'.repeat(1_000)),
      (socket) =>
        socket.write(`${OK}content-encoding: gzip\r\n\r\n`) &&
        socket.write(zlib.gzipSync('abc').subarray(0, 12)),
    ]
    for (const drip of drips) {
      const clock = handTimers()
      const closed = Promise.withResolvers<void>()
      await using site = await rawSite((socket) => {
        socket.on('close', () => closed.resolve())
        socket.once('data', () => {
          drip(socket)
          setImmediate(() => clock.fire(30_000))
        })
      })
      await expect(fetchPage(networkOf(site), HOME, { clock })).rejects.toEqual(
        code('timeout', /longer than 30 s/),
      )
      await closed.promise
    }
  })

  test('that does not accept the connection is abandoned after 5 s for its next address', async () => {
    const clock = handTimers()
    await using site = await httpSite(page('text/plain', 'ok'))
    const network = networkOf(site)
    const never = {
      ...network,
      resolve: async () => [PUBLIC, '1.1.1.1'],
      reach: (address: string, port: number) => {
        const place = network.reach(address, port)
        if (address !== PUBLIC) return place
        queueMicrotask(() => clock.fire(5_000))
        return place
      },
    }
    expect(await fetchPage(never, HOME, { clock })).toContain('ok')
    expect(network.reached).toEqual([`${PUBLIC}:80`, '1.1.1.1:80'])
  })
})

test('a resolver that never answers is abandoned at the timeout', async () => {
  const clock = handTimers()
  const network = {
    ...loopbackNetwork({}),
    resolve: () => {
      setImmediate(() => clock.fire(30_000))
      return new Promise<never>(() => {})
    },
  }
  await expect(fetchPage(network, HOME, { clock })).rejects.toEqual(code('timeout', /30 s/))
})

test('a stop ends a fetch at any point with its reason, and disconnects', async () => {
  const reason = new Error('stopped')
  for (const bytes of ['', 'HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\nhalf']) {
    const controller = new AbortController()
    const closed = Promise.withResolvers<void>()
    await using site = await rawSite((socket) => {
      socket.on('close', () => closed.resolve())
      socket.once('data', () => {
        socket.write(bytes)
        setImmediate(() => controller.abort(reason))
      })
    })
    await expect(fetchPage(networkOf(site), HOME, { signal: controller.signal })).rejects.toBe(reason)
    await closed.promise
  }
  const signal = AbortSignal.abort(reason)
  const network = loopbackNetwork({ names })
  await expect(fetchPage(network, HOME, { signal })).rejects.toBe(reason)
  expect(network.reached).toEqual([])
})
