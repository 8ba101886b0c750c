import { createServer, request, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest'
import { closeBrowser, ServedPage } from '../../support/browser.ts'

afterAll(closeBrowser)

/** A program of somebody else on another port of this machine. It notes what browsers send to it. */
class OtherServer {
  readonly heard: { readonly url: string; readonly headers: IncomingHttpHeaders }[] = []
  readonly #server: Server
  target = ''

  private constructor() {
    this.#server = createServer((incoming, outgoing) => {
      const { url = '', headers } = incoming
      this.heard.push({ url, headers })
      if (url === '/redirect') outgoing.writeHead(307, { location: this.target }).end()
      else outgoing.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>other</title>')
    })
  }

  static async start(): Promise<OtherServer> {
    const other = new OtherServer()
    await new Promise<void>((resolve) => other.#server.listen(0, '127.0.0.1', resolve))
    return other
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

let other: OtherServer
beforeEach(async () => (other = await OtherServer.start()))
afterEach(() => other.stop())

const ORDER = JSON.stringify({ text: 'touch stolen', model: 'offline', mode: 'auto' })

it('a server on another port is sent nothing that lets it in', async () => {
  await using served = await ServedPage.open({})
  await signedIn(served)
  await served.page.goto(`${other.url}/visited`)
  await served.page.goto(`${other.url.replace('127.0.0.1', 'localhost')}/visited`)
  const visits = other.heard.filter(({ url }) => url === '/visited')
  expect(visits).toHaveLength(2)
  for (const { headers } of visits) {
    expect(headers).not.toHaveProperty('cookie')
    expect(headers).not.toHaveProperty('authorization')
    expect(headers.referer ?? '').not.toContain('key')
  }
  // and what it was sent, it sends on, as no browser would
  for (const { headers } of visits) expect(await order(served.url, headers)).toBe(401)
  expect(await served.call('GET', '/conversations')).toEqual([])
})

it('its page cannot start a conversation in any way that a page has, and cannot read the token', async () => {
  await using served = await ServedPage.open({})
  await signedIn(served)
  other.target = `${served.url}/api/conversations`
  await served.page.goto(`${other.url}/page`)
  const outcomes = await served.page.evaluate<Record<string, string>>(attacks(served.url))
  expect(outcomes).toEqual({
    'fetch, plain text': 'TypeError',
    'fetch, JSON': 'TypeError',
    'fetch, redirected': 'TypeError',
    'fetch, read': 'TypeError',
    form: 'sent',
    image: 'error',
    EventSource: 'error',
    WebSocket: 'error',
    frame: 'SecurityError',
    window: 'out of reach',
  })
  expect(await served.call('GET', '/conversations')).toEqual([])
  const said = other.heard.map(({ headers }) => JSON.stringify(headers)).join('\n')
  expect(said).not.toMatch(/cookie|authorization/i)
})

async function signedIn({ page }: ServedPage): Promise<void> {
  await page.getByText('Try it without a key').waitFor() // it has asked, and was answered
}

/** What the other server can make of the headers that it was sent. Resolves with the status. */
function order(url: string, heard: IncomingHttpHeaders): Promise<number | undefined> {
  const { host } = new URL(url)
  const { cookie, authorization } = heard
  const own = { host, origin: url, 'content-type': 'application/json' }
  const headers = { ...own, ...(cookie ? { cookie } : {}), ...(authorization ? { authorization } : {}) }
  return new Promise((resolve, reject) => {
    request(`${url}/api/conversations`, { method: 'POST', headers }, (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    })
      .on('error', reject)
      .end(ORDER)
  })
}

/** Runs in the page of the other server. */
function attacks(url: string): string {
  return `(async () => {
    const url = ${JSON.stringify(url)}
    const order = ${JSON.stringify(ORDER)}
    const post = (to, more) => fetch(to, { method: 'POST', body: order, credentials: 'include', ...more })
      .then((answer) => answer.type, (error) => error.name)
    const outcome = (target, good) => new Promise((resolve) => {
      target.onerror = () => resolve('error')
      target[good] = () => resolve('open')
    })
    const load = (make) => new Promise((resolve) => {
      const frame = document.createElement('iframe')
      frame.name = 'sink' + Math.random()
      document.body.append(frame)
      frame.onload = () => resolve(frame)
      make(frame)
    })
    const form = (frame) => {
      const form = document.createElement('form')
      form.method = 'post'
      form.enctype = 'text/plain'
      form.action = url + '/api/conversations'
      form.target = frame.name
      const field = document.createElement('input')
      field.name = order.slice(0, -1) + ',"x":"'
      field.value = '"}'
      form.append(field)
      document.body.append(form)
      form.submit()
    }
    const image = () => Object.assign(new Image(), { src: url + '/api/conversations' })
    const reading = (read) => { try { return String(read()) } catch (error) { return error.name } }
    const opened = window.open(url + '/')
    return {
      'fetch, plain text': await post(url + '/api/conversations', { mode: 'no-cors' }),
      'fetch, JSON': await post(url + '/api/conversations', { headers: { 'content-type': 'application/json' } }),
      'fetch, redirected': await post('/redirect', { mode: 'no-cors' }),
      'fetch, read': await fetch(url + '/api/conversations', { credentials: 'include' }).then((a) => a.type, (e) => e.name),
      form: await load(form).then(() => 'sent'),
      image: await outcome(image(), 'onload'),
      EventSource: await outcome(new EventSource(url + '/api/conversations', { withCredentials: true }), 'onopen'),
      WebSocket: await outcome(new WebSocket(url.replace('http', 'ws') + '/api/conversations'), 'onopen'),
      frame: await load((frame) => { frame.src = url + '/' })
        .then((frame) => reading(() => frame.contentWindow.localStorage.length)),
      window: await new Promise((resolve) => {
        const isOut = () => !opened || opened.closed || reading(() => opened.localStorage.length) === 'SecurityError'
        const look = () => isOut() ? resolve('out of reach') : setTimeout(look, 10)
        look()
      }),
    }
  })()`
}
