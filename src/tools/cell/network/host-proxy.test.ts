import { once } from 'node:events'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { loopbackNetwork } from '../../web/fixtures/loopback-network.ts'
import { httpSite, rawSite, type Handler, type Site } from '../../web/fixtures/site.ts'
import { clientOf, proxied } from './fixtures/proxied.ts'

const PUBLIC = '93.184.216.34'
const names = { 'example.com': [PUBLIC], 'www.example.com': [PUBLIC], 'other.example.org': ['1.1.1.1'] }

function worldOf(site: Site) {
  return loopbackNetwork({ names, ports: { '*:80': site.port, '*:443': site.port, '*:8443': site.port } })
}

const CONNECT = 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n'
const ESTABLISHED = /^HTTP\/1\.1 200 Connection Established\r\n\r\n/

function endless(onRead: (bytes: number) => void = () => {}): Readable {
  const piece = Buffer.alloc(64 * 1024, 'x')
  return new Readable({
    read() {
      onRead(piece.length)
      this.push(piece)
    },
  })
}

const hello: Handler = (request, response) =>
  response.end(`${request.method} ${request.url} of ${request.headers.host}`)

describe('a tunnel', () => {
  test('to an allowed host carries anything, and is counted', async () => {
    await using site = await rawSite((socket) => void socket.pipe(socket))
    const network = worldOf(site)
    await using proxy = await proxied(network, ['example.com'])
    const client = proxy.open()
    client.socket.write(`${CONNECT}early`)
    await client.until(/early$/)
    client.socket.end(' late')
    expect((await client.ended).replace(ESTABLISHED, '')).toBe('early late')
    expect(network.reached).toEqual([`${PUBLIC}:443`])
    await expect
      .poll(() => proxy.cell.log.take())
      .toEqual([{ host: 'example.com', port: 443, refused: null, sent: 10, received: 10 }])
  })

  test.each([
    ['evil.example:443', 'evil.example:443: sandbox.network does not name it'],
    ['a.example.com:443', 'a.example.com:443: sandbox.network does not name it'],
    [
      'example.com:22',
      'example.com:22: sandbox.network does not name it (to allow it, a person adds "example.com:22"',
    ],
    ['169.254.169.254:80', '169.254.169.254:80: it is not a public host'],
    ['127.1:443', '127.0.0.1:443: it is not a public host'],
    ['[::ffff:169.254.169.254]:80', '[::ffff:a9fe:a9fe]:80: it is not a public host'],
    ['localhost:443', 'localhost:443: it is not a public host'],
  ])('to %s is refused, with a name, and nothing is looked up', async (authority, said) => {
    const network = loopbackNetwork({ names })
    await using proxy = await proxied(network, ['example.com'])
    const client = proxy.open()
    client.socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: example.com\r\n\r\n`)
    const text = await client.ended
    expect(text).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/)
    expect(text).toContain(`offshoot: the sandbox refused ${said}`)
    expect([network.lookups, network.reached]).toEqual([[], []])
    expect(proxy.cell.log.take()).toMatchObject([
      { refused: expect.stringMatching(/^(sandbox\.network|it is no)/) },
    ])
  })

  test.each([['EXAMPLE.COM:443'], ['example.com.:443']])('%s is the same host', async (authority) => {
    await using site = await rawSite((socket) => void socket.end('hello'))
    await using proxy = await proxied(worldOf(site), ['example.com'])
    const client = proxy.open()
    client.socket.write(`CONNECT ${authority} HTTP/1.1\r\n\r\n`)
    expect(await client.ended).toMatch(/hello$/)
  })

  test.each([
    ['one that is private', ['10.0.0.1'], 'private'],
    ['one of this machine', ['127.0.0.1'], 'loopback'],
    ['the metadata of a cloud', ['169.254.169.254'], 'link-local'],
    ['a mapped one', ['::ffff:10.0.0.1'], 'IPv4-mapped'],
    ['a public one and a private one', [PUBLIC, '192.168.0.1'], 'private'],
  ])('to an allowed name with %s as its address is refused', async (_, addresses, kind) => {
    const network = loopbackNetwork({ names: { 'example.com': addresses } })
    await using proxy = await proxied(network, ['example.com'])
    const client = proxy.open()
    client.socket.write(CONNECT)
    const said = `example.com leads to a ${kind} address, and only public ones are reached`
    expect(await client.ended).toContain(`403 Forbidden`)
    expect(client.text()).toContain(`the sandbox refused example.com:443: ${said}\n`)
    expect(network.reached).toEqual([])
    expect(proxy.cell.log.take()).toMatchObject([{ host: 'example.com', refused: said }])
  })

  test('a name that leads elsewhere the second time is connected to what was looked at', async () => {
    await using site = await rawSite((socket) => void socket.end('hello'))
    const network = loopbackNetwork({
      names: { 'example.com': [[PUBLIC], ['127.0.0.1']] },
      ports: { [`${PUBLIC}:443`]: site.port },
    })
    await using proxy = await proxied(network, ['example.com'])
    const first = proxy.open()
    first.socket.write(CONNECT)
    expect(await first.ended).toMatch(/hello$/)
    const second = proxy.open()
    second.socket.write(CONNECT)
    expect(await second.ended).toContain('403 Forbidden')
    expect([network.lookups.length, network.reached]).toEqual([2, [`${PUBLIC}:443`]])
  })

  test('is half open as long as one side still sends', async () => {
    await using site = await rawSite((socket) => {
      let text = ''
      socket.allowHalfOpen = true
      socket.on('data', (chunk: Buffer) => (text += chunk.toString()))
      socket.on('end', () => socket.end(`got ${text}`))
    })
    await using proxy = await proxied(worldOf(site), ['example.com'])
    const client = proxy.open()
    client.socket.end(`${CONNECT}all`)
    expect(await client.ended).toMatch(/got all$/)
  })

  test('breaks off on both sides', async () => {
    const closed: Promise<unknown>[] = []
    await using site = await rawSite((socket) => {
      closed.push(once(socket.resume(), 'close'))
      socket.write('hello')
    })
    await using proxy = await proxied(worldOf(site), ['example.com'])
    const client = proxy.open()
    client.socket.write(CONNECT)
    await client.until(/hello$/)
    client.socket.destroy()
    await Promise.all(closed)
    expect(closed).toHaveLength(1)
  })

  test('is not read faster than it is taken', async () => {
    let sent = 0
    await using site = await rawSite((socket) => endless((bytes) => (sent += bytes)).pipe(socket))
    await using proxy = await proxied(worldOf(site), ['example.com'])
    const client = proxy.open()
    client.socket.write(CONNECT)
    await client.until(ESTABLISHED)
    client.socket.pause()
    let before = -1
    await expect.poll(() => before === (before = sent), { interval: 200 }).toBe(true)
    expect(sent).toBeLessThan(64 * 1024 * 1024)
  })

  test('to a host that is unknown or does not answer says so', async () => {
    const network = loopbackNetwork({ names })
    await using proxy = await proxied(network, ['example.com', 'gone.example.net'])
    const unknown = proxy.open()
    unknown.socket.write('CONNECT gone.example.net:443 HTTP/1.1\r\n\r\n')
    expect(await unknown.ended).toMatch(
      /^HTTP\/1\.1 502 Bad Gateway\r\n[^]*gone\.example\.net:443: unknown host\n$/,
    )
    const closed = proxy.open()
    closed.socket.write(CONNECT)
    expect(await closed.ended).toMatch(/^HTTP\/1\.1 502 [^]*connection refused\n$/)
    expect(proxy.cell.log.take()).toMatchObject([
      { host: 'gone.example.net', refused: null, sent: 0 },
      { host: 'example.com', refused: null, sent: 0 },
    ])
  })

  test('that is refused leaves no connection behind', async () => {
    await using proxy = await proxied(loopbackNetwork({ names }), ['example.com'])
    const refused = 'CONNECT evil.example:443 HTTP/1.1\r\n\r\n'
    const plain = 'GET http://evil.example/ HTTP/1.1\r\n\r\n'
    for (let n = 0; n < 600; n += 1) {
      const client = proxy.open()
      client.socket.write(n < 550 ? refused : plain)
      expect(await client.ended).toContain('403 Forbidden')
      client.socket.end('more')
    }
    expect(proxy.cell.log.take()).toHaveLength(2)
  })

  test('ends with the cell', async () => {
    await using site = await rawSite((socket) => void socket.write('hello'))
    const proxy = await proxied(worldOf(site), ['example.com'])
    const client = proxy.open()
    client.socket.write(CONNECT)
    await client.until(/hello$/)
    proxy.cell.close()
    await client.ended
    const late = proxy.open()
    expect(await late.ended).toBe('')
  })
})

describe('a plain request', () => {
  const get = (url: string, more = '') => `GET ${url} HTTP/1.1\r\nHost: example.com\r\n${more}\r\n`

  test('goes to the host of its URL, whatever Host says', async () => {
    await using site = await httpSite(hello)
    const network = worldOf(site)
    await using proxy = await proxied(network, ['example.com'])
    const client = proxy.open()
    client.socket.write('GET http://example.com/a?b=c HTTP/1.1\r\nHost: other.example.org\r\n\r\n')
    await client.until(/GET \/a\?b=c of example\.com/)
    client.socket.write('GET http://other.example.org/ HTTP/1.1\r\nHost: example.com\r\n\r\n')
    expect(await client.ended).toContain('the sandbox refused other.example.org:80')
    expect(network.reached).toEqual([`${PUBLIC}:80`])
  })

  test('loses what is between a client and its proxy', async () => {
    await using site = await httpSite(hello)
    await using proxy = await proxied(worldOf(site), ['example.com'])
    const client = proxy.open()
    const more =
      'Proxy-Authorization: Basic eA==\r\nProxy-Connection: keep-alive\r\nConnection: X-Own, Content-Length\r\nX-Own: 1\r\nX-Other: 2\r\nUpgrade: x\r\n'
    client.socket.write(get('http://example.com/', more))
    await client.until(/GET \/ of/)
    const { headers } = site.requests[0]!
    expect(headers).toEqual({ host: 'example.com', connection: 'close', 'x-other': '2' })
  })

  test('carries bodies of both kinds, and several at once in their order', async () => {
    await using site = await httpSite((request, response) => {
      let text = ''
      request.on('data', (chunk: Buffer) => (text += chunk.toString()))
      request.on('end', () => response.end(`[${request.url} ${text}]`))
    })
    await using proxy = await proxied(worldOf(site), ['example.com'])
    const client = proxy.open()
    const post = 'POST http://example.com/1 HTTP/1.1\r\nContent-Length: 3\r\n\r\none'
    const chunked =
      'PUT http://example.com/2 HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\ntwo\r\n0\r\n\r\n'
    client.socket.write(post + chunked + get('http://example.com/3'))
    const text = await client.until(/\[\/3 \]/)
    expect(text.match(/\[.*?\]/g)).toEqual(['[/1 one]', '[/2 two]', '[/3 ]'])
  })

  test('of ten megabytes arrives whole, both ways', async () => {
    const size = 10 * 1024 * 1024
    await using site = await httpSite((request, response) => void request.pipe(response))
    await using proxy = await proxied(worldOf(site), ['example.com'])
    const client = proxy.open()
    client.socket.write(
      `POST http://example.com/ HTTP/1.1\r\nContent-Length: ${size}\r\nConnection: close\r\n\r\n`,
    )
    client.socket.end(Buffer.alloc(size, 'x'))
    const text = await client.ended
    expect(text.match(/x+/g)!.reduce((sum, part) => sum + part.length, 0)).toBeGreaterThanOrEqual(size)
    const { sent, received } = proxy.cell.log.take()[0]!
    expect([sent, received].every((bytes) => bytes >= size && bytes < size * 1.1)).toBe(true)
  })

  test.each([
    ['an own address', 'GET / HTTP/1.1\r\nHost: example.com\r\n\r\n', /^HTTP\/1\.1 400 /],
    ['https', 'GET https://example.com/ HTTP/1.1\r\n\r\n', /^HTTP\/1\.1 400 /],
    ['a user', 'GET http://a:b@example.com/ HTTP/1.1\r\n\r\n', /^HTTP\/1\.1 400 /],
    ['a file', 'GET file:///etc/passwd HTTP/1.1\r\n\r\n', /^HTTP\/1\.1 400 /],
    ['no port', 'CONNECT example.com HTTP/1.1\r\n\r\n', /^HTTP\/1\.1 400 /],
    ['a strange authority', 'CONNECT a@example.com:443 HTTP/1.1\r\n\r\n', /^HTTP\/1\.1 400 /],
    ['port 0', 'CONNECT example.com:0 HTTP/1.1\r\n\r\n', /^HTTP\/1\.1 400 /],
    ['no HTTP', 'hello\r\n\r\n', /^HTTP\/1\.1 400 /],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', /^HTTP\/1\.1 400 /],
    [
      'headers without end',
      `GET http://example.com/ HTTP/1.1\r\nA: ${'a'.repeat(70_000)}`,
      /^HTTP\/1\.1 431 /,
    ],
    ['a header with a line in it', 'GET http://example.com/ HTTP/1.1\r\nA: b\rc\r\n\r\n', /^HTTP\/1\.1 400 /],
    [
      'two lengths of its body',
      'POST http://example.com/ HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      /^HTTP\/1\.1 400 /,
    ],
    [
      'another transfer encoding',
      'POST http://example.com/ HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
      /^HTTP\/1\.1 501 /,
    ],
  ])('with %s is refused', async (_, bytes, answer) => {
    const network = loopbackNetwork({ names })
    await using proxy = await proxied(network, ['example.com'])
    const client = proxy.open()
    client.socket.write(bytes, 'latin1')
    expect(await client.ended).toMatch(answer)
    expect(network.reached).toEqual([])
  })

  test.each([
    ['nothing', '', /^HTTP\/1\.1 502 /],
    ['no HTTP', 'hello\r\n', /^HTTP\/1\.1 502 [^]*not valid HTTP/],
    [
      'a switch of protocols',
      'HTTP/1.1 101 x\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
      /^HTTP\/1\.1 502 /,
    ],
    ['a strange status', 'HTTP/1.1 099 x\r\n\r\n', /^HTTP\/1\.1 502 /],
    ['headers without end', `HTTP/1.1 200 OK\r\nA: ${'a'.repeat(70_000)}`, /^HTTP\/1\.1 502 /],
    ['half of a body', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf', /\r\n\r\nhalf$/],
  ])('whose host answers with %s ends', async (_, bytes, answer) => {
    await using site = await rawSite((socket) => socket.once('data', () => socket.end(bytes)))
    await using proxy = await proxied(worldOf(site), ['example.com'])
    const client = proxy.open()
    client.socket.write(get('http://example.com/'))
    expect(await client.ended).toMatch(answer)
  })

  test.each([
    ['while it sends', 'POST http://example.com/ HTTP/1.1\r\nContent-Length: 9\r\n\r\nhalf', ''],
    ['while it is sent', get('http://example.com/'), 'HTTP/1.1 200 OK\r\n\r\n'],
  ])('that its client leaves %s is left', async (_, bytes, answer) => {
    const closed: Promise<unknown>[] = []
    await using site = await rawSite((socket) => {
      closed.push(new Promise((resolve) => socket.once('close', resolve)))
      socket.once('data', () => socket.write(answer) && answer !== '' && endless().pipe(socket))
    })
    await using proxy = await proxied(worldOf(site), ['example.com'])
    const client = proxy.open()
    client.socket.write(bytes)
    await expect.poll(() => closed.length).toBe(1)
    if (answer !== '') await client.until(/xxx/)
    client.socket.destroy()
    await Promise.all(closed)
    expect(closed).toHaveLength(1)
  })

  test('whose client has sent all and ended gets its answer', async () => {
    await using site = await httpSite(hello)
    await using proxy = await proxied(worldOf(site), ['example.com'])
    const client = proxy.open()
    client.socket.end(get('http://example.com/'))
    expect(await client.ended).toMatch(/GET \/ of example\.com/)
  })
})

