import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { loopbackNetwork } from './fixtures/loopback-network.ts'
import { refusedKind } from './address.ts'
import { fetchPage } from './fixtures/call.ts'
import { httpSite, httpsSite, pem, type Handler } from './fixtures/site.ts'

interface Row {
  readonly id: string
  readonly url: string
  readonly resolves_to: readonly string[] | readonly (readonly string[])[] | null
  readonly redirects: readonly string[]
  readonly expected: 'allow' | 'deny'
  readonly why: string
}

const rows = readFileSync(new URL('./fixtures/urls.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as Row)

test('the fixture has rows', () => expect(rows.length).toBeGreaterThan(20))

test.each(rows)('$id $expected: $url ($why)', async ({ url, resolves_to, redirects, expected }) => {
  const left = [...redirects]
  const handler: Handler = (_, response) => {
    const location = left.shift()
    if (location === undefined) response.setHeader('content-type', 'text/plain').end('here it is')
    else response.writeHead(302, { location }).end()
  }
  await using plain = await httpSite(handler)
  await using secure = await httpsSite(handler)
  const name = URL.parse(url)?.hostname ?? ''
  const network = loopbackNetwork({
    names: resolves_to === null ? {} : { [name]: resolves_to },
    ports: { '*:80': plain.port, '*:443': secure.port },
    trusted: pem('ca.pem'),
  })
  const fetched = fetchPage(network, url)
  if (expected === 'allow') expect(await fetched).toContain('here it is')
  else {
    await expect(fetched).rejects.toMatchObject({ name: 'ToolError' })
    for (const place of network.reached) expect(refusedKind(place.replace(/:\d+$/, ''))).toBeNull()
    if (redirects.length === 0) expect(network.reached).toEqual([])
  }
})