describe('on a machine that stands behind a proxy', () => {
  const through = (answer: string) => {
    const heads: string[] = []
    const site = rawSite((socket) =>
      socket.once('data', (head: Buffer) => {
        heads.push(head.toString())
        socket.write(answer)
        socket.on('data', (chunk: Buffer) => void socket.end(`got ${chunk.toString()}`))
      }),
    )
    return { heads, site }
  }
  const parent = { 'proxy.example': ['10.0.0.8'] }
  const env = { HTTPS_PROXY: 'http://me:s%20cret@proxy.example:3128', http_proxy: 'proxy.example:3128' }

  test('a tunnel goes through that, and says who it is', async () => {
    const { heads, site: opened } = through('HTTP/1.1 200 OK\r\n\r\n')
    await using site = await opened
    const network = loopbackNetwork({ names: { ...names, ...parent }, ports: { '*:3128': site.port } })
    await using proxy = await proxied(network, ['example.com'], { env })
    const client = proxy.open()
    client.socket.write(CONNECT)
    await client.until(ESTABLISHED)
    client.socket.write('hello')
    expect(await client.ended).toMatch(/got hello$/)
    expect(heads[0]).toMatch(/^CONNECT example\.com:443 HTTP\/1\.1\r\n/)
    expect(heads[0]).toContain(
      `proxy-authorization: Basic ${Buffer.from('me:s cret').toString('base64')}\r\n`,
    )
    expect(network.reached).toEqual(['10.0.0.8:3128'])
  })

  test('a plain request goes through the other', async () => {
    const { heads, site: opened } = through('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi')
    await using site = await opened
    const network = loopbackNetwork({ names: parent, ports: { '*:3128': site.port } })
    await using proxy = await proxied(network, ['example.com'], { env })
    const client = proxy.open()
    client.socket.write('GET http://example.com/a HTTP/1.1\r\nConnection: close\r\n\r\n')
    expect(await client.ended).toMatch(/hi$/)
    expect(heads[0]).toMatch(/^GET http:\/\/example\.com\/a HTTP\/1\.1\r\n/)
  })

  test.each([
    [
      'which refuses it',
      'HTTP/1.1 407 Proxy Authentication Required\r\n\r\n',
      'answered 407 for example.com:443',
    ],
    ['which says nothing', '', 'connection'],
  ])('%s', async (_, answer, said) => {
    await using site = await rawSite((socket) => socket.once('data', () => socket.end(answer)))
    const network = loopbackNetwork({ names: { ...names, ...parent }, ports: { '*:3128': site.port } })
    await using proxy = await proxied(network, ['example.com'], { env })
    const client = proxy.open()
    client.socket.write(CONNECT)
    expect(await client.ended).toMatch(/^HTTP\/1\.1 502 /)
    expect(client.text()).toContain(said)
  })

  test('a name of a private address is not handed to it', async () => {
    const network = loopbackNetwork({ names: { 'example.com': ['10.0.0.1'], ...parent } })
    await using proxy = await proxied(network, ['example.com'], { env })
    const client = proxy.open()
    client.socket.write(CONNECT)
    expect(await client.ended).toContain('403 Forbidden')
    expect(network.reached).toEqual([])
  })

  test.each([
    ['example.com', true],
    ['.example.com', true],
    ['*.example.com', true],
    ['com', true],
    ['a.example, EXAMPLE.COM:443', true],
    ['*', true],
    ['example.com:80', false],
    ['ample.com', false],
    ['', false],
  ])('NO_PROXY %j goes around it: %s', async (list, around) => {
    await using site = await rawSite((socket) => void socket.end('direct'))
    await using way = await rawSite((socket) => void socket.end('HTTP/1.1 503 x\r\n\r\n'))
    const network = loopbackNetwork({
      names: { ...names, ...parent },
      ports: { '*:3128': way.port, '*:443': site.port },
    })
    await using proxy = await proxied(network, ['example.com'], { env: { ...env, NO_PROXY: list } })
    const client = proxy.open()
    client.socket.write(CONNECT)
    expect((await client.ended).endsWith('direct')).toBe(around)
  })

  test.each(['socks5://127.0.0.1:1080', 'https://proxy.example', ':::'])(
    'one that cannot be used (%s) is not gone around',
    async (value) => {
      const network = loopbackNetwork({ names })
      await using proxy = await proxied(network, ['example.com'], { env: { ALL_PROXY: value } })
      const client = proxy.open()
      client.socket.write(CONNECT)
      expect(await client.ended).toMatch(/502 [^]*a proxy that cannot be used here/)
      expect(network.reached).toEqual([])
    },
  )
})

describe('a port of this machine', () => {
  const onlyOf = (port: number, own?: number) =>
    proxied(loopbackNetwork({ ports: { [`127.0.0.1:${port}`]: port } }), [], {
      ports: [port],
      ownPort: () => own,
    })

  test('that is named is connected, and counted', async () => {
    await using site = await rawSite((socket) => void socket.pipe(socket))
    await using proxy = await onlyOf(site.port)
    const client = clientOf(connect({ path: proxy.cell.sockets.ports.get(site.port)!, allowHalfOpen: true }))
    client.socket.end('hello')
    expect(await client.ended).toBe('hello')
    await expect
      .poll(() => proxy.cell.log.take())
      .toEqual([{ host: '127.0.0.1', port: site.port, refused: null, sent: 5, received: 5 }])
  })

  test('where the program itself listens is not', async () => {
    let connections = 0
    await using site = await rawSite(() => (connections += 1))
    await using proxy = await onlyOf(site.port, site.port)
    const client = clientOf(connect(proxy.cell.sockets.ports.get(site.port)!))
    expect(await client.ended).toBe('')
    expect(connections).toBe(0)
    expect(proxy.cell.log.take()).toMatchObject([{ refused: 'the server of Offshoot listens there' }])
  })
})
